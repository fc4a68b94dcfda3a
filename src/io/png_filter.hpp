#pragma once
/// The filters of PNG (specification, section 9).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/image.hpp"

namespace upfirdn {

/// Turns rows of samples into the bytes that PNG compresses: a filter's number, then big-endian samples less what that filter
/// predicts from their neighbours.
class PngRowFilter {
 public:
  /// For an image of `info`. Without `adaptive` no row is filtered; with it each takes the filter whose bytes, as signed
  /// numbers, have the least sum of magnitudes: the rule of the specification and of libpng.
  PngRowFilter(const ImageInfo& info, bool adaptive);

  /// The bytes of the next row, until the next call.
  [[nodiscard]] std::span<const std::byte> apply(const std::byte* row);

 private:
  void load(const std::byte* row);
  [[nodiscard]] std::uint64_t filter(std::uint8_t type, std::uint8_t* out) const;

  std::size_t row_bytes_, pixel_bytes_;
  bool swap_, adaptive_;
  // Rows behind a pixel of zeros, the neighbour of the first one.
  std::vector<std::uint8_t> row_, above_;
  // Filtered rows behind the filter's number.
  std::vector<std::uint8_t> best_, candidate_;
};

/// Adds to the bytes of a row what its filter predicts: those of a pixel take `pixel_bytes`, 1 to 8, and `above` holds the row
/// above, as long, or zeros. False if there is no such filter.
[[nodiscard]] bool undo_png_filter(std::uint8_t filter, std::span<std::uint8_t> row, const std::uint8_t* above, std::size_t pixel_bytes);

}  // namespace upfirdn
