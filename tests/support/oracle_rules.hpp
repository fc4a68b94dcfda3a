#pragma once
/// What happens around the filter, as facts about one request and image.

#include <optional>
#include <vector>

#include "oracle.hpp"

namespace upfirdn::oracle {

/// Which of the steps before and after the filter run.
struct Rules {
  int channels = 1;
  bool copied = false;     ///< both axes are copied: nothing is filtered
  bool raw = false;        ///< copied and no later step: samples keep their bits
  int alpha_channel = -1;  ///< left alone by epilogue and light
  bool premultiply = false;
  bool linear = false;
  std::optional<double> nodata{};  ///< as a value of the stored type
  double in_max = 1, out_max = 1;
  double gain = 1;
  bool epilogue = false;
  ValueRange range = ValueRange::code;
  std::vector<double> bias{};  ///< [channels]; empty: skipped
  bool rescale = false;        ///< depth mapping
};

[[nodiscard]] Rules rules_of(const ResampleSpec& spec, const Setup& setup);

/// Light of an sRGB value 0..1, and back.
[[nodiscard]] double light_of(double v);
[[nodiscard]] double srgb_of(double light);

}  // namespace upfirdn::oracle
