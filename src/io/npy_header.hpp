#pragma once
/// Header of a `.npy` file: sample type, order and shape.

#include <cstdint>
#include <string>
#include <vector>

#include "core/pixel.hpp"
#include "io/codec.hpp"

namespace upfirdn {

struct NpyHeader {
  PixelType type = PixelType::u8;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::uint64_t data_offset = 0;
};

/// Reads a header of version 1, 2 or 3 and checks that the file holds all samples it declares.
/// Throws Error(image_failed): damaged, a sample type that is not supported, a size of 0.
[[nodiscard]] NpyHeader read_npy_header(const ByteSource& source);

/// Header as numpy writes it for a little-endian array in C order.
[[nodiscard]] std::string npy_header_text(PixelType type, const std::vector<std::int64_t>& shape);

}  // namespace upfirdn
