#include "io/header_bytes.hpp"
#include "io/imaging_headers.hpp"

namespace upfirdn {

ImageInfo read_webp_header(const ByteSource& source) {
  const std::uint64_t end = 8 + std::uint64_t(little<4>(source, 4));
  if (end > source.size()) throw cut_short(source);
  ImageInfo info;
  info.channels = 3;
  bool extended = false, alpha = false;
  for (std::uint64_t chunk = 12; chunk + 8 <= end;) {
    const std::uint64_t size = little<4>(source, chunk + 4), body = chunk + 8;
    if (body + size > end) throw cut_short(source);
    const bool lossy = tag_is(source, chunk, "VP8 "), lossless = tag_is(source, chunk, "VP8L");
    if (tag_is(source, chunk, "VP8X") && !extended) {
      const std::uint32_t flags = little<1>(source, body);
      if ((flags & 0x02) != 0) throw unsupported(source, "animated WebP");
      extended = true;
      alpha = (flags & 0x10) != 0;
      info.width = 1 + little<3>(source, body + 4);
      info.height = 1 + little<3>(source, body + 7);
    } else if (lossless && !extended) {
      const std::uint32_t shape = little<4>(source, body + 1);
      info.width = 1 + (shape & 0x3fff);
      info.height = 1 + (shape >> 14 & 0x3fff);
      alpha = (shape >> 28 & 1) != 0;
    } else if (lossy && !extended) {
      info.width = little<2>(source, body + 6) & 0x3fff;
      info.height = little<2>(source, body + 8) & 0x3fff;
    }
    if (lossy || lossless) {
      if (info.width == 0 || info.height == 0) throw damaged(source, "a side is 0");
      if (alpha) info.alpha = Alpha::straight;
      if (alpha) info.channels = 4;
      return info;
    }
    chunk = body + size + (size & 1);
  }
  throw damaged(source, "the WebP holds no picture");
}

}  // namespace upfirdn
