#pragma once
/// The chain of main directories of a TIFF, read without libtiff, which passes over what is missing.

#include <cstdint>
#include <span>
#include <vector>

#include "io/codec.hpp"

namespace upfirdn {

/// Byte order and the widths that differ between a classic and a BigTIFF.
struct TiffShape {
  bool big_endian, big_tiff;

  /// Reads the first four bytes of a TIFF.
  explicit TiffShape(const ByteSource& source);
  [[nodiscard]] std::size_t count_bytes() const { return big_tiff ? 8 : 2; }
  [[nodiscard]] std::size_t entry_bytes() const { return big_tiff ? 20 : 12; }
  [[nodiscard]] std::size_t offset_bytes() const { return big_tiff ? 8 : 4; }
  /// Unsigned number in the first `count` bytes.
  [[nodiscard]] std::uint64_t number(std::span<const std::byte> bytes, std::size_t count) const;
};

/// Offsets of the directories of the main chain, in order; sub-directories are not pages. A chain that comes
/// back to one of its directories ends there. Throws Error(image_failed) if a directory lies beyond the end
/// of the file.
[[nodiscard]] std::vector<std::uint64_t> tiff_pages(const ByteSource& source);

/// Throws Error(image_failed) if the value of a tag of the directory at `page` lies beyond the end of the
/// file.
void check_tiff_tags(const ByteSource& source, std::uint64_t page);

}  // namespace upfirdn
