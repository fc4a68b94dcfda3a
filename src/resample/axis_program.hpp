#pragma once
/// An axis as the CPU executes it: source lines in order, each with its taps for the outputs that are under way. A line is a
/// row (vertical pass) or a column of several rows (horizontal pass).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/axis.hpp"

namespace upfirdn {

/// One source line. Slot s is the s-th output of those under way: the oldest first when rolling, else that of the group.
struct ProgramLine {
  std::int64_t source;      ///< index of the line, -1: beyond a zero or constant border
  std::uint64_t run_ends;   ///< four bits a slot: 1 + the levels that carry on where a run of taps ends with this line, else 0
  std::uint8_t first_slot;  ///< the line has taps for slots first_slot to before end_slot; taps of the others are 0
  std::uint8_t end_slot;
  bool completes;           ///< the oldest output is complete: the others move on (rolling only)
};

/// Reducing, outputs roll through `slots` accumulators from the first line to the last: each line is read once. Otherwise
/// groups of `slots` outputs are made one after the other, each from its own lines.
class AxisProgram {
 public:
  static constexpr int most_slots = 14;
  AxisProgram() = default;
  AxisProgram(const AxisView& axis, Border border);

  [[nodiscard]] bool rolling() const { return rolling_; }
  [[nodiscard]] int slots() const { return slots_; }
  /// Levels of sums of runs (SEMANTICS 5); 0 if no phase has more than one run.
  [[nodiscard]] int levels() const { return levels_; }
  [[nodiscard]] const ProgramLine* lines() const { return lines_.data(); }
  /// [line][slot]
  [[nodiscard]] const float* taps(std::int64_t line) const { return taps_.data() + line * slots_; }
  /// The line after the last that output `o` (rolling) or the group of output `o` needs.
  [[nodiscard]] std::int64_t end_line(std::int64_t o) const { return ends_[std::size_t(rolling_ ? o : o / slots_)]; }
  /// The first line that is for output `o` or its group, but for those that earlier outputs had read (rolling).
  [[nodiscard]] std::int64_t first_line(std::int64_t o) const {
    const std::int64_t unit = rolling_ ? o : o / slots_;
    return unit == 0 ? 0 : ends_[std::size_t(unit - 1)];
  }
  /// Rolling: the first line that is for output `o`. From there on sums that begin as zeros are complete for `o` and all after.
  [[nodiscard]] std::int64_t start_line(std::int64_t o) const { return starts_[std::size_t(o)]; }

 private:
  bool roll(const AxisView& axis, Border border);
  bool group(const AxisView& axis, Border border);
  void clear(int slots);
  bool add_line(const AxisView& axis, Border border, std::int64_t position, std::int64_t first, std::int64_t end);

  bool rolling_ = true;
  int slots_ = 1, levels_ = 0;
  std::vector<ProgramLine> lines_;
  std::vector<float> taps_;
  std::vector<std::int64_t> ends_, starts_;
};

}  // namespace upfirdn
