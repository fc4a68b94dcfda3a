#include "kernels/window_table.hpp"

#include <algorithm>

namespace upfirdn::cuda {

std::optional<WindowTable> make_window_table(const Axis& axis, Border border, int alignment) {
  constexpr std::size_t most_taps = std::size_t(1) << 26;
  const AxisView view = axis.view();
  const auto outputs = std::size_t(axis.out);
  const auto used = [&](const TapRun& run) { return border == Border::zero ? std::clamp<std::int64_t>(axis.in - run.first, 0, run.count) : run.count; };
  WindowTable table{.pitch = double(axis.step) / double(axis.period)};
  double least = 0, most = 0;
  std::int64_t last_end = 0;
  for (std::int64_t o = 0; o < axis.out; ++o) {
    const TapRun run = view.locate(o);
    const std::int64_t before = (run.first % alignment + alignment) % alignment, places = before + used(run);
    const WindowEntry window{int(run.first - before), int(before + (run.count > run_length ? 4 : 0) + 8 * places)};
    const std::int64_t end = run.first + run.count;
    if (o > 0 && (window.start < table.windows.back().start || end < last_end)) return std::nullopt;
    last_end = end;
    const double offset = double(window.start) - table.pitch * double(o);
    least = o == 0 ? offset : std::min(least, offset), most = o == 0 ? offset : std::max(most, offset);
    table.windows.push_back(window);
    table.steps = std::max(table.steps, int((places + window_step - 1) / window_step));
  }
  table.spread = most - least;
  if (std::size_t(table.steps) * outputs > most_taps / window_step) return std::nullopt;
  table.taps.resize(std::size_t(table.steps) * outputs * window_step);
  for (std::size_t o = 0; o < outputs; ++o) {
    const TapRun run = view.locate(std::int64_t(o));
    for (std::int64_t k = 0; k < used(run); ++k) {
      const auto place = std::size_t(k + table.windows[o].before());
      table.taps[(place / window_step * outputs + o) * window_step + place % window_step] = float(run.taps[k]);
    }
  }
  return table;
}

}  // namespace upfirdn::cuda
