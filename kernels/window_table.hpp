#pragma once
/// A horizontal axis as reductions with run-time factors walk it: a window of places for each output, four places a step.

#include <optional>
#include <vector>

#include "core/axis.hpp"

namespace upfirdn::cuda {

inline constexpr int window_step = 4;  // places

/// A window of the table as kernels read it.
struct WindowEntry {
  int start;   ///< position of the first place; the alignment divides it
  int layout;  ///< places before the first tap + 4 if the phase has more than one run of taps + 8 * places

  [[nodiscard]] UPFIRDN_HD int before() const { return layout & 3; }
  [[nodiscard]] UPFIRDN_HD bool several_runs() const { return (layout & 4) != 0; }
  [[nodiscard]] UPFIRDN_HD int places() const { return layout >> 3; }
};

/// Places before the first tap hold taps 0. Taps beyond a zero border at the end of the axis have no place; those before its
/// start have one.
struct WindowTable {
  int steps = 0;                     ///< of the longest window
  double pitch = 0, spread = 0;      ///< window o begins at pitch o + c to pitch o + c + spread, for some c
  std::vector<WindowEntry> windows;  ///< [output]
  std::vector<float> taps;           ///< [step][output][4]

  /// Outputs, at least 0, whose windows stand in `places` places, wherever they begin.
  [[nodiscard]] std::int64_t fitting(std::int64_t places) const {
    const double room = double(places - window_step * steps) - spread;
    return room < 0 ? 0 : 1 + std::int64_t(room / pitch);
  }
};

/// `alignment`: 1, 2 or 4. Nullopt if windows do not begin and end in order, or if taps would take more than 2^28 bytes.
[[nodiscard]] std::optional<WindowTable> make_window_table(const Axis& axis, Border border, int alignment);

}  // namespace upfirdn::cuda
