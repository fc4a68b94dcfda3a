#include <cstring>
#include <utility>

#include "io/formats.hpp"
#include "io/png_codec.hpp"

namespace upfirdn {
namespace {

[[nodiscard]] bool is_png(std::span<const std::byte> head) {
  return head.size() >= 4 && std::memcmp(head.data(), "\x89PNG", 4) == 0;
}

}  // namespace

Format png_format() {
  return {
      .name = "PNG",
      .extensions = {"png"},
      .recognises = is_png,
      .open = [](std::unique_ptr<ByteSource> source, const CodecOptions&) { return open_png(std::move(source)); },
      .create = [](std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t,
                   const CodecOptions& options) { return create_png(std::move(sink), info, options); },
      .types = {PixelType::u8, PixelType::u16},
      .channels = {1, 2, 3, 4},
      .max_side = longest_png_side,
      .holds_metadata = true,
      .always_alpha = true,
  };
}

}  // namespace upfirdn
