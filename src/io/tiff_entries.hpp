#pragma once
/// The tags of one TIFF directory as numbers, apart from libtiff: EXIF directories are carried over with every tag.

#include <cstdint>
#include <vector>

#include "io/codec.hpp"

namespace upfirdn {

/// One tag of a directory.
struct TiffEntry {
  std::uint16_t tag = 0, type = 0;  ///< type as in TIFF: 2 is ASCII, 3 SHORT
  std::uint32_t count = 0;
  std::vector<std::byte> value;  ///< all of it, little-endian
};

/// Bytes of a value of TIFF type 1 to 18; 0 for others.
[[nodiscard]] std::uint64_t tiff_value_bytes(std::uint64_t type);

/// Reverses the bytes of each number of the value.
void swap_tiff_numbers(TiffEntry& entry);

/// The directory at `offset` of a TIFF, as far as its values have `most_bytes` together, without those that lie beyond the end
/// of the file. Empty if it is no directory.
[[nodiscard]] std::vector<TiffEntry> read_tiff_entries(const ByteSource& source, std::uint64_t offset, std::size_t most_bytes);

/// Appends a little-endian directory to `bytes`, which will stand at `base` of a file, and returns its offset in that file;
/// `big` makes it one of a BigTIFF. `entries` are sorted by tag.
std::uint64_t append_tiff_directory(std::vector<std::byte>& bytes, std::uint64_t base, std::vector<TiffEntry> entries, bool big);

}  // namespace upfirdn
