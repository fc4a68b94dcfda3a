#include "kernels/row_program.hpp"

#include <algorithm>

namespace upfirdn::cuda {
namespace {

constexpr std::int64_t most_entries = std::int64_t(1) << 20;

/// Runs of taps of outputs of any number, also before the first, where the axis repeats.
class Runs {
 public:
  explicit Runs(const Axis& axis) : axis_(axis), repeats_(axis.out >= axis.period) {}
  [[nodiscard]] bool repeats() const { return repeats_; }
  [[nodiscard]] bool exists(std::int64_t o) const { return repeats_ || (o >= 0 && o < axis_.out); }
  [[nodiscard]] std::int64_t first(std::int64_t o) const { return axis_.first[phase(o)] + shift(o); }
  [[nodiscard]] std::int64_t last(std::int64_t o) const { return first(o) + axis_.count[phase(o)] - 1; }
  [[nodiscard]] float tap(std::int64_t o, std::int64_t k) const { return float(axis_.taps[std::size_t(axis_.offset[phase(o)] + k)]); }

 private:
  [[nodiscard]] std::int64_t cycle(std::int64_t o) const {
    return repeats_ ? (o >= 0 ? o / axis_.period : -((-o + axis_.period - 1) / axis_.period)) : 0;
  }
  [[nodiscard]] std::size_t phase(std::int64_t o) const { return std::size_t(o - cycle(o) * axis_.period); }
  [[nodiscard]] std::int64_t shift(std::int64_t o) const { return cycle(o) * axis_.step; }
  const Axis& axis_;
  bool repeats_;
};

bool in_order(const Runs& runs, const Axis& axis) {
  const std::int64_t pairs = runs.repeats() ? axis.period : axis.out - 1;
  for (std::int64_t o = 0; o < pairs; ++o)
    if (runs.first(o + 1) <= runs.first(o) || runs.last(o + 1) <= runs.last(o)) return false;
  return true;
}

}  // namespace

std::optional<RowProgram> make_row_program(const Axis& axis) {
  if (axis.mode != AxisMode::filter || axis.count.empty() || *std::min_element(axis.count.begin(), axis.count.end()) < 1)
    return std::nullopt;
  const Runs runs(axis);
  const std::int64_t base = runs.first(0), entries = runs.repeats() ? axis.step : runs.last(axis.out - 1) - base + 1;
  if (entries < 1 || entries > most_entries || !in_order(runs, axis)) return std::nullopt;
  RowProgram program{.base = int(base), .entries = int(entries)};
  std::int64_t oldest = 0;
  while (runs.exists(oldest - 1) && runs.last(oldest - 1) >= base) --oldest;
  for (std::int64_t row = base; row < base + entries; ++row) {
    int under_way = 0;
    while (runs.exists(oldest + under_way) && runs.first(oldest + under_way) <= row) ++under_way;
    if (under_way > most_row_outputs) return std::nullopt;
    program.most_outputs = std::max(program.most_outputs, under_way);
    const bool completes = under_way > 0 && runs.last(oldest) == row;
    const bool several_runs = completes && runs.last(oldest) - runs.first(oldest) >= run_length;
    int run_ends = 0;
    for (int i = 0; i < under_way; ++i)
      if ((row - runs.first(oldest + i) + 1) % run_length == 0 || row == runs.last(oldest + i)) run_ends |= 1 << i;
    program.program.push_back(RowCode::of(under_way, completes, several_runs, run_ends).bits);
    program.program.push_back(int(oldest));
    for (int i = 0; i < most_row_outputs; ++i)
      program.taps.push_back(i < under_way ? runs.tap(oldest + i, row - runs.first(oldest + i)) : 0.0f);
    if (completes) ++oldest;
  }
  return program;
}

std::optional<RowProgram> make_output_program(const Axis& axis) {
  const std::size_t phases = axis.count.size();
  if (axis.mode != AxisMode::filter || phases == 0 || std::int64_t(phases) > most_entries) return std::nullopt;
  RowProgram program{.entries = int(phases)};
  for (std::size_t p = 0; p < phases; ++p) {
    const std::int64_t last = axis.first[p] + axis.count[p] - 1;
    if (axis.count[p] < 1 || axis.count[p] > most_row_outputs) return std::nullopt;
    if (p > 0 && (axis.first[p] < axis.first[p - 1] || last < axis.first[p - 1] + axis.count[p - 1] - 1)) return std::nullopt;
    program.most_outputs = std::max(program.most_outputs, int(axis.count[p]));
    program.program.push_back(int(last));
    program.program.push_back(int(axis.count[p]));
    for (int i = 0; i < most_row_outputs; ++i) {
      const std::int64_t k = i - (most_row_outputs - axis.count[p]);
      program.taps.push_back(k < 0 ? 0.0f : float(axis.taps[std::size_t(axis.offset[p] + k)]));
    }
  }
  return program;
}

}  // namespace upfirdn::cuda
