#pragma once
/// The loops over samples of the CPU backend, compiled for every instruction set and chosen at run time. All keep the
/// arithmetic contract (SEMANTICS 5): one correctly rounded multiply-add a tap, runs of 64 taps.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/pixel.hpp"
#include "resample/row_window.hpp"

namespace upfirdn {

/// `count` taps of which those from span.begin to span.end are used. Runs of 64 count from tap 0.
struct WeightedTaps {
  const float* taps;
  std::int64_t count;
  TapSpan span;
};

/// out[i] = sum over k of taps[k] * rows[k][i], i < n; rows[k] is read for k in the span only.
void sum_rows(const float* const* rows, const WeightedTaps& taps, std::int64_t n, float* out);

/// out[i] = sum over k of taps[k] * block[(k - span.begin) * n + i], i < n.
void sum_columns(const float* block, const WeightedTaps& taps, std::int64_t n, float* out);

/// Samples of any type as float, without further arithmetic.
void to_floats(PixelType type, const std::byte* samples, std::int64_t n, float* out);

/// Floats as samples: rounded half to even and clamped to [low, high], NaN as 0; floats keep their value, NaN as
/// 0x7fc00000. Returns how many NaN became 0.
std::int64_t from_floats(const float* values, std::int64_t n, float low, float high, PixelType type, std::byte* samples);

}  // namespace upfirdn
