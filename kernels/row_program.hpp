#pragma once
/// A vertical axis as kernels with run-time factors walk it: row by row, with the taps of each step in one place.

#include <optional>
#include <vector>

#include "core/axis.hpp"
#include "core/host_device.hpp"

namespace upfirdn::cuda {

inline constexpr int most_row_outputs = 8;  // taps stored for a row

/// What happens at a row: the outputs under way; whether the oldest is complete after it, and whether that has more than one run
/// of taps; whether the last row of a run (SEMANTICS 5) of the output that is `i` after the oldest is this.
struct RowCode {
  int bits = 0;
  [[nodiscard]] static constexpr RowCode of(int outputs, bool completes, bool several_runs, int run_ends) {
    return {outputs + (completes ? 16 : 0) + (several_runs ? 32 : 0) + 256 * run_ends};
  }
  [[nodiscard]] UPFIRDN_HD int outputs() const { return bits & 15; }
  [[nodiscard]] UPFIRDN_HD bool completes() const { return (bits & 16) != 0; }
  [[nodiscard]] UPFIRDN_HD bool several_runs() const { return (bits & 32) != 0; }
  [[nodiscard]] UPFIRDN_HD bool any_run_ends() const { return bits >= 256; }
  [[nodiscard]] UPFIRDN_HD bool run_ends(int i) const { return (bits >> (8 + i) & 1) != 0; }
};

/// For reductions, by input rows: entry e serves row base + e, and all rows `entries` apart where the axis repeats.
struct RowProgram {
  int base = 0, entries = 0;
  int most_outputs = 0;      ///< that one row adds to
  std::vector<int> program;  ///< [entry][2]: what RowCode says of the row; number of the oldest output under way
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
