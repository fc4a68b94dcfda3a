#pragma once
/// What a resizer does to test pictures: how much leaks, rings, blurs and moves. "Coarse pixels" are output pixels when
/// reducing and input pixels when enlarging.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/image.hpp"

namespace upfirdn {

/// Takes a gray image of 16 bits and the size of the result; gives one gray image of any type, or nothing if it can't.
using Resizer = std::function<std::optional<Image>(const Image& image, std::int64_t width, std::int64_t height)>;

struct FilterQuality {
  double gain_db = 0;          ///< of a grating of 0.25 cycles per coarse pixel: sharpness
  double leak_percent = 0;     ///< largest standard deviation, over its amplitude, that a grating of 0.75 cycles and more per
                               ///< coarse pixel leaves; enlarging: that coarser ones leave beside their own frequency
  std::optional<double> zone_percent;  ///< RMS of what a zone plate leaves where it is that fine, over its amplitude;
                                       ///< only when reducing
  double overshoot_percent = 0;  ///< of a step, over its height
  double edge_pixels = 0;        ///< coarse pixels from 10 % to 90 % of a step
  double shift_pixels = 0;       ///< input pixels by which steps move
};

/// Side of the square test pictures: divisible by the reductions 2, 8 and 3.44.
inline constexpr std::int64_t test_picture_side = 1032;

/// The test pictures for one factor.
class QualityTest {
 public:
  /// Of resizes to `side` x `side`.
  explicit QualityTest(std::int64_t side);
  /// Nothing if the resizer fails.
  [[nodiscard]] std::optional<FilterQuality> measure(const Resizer& resizer) const;

 private:
  std::int64_t side_;
  Image gratings_, zone_plate_, steps_;
};

/// A resizer that uses this program's CPU backend with the filter `text`.
[[nodiscard]] Resizer own_resizer(const std::string& text);

}  // namespace upfirdn
