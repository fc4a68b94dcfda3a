#pragma once
/// How two images differ.

#include <cstdint>
#include <optional>
#include <string>

#include "core/image.hpp"
#include "io/codec.hpp"

namespace upfirdn {

struct Comparison {
  ImageInfo a, b;
  bool comparable = false;     ///< same size, channels and maxval; otherwise nothing below is filled
  double largest = 0;          ///< |a - b|; equal bits, NaN beside NaN and equal infinities count as 0
  double rms = 0;
  double psnr_db = 0;          ///< 20 log10(maxval / rms); infinity if equal
  std::int64_t differing = 0;  ///< samples
  std::int64_t x = 0, y = 0;   ///< first place of the largest difference
  int channel = 0;
};

/// Compares two files. With `heatmap`, writes a colour PNG of |a - b| there.
[[nodiscard]] Comparison compare_files(const std::string& a, const std::string& b, const CodecOptions& options,
                                       const std::optional<std::string>& heatmap);

}  // namespace upfirdn
