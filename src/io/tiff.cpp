#include <cstring>
#include <utility>

#include "io/formats.hpp"
#include "io/tiff_codec.hpp"

namespace upfirdn {
namespace {

/// Both byte orders, classic and BigTIFF.
[[nodiscard]] bool is_tiff(std::span<const std::byte> head) {
  if (head.size() < 8) return false;
  for (const char* magic : {"II*\0", "MM\0*", "II+\0", "MM\0+"}) {
    if (std::memcmp(head.data(), magic, 4) == 0) return true;
  }
  return false;
}

}  // namespace

Format tiff_format() {
  return {
      .name = "TIFF",
      .extensions = {"tif", "tiff"},
      .recognises = is_tiff,
      .open = [](std::unique_ptr<ByteSource> source,
                 const CodecOptions&) { return open_tiff(std::move(source)); },
      .create =
          [](std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t images,
             const CodecOptions& options) { return create_tiff(std::move(sink), info, images, options); },
      .types = {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::f16, PixelType::f32, PixelType::u32, PixelType::s32,
                PixelType::f64},
      .channels = {},
      .own_maxval = true,
      .max_side = 0x7fffffff,
      .many_images = true,
      .holds_premultiplied = true,
      .holds_low_is_white = true,
      .holds_metadata = true,
  };
}

}  // namespace upfirdn
