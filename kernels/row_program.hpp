#pragma once
/// A vertical axis as kernels with run-time factors walk it: row by row, with the taps of each step in one place.

#include <optional>
#include <vector>

#include "core/axis.hpp"

namespace upfirdn::cuda {

inline constexpr int most_row_outputs = 8;  // taps stored for a row

/// For reductions, by input rows: entry e serves row base + e, and all rows `entries` apart where the axis repeats.
struct RowProgram {
  int base = 0, entries = 0;
  int most_outputs = 0;      ///< that one row adds to
  std::vector<int> program;  ///< [entry][2]: outputs under way + 256 if the oldest is complete after the row; number of the oldest
  std::vector<float> taps;   ///< [entry][most_row_outputs], from the oldest output on
};

/// Nullopt if outputs do not begin and end in order, if more than `most_row_outputs` are under way at once, or if the program
/// would be longer than 2^20 entries.
[[nodiscard]] std::optional<RowProgram> make_row_program(const Axis& axis);

/// The same for enlargements, by outputs: entry e serves output e and all `entries` apart. `program` holds the last input row and
/// the number of taps, `taps` the taps, right-aligned. Nullopt if there are more than `most_row_outputs`, none, or if rows do not
/// come in order.
[[nodiscard]] std::optional<RowProgram> make_output_program(const Axis& axis);

}  // namespace upfirdn::cuda
