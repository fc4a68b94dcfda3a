#pragma once
/// A vertical axis seen from its input rows: which outputs each row adds to, and with which taps.

#include <optional>
#include <vector>

#include "core/axis.hpp"

namespace upfirdn::cuda {

inline constexpr int most_row_outputs = 8;  // taps stored for a row

/// Entry e serves input row base + e, and all rows `entries` apart where the axis repeats.
struct RowProgram {
  int base = 0, entries = 0;
  int most_outputs = 0;      ///< that one row adds to
  std::vector<int> program;  ///< [entry][2]: outputs under way + 256 if the oldest is complete after the row; number of the oldest
  std::vector<float> taps;   ///< [entry][most_row_outputs], from the oldest output on
};

/// Nullopt if outputs do not begin and end in order, if more than `most_row_outputs` are under way at once, or if the program
/// would be longer than 2^20 entries.
[[nodiscard]] std::optional<RowProgram> make_row_program(const Axis& axis);

}  // namespace upfirdn::cuda
