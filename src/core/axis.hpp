#pragma once
/// All index arithmetic: which input positions an output uses, with which taps, and what lies beyond the border.

#include <cstdint>
#include <vector>

#include "core/host_device.hpp"

namespace upfirdn {

/// What stands beyond the ends of a row or column (SEMANTICS 1), for any distance.
enum class Border : std::uint8_t { zero, edge, reflect, mirror, wrap, constant };

/// Source index of position `i` on an axis of `n` samples, or -1 where the border supplies the value
/// (`zero`: nothing is there; `constant`: V).
UPFIRDN_HD inline std::int64_t source_index(std::int64_t i, std::int64_t n, Border border) {
  if (i >= 0 && i < n) return i;
  switch (border) {
    case Border::zero:
    case Border::constant: return -1;
    case Border::edge: return i < 0 ? 0 : n - 1;
    case Border::wrap: {
      const std::int64_t m = i % n;
      return m < 0 ? m + n : m;
    }
    case Border::reflect: {  // cba|abcd|dcb
      std::int64_t m = i % (2 * n);
      if (m < 0) m += 2 * n;
      return m < n ? m : 2 * n - 1 - m;
    }
    case Border::mirror: {  // dcb|abcd|cba
      if (n == 1) return 0;
      std::int64_t m = i % (2 * n - 2);
      if (m < 0) m += 2 * n - 2;
      return m < n ? m : 2 * n - 2 - m;
    }
  }
  return -1;
}

/// Taps of one output: input positions first, first + 1, ... first + count - 1 (before the border rule).
template <class Tap>
struct BasicTapRun {
  std::int64_t first;
  std::int64_t count;
  const Tap* taps;     ///< `count` taps; unused on a gathered axis
  std::int64_t phase;  ///< index of the phase
};

enum class AxisMode : std::uint8_t {
  filter,  ///< a FIR pass
  gather,  ///< samples are taken by index, without arithmetic: copied axes and `nearest`
};

/// Plain view of an axis for the CPU and CUDA. Pointers belong to an Axis or to device memory.
template <class Tap>
struct BasicAxisView {
  AxisMode mode;
  std::int64_t in, out;       ///< samples
  std::int64_t period, step;  ///< output o + period uses the taps of o, `step` input samples later
  const std::int64_t* first;  ///< [phases] first input position of outputs 0 .. period-1
  const std::int64_t* count;  ///< [phases] number of taps
  const std::int64_t* offset; ///< [phases] where the taps of the phase begin in `taps`
  const Tap* taps;

  [[nodiscard]] UPFIRDN_HD BasicTapRun<Tap> locate(std::int64_t output) const {
    const std::int64_t cycle = output / period;
    const std::int64_t phase = output - cycle * period;
    return {cycle * step + first[phase], count[phase], taps + offset[phase], phase};
  }
};

/// As a plan holds them.
using TapRun = BasicTapRun<double>;
using AxisView = BasicAxisView<double>;

/// One axis of a plan: a polyphase bank of min(period, out) phases (period = up, step = down, as the plan holds them).
struct Axis {
  AxisMode mode = AxisMode::filter;
  std::int64_t in = 0, out = 0;
  std::int64_t period = 1, step = 1;
  std::vector<std::int64_t> first, count, offset;
  std::vector<double> taps;  ///< floats, unless samples are filtered in float64

  [[nodiscard]] AxisView view() const {
    return {mode, in, out, period, step, first.data(), count.data(), offset.data(), taps.data()};
  }
  /// Appends a phase whose first tap falls on input position `position`.
  void add_phase(std::int64_t position, const std::vector<double>& phase_taps) {
    first.push_back(position);
    count.push_back(std::int64_t(phase_taps.size()));
    offset.push_back(std::int64_t(taps.size()));
    taps.insert(taps.end(), phase_taps.begin(), phase_taps.end());
  }
  [[nodiscard]] std::int64_t longest_phase() const {
    std::int64_t longest = 0;
    for (std::int64_t n : count) longest = n > longest ? n : longest;
    return longest;
  }
};

/// Taps in a phase are summed in runs of this many, the run sums in runs of as many, and so on (SEMANTICS 5).
inline constexpr std::int64_t run_length = 64;

/// Sums finished runs of taps in runs of 64, those sums in runs of 64, and so on; each from +0.
template <class Real>
class BasicRunSums {
 public:
  /// Takes the sum of the next run of 64 taps; the last run may be shorter.
  UPFIRDN_HD void add(Real run_sum) {
    ++runs_;
    last_run_ = run_sum;
    Real carry = run_sum;
    std::int64_t group = run_length;
    for (int i = 0; i < levels; ++i, group *= run_length) {
      level_[i] += carry;
      if (runs_ % group != 0) return;
      carry = level_[i];
      level_[i] = 0;
    }
  }
  /// The total. One run: its sum is the result, a negative zero included; none: +0.
  [[nodiscard]] UPFIRDN_HD Real total() const {
    if (runs_ <= 1) return last_run_;
    Real sum = level_[0];
    for (int i = 1; i < levels; ++i) sum = level_[i] + sum;
    return sum;
  }

 private:
  static constexpr int levels = 6;  // 64^6 runs: beyond any image
  Real level_[levels] = {};
  Real last_run_ = 0;
  std::int64_t runs_ = 0;
};
using RunSums = BasicRunSums<float>;

}  // namespace upfirdn
