#include <cstring>
#include <utility>

#include "io/formats.hpp"
#include "io/jpeg_codec.hpp"

namespace upfirdn {
namespace {

[[nodiscard]] bool is_jpeg(std::span<const std::byte> head) {
  return head.size() >= 3 && std::memcmp(head.data(), "\xff\xd8\xff", 3) == 0;
}

}  // namespace

Format jpeg_format() {
  return {
      .name = "JPEG",
      .extensions = {"jpg", "jpeg", "jpe"},
      .recognises = is_jpeg,
      .open = [](std::unique_ptr<ByteSource> source,
                 const CodecOptions& options) { return open_jpeg(std::move(source), options.jpeg_shrink); },
      .create = [](std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t,
                   const CodecOptions& options) { return create_jpeg(std::move(sink), info, options); },
      .types = {PixelType::u8},
      .channels = {1, 3},
      .max_side = 65500,  // libjpeg's; the format itself ends at 65535
      .holds_alpha = false,
      .holds_metadata = true,
  };
}

}  // namespace upfirdn
