#pragma once
/// Parameters of the strip kernels.

#include <cstddef>
#include <cstdint>

#include "core/axis.hpp"
#include "core/host_device.hpp"
#include "kernels/window_table.hpp"

namespace upfirdn::cuda {

inline constexpr int most_strip_taps = 32;  // of an axis with compile-time factors
inline constexpr int most_strip_channels = 4;
inline constexpr int most_side_columns = 96;  // beyond the sides of the image that windows of a strip reach

/// What may follow the filter in a strip kernel: gain, then bias and activation in codes. Steps that do nothing have
/// neutral numbers (gain 1, bias -0, slope 1, infinite limit), which change no value.
struct AfterFilter {
  float gain, bias[most_strip_channels], slope, activation_gain, limit;
  bool relu;
  bool any;  ///< some step does something

  [[nodiscard]] UPFIRDN_HD float bias_of(int channel) const {
    return channel == 0 ? bias[0] : channel == 1 ? bias[1] : channel == 2 ? bias[2] : bias[3];
  }
  /// Without relu and limit.
  [[nodiscard]] UPFIRDN_HD float simple(float value, int channel) const {
    value = value * gain + bias_of(channel);
    value = value > 0.0f ? value : value * slope;
    return value * activation_gain;
  }
  [[nodiscard]] UPFIRDN_HD float operator()(float value, int channel) const {
    value = value * gain + bias_of(channel);
    const float below = relu ? (value != value ? value : 0.0f) : value * slope;
    value = value > 0.0f ? value : below;
    value = value * activation_gain;
    value = value > limit ? limit : value;
    return value < -limit ? -limit : value;
  }
};

/// Parameters of a strip kernel. Columns and units count samples: pixels times channels.
struct StripOperation {
  const std::byte* input;  ///< of image 0
  std::byte* output;
  std::size_t in_image_stride, out_image_stride;  ///< bytes
  unsigned in_stride, out_stride;                 ///< bytes
  int in_columns, in_rows, out_columns, out_rows, channels;
  Border border;
  int units;        ///< lanes that an image needs side by side
  int strips;       ///< blocks that an image needs side by side
  int strip_units;  ///< units of a strip; further lanes load what its ends need
  int segments, segment_rows;  ///< pieces of a strip; rows of output steps of one
  AfterFilter after;
  bool fast;  ///< neither relu nor limit follow; integer samples: values are finite and every code of the type is allowed
  float out_min, out_max;      ///< range of integer samples
  float minus_zero;            ///< -0
  unsigned long long* nan_samples;
  float x_taps[most_strip_taps];  ///< compile-time factors: phase by phase, in ascending position
  float y_taps[most_strip_taps];  ///< the same; reductions: for each row of a group, from the last tap that it meets to the first
  BasicAxisView<float> x, y;      ///< run-time factors, in device memory
  // Run-time factors:
  int strip_outputs;          ///< columns of a strip's output
  const float* row_taps;      ///< [entry][8], see RowProgram
  const int* row_program;     ///< [entry][2]
  int row_entries, row_base;  ///< entries; input row of entry 0
  const WindowEntry* windows; ///< [column of the output, in pixels], see WindowTable
  const float* window_taps;   ///< [step][column of the output][4]
};

}  // namespace upfirdn::cuda
