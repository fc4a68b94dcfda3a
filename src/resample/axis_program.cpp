#include "resample/axis_program.hpp"

#include <algorithm>
#include <limits>

namespace upfirdn {
namespace {

std::int64_t last_position(const TapRun& run) { return run.first + run.count - 1; }

/// Levels of sums that `runs` runs of taps need.
int levels_of(std::int64_t runs) {
  int levels = 1;
  for (; runs >= run_length; runs /= run_length) ++levels;
  return levels;
}

/// Code of ProgramLine::run_ends for a run that ends with tap `k` of `count`.
std::uint64_t run_end_code(std::int64_t k, std::int64_t count) {
  if (count <= run_length || ((k + 1) % run_length != 0 && k + 1 != count)) return 0;
  std::uint64_t code = 1;
  if ((k + 1) % run_length == 0)
    for (std::int64_t runs = (k + 1) / run_length; runs % run_length == 0; runs /= run_length) ++code;
  return code;
}

/// Most outputs that a position has taps for.
std::int64_t most_under_way(const AxisView& axis) {
  std::int64_t most = 0, oldest = 0;
  for (std::int64_t o = 0; o < axis.out; ++o) {
    while (oldest < o && last_position(axis.locate(oldest)) < axis.locate(o).first) ++oldest;
    most = std::max(most, o - oldest + 1);
  }
  return most;
}

}  // namespace

AxisProgram::AxisProgram(const AxisView& axis, Border border) {
  if (axis.mode == AxisMode::gather) return;
  for (std::int64_t phase = 0; phase < std::min(axis.period, axis.out); ++phase)
    if (axis.count[phase] > run_length) levels_ = std::max(levels_, levels_of((axis.count[phase] + run_length - 1) / run_length));
  const std::int64_t most = std::max<std::int64_t>(most_under_way(axis), 1);
  if (axis.step >= axis.period && most <= most_slots) {
    clear(int(most <= 6 ? most : most <= 8 ? 8 : most <= 10 ? 10 : most_slots));
    if (roll(axis, border)) return;
  }
  rolling_ = false;
  clear(most > 2 * 8 ? 8 : 4);
  if (group(axis, border)) return;
  clear(1);
  (void)group(axis, border);
}

void AxisProgram::clear(int slots) {
  slots_ = slots;
  lines_.clear(), taps_.clear(), ends_.clear(), starts_.clear();
}

/// Adds a line for outputs `first` to before `end`, of which slot 0 is the first. False if those that have taps at `position` do
/// not stand side by side.
bool AxisProgram::add_line(const AxisView& axis, Border border, std::int64_t position, std::int64_t first, std::int64_t end) {
  ProgramLine line{source_index(position, axis.in, border), 0, 0, 0, false};
  const std::size_t at = taps_.size();
  taps_.resize(at + std::size_t(slots_), 0.0f);
  const bool nothing = line.source < 0 && border == Border::zero;
  for (std::int64_t o = first; o < end; ++o) {
    const TapRun run = axis.locate(o);
    const std::int64_t k = position - run.first;
    if (k < 0 || k >= run.count) continue;
    const auto slot = std::uint8_t(o - first);
    line.run_ends |= run_end_code(k, run.count) << (4 * slot);
    if (nothing) continue;
    if (line.end_slot == 0) line.first_slot = line.end_slot = slot;
    else if (line.end_slot != slot) return false;
    ++line.end_slot;
    taps_[at + slot] = float(run.taps[k]);
  }
  lines_.push_back(line);
  return true;
}

bool AxisProgram::roll(const AxisView& axis, Border border) {
  std::vector<std::int64_t> positions;  // of lines
  std::int64_t position = axis.locate(0).first;
  for (std::int64_t o = 0; o < axis.out; ++o) {
    const TapRun run = axis.locate(o);
    if (run.count == 0 || last_position(run) < position) return false;  // no line is left that could complete it
    position = std::max(position, run.first);
    for (; position <= last_position(run); ++position) {
      if (!add_line(axis, border, position, o, std::min(o + slots_, axis.out)) || lines_.back().first_slot != 0) return false;
      positions.push_back(position);
    }
    lines_.back().completes = true;
    ends_.push_back(std::int64_t(lines_.size()));
    starts_.push_back(std::lower_bound(positions.begin(), positions.end(), run.first) - positions.begin());
  }
  return true;
}

/// Lines that no output has taps for are left out: nobody reads them.
bool AxisProgram::group(const AxisView& axis, Border border) {
  for (std::int64_t first = 0; first < axis.out; first += slots_) {
    const std::int64_t end = std::min(first + slots_, axis.out);
    std::int64_t begin = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
    for (std::int64_t o = first; o < end; ++o) {
      const TapRun run = axis.locate(o);
      if (run.count == 0) continue;
      begin = std::min(begin, run.first), last = std::max(last, last_position(run));
    }
    for (std::int64_t position = begin; position <= last; ++position) {
      if (!add_line(axis, border, position, first, end)) return false;
      if (lines_.back().end_slot == 0 && lines_.back().run_ends == 0) lines_.pop_back(), taps_.resize(taps_.size() - std::size_t(slots_));
    }
    ends_.push_back(std::int64_t(lines_.size()));
  }
  return true;
}

}  // namespace upfirdn
