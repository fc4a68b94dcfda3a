#pragma once
/// Request + image header = plan: sizes, banks, pass order, arithmetic. Everything that needs no samples is decided here,
/// once for all backends.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/operation.hpp"
#include "resample/spec.hpp"

namespace upfirdn {

/// Place of the resampled picture on a larger canvas.
struct Letterbox {
  std::int64_t x = 0, y = 0;           ///< of the picture's first pixel
  std::vector<std::byte> pixel;        ///< fill, one stored output pixel
};

struct Plan {
  ImageInfo input;             ///< the file's image
  ImageInfo output;            ///< the file to write
  std::optional<Crop> crop;    ///< part of `input` that is resampled
  Operation operation;
  Placement x, y;              ///< of the output's pixels on `input`
  std::optional<Letterbox> letterbox;
  std::vector<std::string> notes;     ///< said under -v
  std::vector<std::string> warnings;  ///< said always
  /// For float64 verification: E of SEMANTICS 5 is computed from the operation and these.
  double depth_scale = 1;      ///< out_max / in_max
};

/// Type and maxval of the output of `--depth` for an input. Throws Error(image_failed) where signed samples can't follow.
[[nodiscard]] ImageInfo with_depth(const ImageInfo& input, Depth depth);

/// Plans `spec` for an image. `stored` is the pixel type and maxval to write (with_depth, then adapted to the output
/// format). Throws Error(image_failed) for what depends on the image, Error(usage) for what is wrong with any image.
[[nodiscard]] Plan make_plan(const ResampleSpec& spec, const ImageInfo& input, const ImageInfo& stored);

/// Throws Error(usage) for what is wrong with `spec` whatever the images are. Called once before any file is opened.
void check_spec(const ResampleSpec& spec);

}  // namespace upfirdn
