#include <fmt/format.h>

#include <cstdlib>

#include "core/fraction.hpp"
#include "io/header_bytes.hpp"
#include "io/imaging_headers.hpp"

namespace upfirdn {
namespace {

constexpr std::uint32_t bmp_uncompressed = 0, bmp_bitfields = 3;

/// True if the palette of `bits` bits holds nothing but grays, entries that are not in the file counting as
/// black.
bool palette_is_gray(const ByteSource& source, std::uint64_t offset, std::uint32_t entries) {
  for (std::uint32_t i = 0; i < entries; ++i) {
    const auto entry = bytes_at<4>(source, offset + 4 * i);
    if (entry[0] != entry[1] || entry[1] != entry[2]) return false;
  }
  return true;
}

/// True if the fourth byte of 32-bit pixels is alpha. Throws if the masks are not those of BGRA bytes.
bool bitfields_have_alpha(const ByteSource& source, std::uint32_t header_bytes) {
  if (little<4>(source, 54) != 0x00ff0000 || little<4>(source, 58) != 0x0000ff00 ||
      little<4>(source, 62) != 0xff) {
    throw unsupported(source, "BMP with unusual colour masks");
  }
  return header_bytes >= 56 && little<4>(source, 66) == 0xff000000;
}

}  // namespace

ImageInfo read_bmp_header(const ByteSource& source) {
  const std::uint32_t pixels = little<4>(source, 10), header_bytes = little<4>(source, 14);
  if (header_bytes < 40) throw unsupported(source, "BMP with an OS/2 header");
  const auto width = std::int32_t(little<4>(source, 18)), height = std::int32_t(little<4>(source, 22));
  const std::uint32_t bits = little<2>(source, 28), compression = little<4>(source, 30);
  const std::uint32_t used = little<4>(source, 46);
  if (width <= 0 || height == 0 || height == INT32_MIN) throw damaged(source, "a side is 0 or negative");
  ImageInfo info;
  info.width = width;
  info.height = std::abs(height);
  info.channels = 3;
  if (compression != bmp_uncompressed && !(compression == bmp_bitfields && bits == 32)) {
    throw unsupported(source, fmt::format("BMP compression {} with {} bits", compression, bits));
  }
  const std::uint64_t after_header = 14 + std::uint64_t(header_bytes);
  if (bits == 1 || bits == 4 || bits == 8) {
    const std::uint32_t entries = used == 0 ? 1u << bits : used;
    if (entries > 1u << bits) throw damaged(source, "the palette is too long");
    if (pixels < after_header + 4 * std::uint64_t(entries))
      throw damaged(source, "the palette is among the pixels");
    if (palette_is_gray(source, after_header, entries)) info.channels = 1;
  } else if (bits == 32 && compression == bmp_bitfields) {
    if (bitfields_have_alpha(source, header_bytes)) {
      info.channels = 4;
      info.alpha = Alpha::straight;
    }
  } else if (bits != 24 && bits != 32) {
    throw unsupported(source, fmt::format("BMP with {} bits a pixel", bits));
  }
  if (pixels < after_header) throw damaged(source, "the pixels are among the header");
  const std::uint64_t pitch = (std::uint64_t(width) * bits + 31) / 32 * 4;
  if (Int128(pitch) * info.height + pixels > Int128(source.size())) throw cut_short(source);
  return info;
}

}  // namespace upfirdn
