#pragma once
/// How big a resized image is, and which pitch each axis has (SEMANTICS 4).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/image.hpp"
#include "resample/spec.hpp"

namespace upfirdn {

/// Largest side of an image and largest factor.
inline constexpr std::int64_t largest_side = (std::int64_t(1) << 31) - 1;

/// One axis of a resize: output o is centred at (o + skip + 0.5) * down / up - 0.5 + shift in input pixels.
struct AxisGeometry {
  std::int64_t in = 0, out = 0;
  std::int64_t up = 1, down = 1;  ///< pitch r = down / up
  std::int64_t skip = 0;          ///< outputs dropped before the first (`--fill`)
  Fraction shift{0, 1};
  bool kept = false;              ///< `--only-shrink` / `--only-enlarge` keeps this image as it is
};

struct ResizeGeometry {
  AxisGeometry x, y;
  /// `--letterbox`: the canvas and the place of the picture on it.
  struct Canvas {
    std::int64_t width, height, x, y;
    double value;
  };
  std::optional<Canvas> canvas;
  std::vector<std::string> notes;
};

/// Sizes and pitches for an image (after the crop). Throws Error(image_failed) for a side above `largest_side`, or for a
/// wanted spacing of an image that does not tell its own.
[[nodiscard]] ResizeGeometry plan_geometry(const ResizeRequest& request, const ImageInfo& image, bool keeps_factors);

}  // namespace upfirdn
