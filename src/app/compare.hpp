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
  bool comparable = false;  ///< same size, channels, maxval and number of images
  std::string obstacle;     ///< why not; then nothing below is filled
  double largest =
      0;  ///< |a - b|; equal numbers and NaN beside NaN count as 0, NaN beside a number as infinity
  double rms = 0;
  double psnr_db = 0;                    ///< 20 log10(maxval / rms); infinity if equal
  std::int64_t differing = 0;            ///< samples
  std::int64_t samples = 0;              ///< of one file
  std::int64_t images = 1;               ///< in each file
  std::int64_t image = 0, x = 0, y = 0;  ///< first place of the largest difference
  int channel = 0;
};

/// Compares two files row by row. Where `heatmap` is not empty, writes a colour PNG of |a - b| of the first image there,
/// the largest over the channels. Throws Error(image_failed) for a file that can't be read.
[[nodiscard]] Comparison compare_files(const std::string& a, const std::string& b,
                                       const CodecOptions& options,
                                       const std::string& heatmap);

}  // namespace upfirdn
