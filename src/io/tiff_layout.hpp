#pragma once
/// How the samples of one TIFF page lie in its file, checked against what can be read.

#include <array>
#include <cstdint>
#include <vector>

#include "core/image.hpp"
#include "io/tiff_stream.hpp"

namespace upfirdn {

/// A page as stored. Strips are blocks as wide as the image.
struct TiffLayout {
  std::int64_t width = 0, height = 0;
  int samples = 1;      ///< stored a pixel
  int bits = 8;         ///< a sample, as stored
  bool planar = false;  ///< one plane of blocks a sample
  bool tiled = false;
  bool compressed = false;
  bool white_is_zero = false;
  std::int64_t block_width = 0, block_height = 0;
  std::size_t block_row_bytes = 0;  ///< of one block; samples are packed, rows begin at a byte
  std::vector<std::array<std::uint16_t, 3>> palette;  ///< in the type of `info`; empty: none
  ImageInfo info;                                     ///< as delivered

  [[nodiscard]] std::int64_t blocks_across() const { return (width + block_width - 1) / block_width; }
  [[nodiscard]] int planes() const { return planar ? samples : 1; }
  [[nodiscard]] std::size_t block_bytes() const { return block_row_bytes * std::size_t(block_height); }
};

/// Reads the layout of the current page of `stream`, and sets the stream up for it. Throws
/// Error(image_failed): damaged, more samples than the file can hold, or of a kind that is not supported.
[[nodiscard]] TiffLayout read_tiff_layout(TiffStream& stream, const ByteSource& source);

}  // namespace upfirdn
