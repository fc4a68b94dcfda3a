#pragma once
/// The rows of a PNG, without libpng: two to three times as fast.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/byte_files.hpp"
#include "io/inflate.hpp"

namespace upfirdn {

/// Reads the IDAT chunks of a PNG that is not interlaced, whose pixels take whole bytes, and what follows them. Whatever damages
/// or shortens the picture is Error(image_failed), as are checksums that are wrong.
class PngRows {
 public:
  /// `file` reads `source` and has read the head of the first IDAT chunk. A row takes `row_bytes`, a pixel `pixel_bytes` (1 to 8).
  PngRows(const ByteSource& source, ForwardReader& file, std::size_t row_bytes, std::size_t pixel_bytes, std::int64_t rows);

  /// The next row as the file holds it, samples of 16 bits big-endian; until the next call.
  [[nodiscard]] std::span<const std::uint8_t> next();
  /// After the last row: checks that the data ends there, and the rest of the file up to its last chunk.
  void finish();

 private:
  struct Chunk {
    std::uint32_t type = 0, left = 0;  // bytes of its data that are not read yet
  };

  void open_chunk();
  void close_chunk();
  [[nodiscard]] std::span<const std::byte> read_part();
  [[nodiscard]] bool next_part();
  [[nodiscard]] std::size_t inflate(std::span<std::byte> bytes);
  void fill();

  const ByteSource& source_;
  ForwardReader& file_;
  Inflater inflater_;
  std::size_t row_bytes_, pixel_bytes_;
  std::int64_t rows_left_;  // that are not inflated yet
  Chunk chunk_;
  std::uint32_t checksum_ = 0;  // of the chunk so far
  std::vector<std::byte> part_;
  // Rows behind the number of their filter; the last row of the ones before comes first.
  std::vector<std::uint8_t> plain_;
  std::size_t at_;
};

}  // namespace upfirdn
