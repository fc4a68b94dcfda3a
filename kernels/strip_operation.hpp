#pragma once
/// Parameters of the strip kernels.

#include <cstddef>
#include <cstdint>

#include "core/axis.hpp"
#include "core/host_device.hpp"

namespace upfirdn::cuda {

inline constexpr int strip_warps = 4;       // of a block: neighbouring strips
inline constexpr int most_strip_taps = 32;  // of an axis with compile-time factors

inline constexpr int most_strip_channels = 4;

/// What may follow the filter in a strip kernel: gain, then bias and activation in codes. Steps that do nothing have
/// neutral numbers (gain 1, bias -0, slope 1, infinite limit), which change no value.
struct AfterFilter {
  float gain, bias[most_strip_channels], slope, activation_gain, limit;
  bool relu;

  [[nodiscard]] UPFIRDN_HD float operator()(float value, int channel) const {
    value = value * gain + (channel == 0 ? bias[0] : channel == 1 ? bias[1] : channel == 2 ? bias[2] : bias[3]);
    const float below = relu ? (value != value ? value : 0.0f) : value * slope;
    value = value > 0.0f ? value : below;
    value = value * activation_gain;
    value = value > limit ? limit : value;
    return value < -limit ? -limit : value;
  }
};

/// Parameters of a strip kernel. Columns count samples: pixels times channels.
struct StripOperation {
  const std::byte* input;  ///< of image 0
  std::byte* output;
  std::size_t in_stride, out_stride, in_image_stride, out_image_stride;  ///< bytes
  int in_columns, in_rows, out_columns, out_rows, channels;
  Border border;
  std::int64_t warps;                  ///< strips * segments * images
  int strips, segments, segment_rows;  ///< rows of output steps a segment
  bool plain;                          ///< what follows the filter is rounding only
  AfterFilter after;
  float out_min, out_max;              ///< range of integer samples
  unsigned long long* nan_samples;
  float x_taps[most_strip_taps], y_taps[most_strip_taps];  ///< compile-time factors: phase by phase, in ascending position
  AxisView x, y;                                           ///< run-time factors, in device memory
  // Run-time factors:
  int strip_outputs, strip_lanes;  ///< columns of a strip's output; lanes that load for it
  const float* row_taps;      ///< [entry][8], see RowProgram
  const int* row_program;     ///< [entry][2]
  int row_entries, row_base;  ///< entries; input row of entry 0
};

}  // namespace upfirdn::cuda
