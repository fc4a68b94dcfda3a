#pragma once
/// Definition of StripLauncher, included once for each sample type.

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "kernels/cuda_resources.hpp"
#include "kernels/enlarge.cuh"
#include "kernels/enlarge_ratio.cuh"
#include "kernels/reduce.cuh"
#include "kernels/reduce_ratio.cuh"
#include "kernels/strip_launch.hpp"
#include "kernels/tuning.hpp"

namespace upfirdn::cuda {
namespace {

/// Blocks of one kernel that a multiprocessor holds, by device and size of the block. Asked for once each.
template <class Kernel>
class Residency {
 public:
  explicit Residency(Kernel kernel) : kernel_(kernel) {}
  /// 0 if not one fits.
  int blocks(int device, int warps, std::size_t shared_bytes) {
    const std::lock_guard lock(mutex_);
    if (const auto known = blocks_.find({device, warps}); known != blocks_.end()) return known->second;
    if (most_shared_.count(device) == 0) allow_shared(device);
    int blocks = 0;
    if (shared_bytes <= std::size_t(most_shared_[device]))
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_, 32 * warps, shared_bytes), "asking for the occupancy");
    return blocks_[{device, warps}] = blocks;
  }

 private:
  void allow_shared(int device) {
    int most = 0;
    cudaFuncAttributes attributes{};
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking for shared memory");
    check(cudaFuncGetAttributes(&attributes, kernel_), "asking for a kernel");
    most -= int(attributes.sharedSizeBytes);
    check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "asking for shared memory");
    most_shared_[device] = most;
  }
  Kernel kernel_;
  std::mutex mutex_;
  std::map<std::pair<int, int>, int> blocks_;
  std::map<int, int> most_shared_;
};

/// How an image is cut into strips: blocks of `warps` warps, of which `resident` share a multiprocessor.
struct Cut {
  int warps = 0, resident = 0, strips = 0, strip_units = 0;
};

/// The cut that wastes least. A strip of n lanes serves `served_by`(n) units.
template <class Kernel, class Served, class SharedBytes>
Cut cut_units(Residency<Kernel>& residency, int device, int units, Served&& served_by, int max_warps, int enough, SharedBytes&& shared_bytes) {
  Cut best;
  double most = 0;
  for (int warps = 1; warps <= max_warps; ++warps) {
    const int lanes = 32 * warps, served = served_by(lanes);
    const int resident = served < 1 ? 0 : residency.blocks(device, warps, shared_bytes(lanes));
    if (resident == 0) continue;
    const int strips = (units + served - 1) / served;
    const double used = double(units) / (double(strips) * lanes) * std::min(1.0, double(resident * warps) / enough);
    if (used >= most) most = used, best = {warps, resident, strips, served};  // of equal ones the widest
    if (strips == 1) break;
  }
  return best;
}

/// Cuts the strips of all images into segments of `steps` output steps so that the last wave of blocks is well filled.
/// `lead` steps are read again by each segment.
void cut_segments(StripOperation& op, std::int64_t strips_of_all, int steps, int lead, std::int64_t resident_blocks) {
  double best = 0;
  for (int segments = 1; segments <= std::min(steps, 512); ++segments) {
    const int length = (steps + segments - 1) / segments;
    const int used = (steps + length - 1) / length;
    if (used != segments) continue;
    const std::int64_t waves = (strips_of_all * segments + resident_blocks - 1) / resident_blocks;
    const double cost = double(waves) * (length + lead + 4);
    if (best == 0 || cost < best) best = cost, op.segments = segments, op.segment_rows = length;
  }
}

template <class Kernel>
void launch_blocks(Kernel kernel, int device, const Cut& cut, std::size_t shared_bytes, StripOperation op, int images, int steps, int lead,
                   cudaStream_t stream) {
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "asking for the multiprocessors");
  const std::int64_t strips = std::int64_t(op.strips) * images;
  cut_segments(op, strips, steps, lead, std::int64_t(processors) * cut.resident);
  kernel<<<unsigned(strips * op.segments), unsigned(32 * cut.warps), shared_bytes, stream>>>(op);
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  return device;
}

/// True if all that stands in columns `left` to before `right_end` beyond the sides of the image is copied from columns `from` to
/// before `to`, and if Rows can hold so much.
template <class Rows>
bool sides_within(const Operation& op, std::int64_t left, std::int64_t right_end, std::int64_t from, std::int64_t to) {
  if (op.border == Border::zero) return true;
  const std::int64_t channels = op.input.channels, columns = op.input.width * channels;
  const std::int64_t lefts = std::max<std::int64_t>(-left, 0), rights = std::max<std::int64_t>(right_end - columns, 0);
  if ((!Rows::wide_sides && lefts + rights > most_side_columns) || std::max(lefts, rights) > columns - channels) return false;
  const auto has_source = [&](std::int64_t column) {
    const std::int64_t channel = (column % channels + channels) % channels;
    const std::int64_t source = source_index((column - channel) / channels, op.input.width, op.border) * channels + channel;
    return source >= from && source < to;
  };
  for (std::int64_t column = -lefts; column < 0; ++column)
    if (!has_source(column)) return false;
  for (std::int64_t column = columns; column < columns + rights; ++column)
    if (!has_source(column)) return false;
  return true;
}

int round_up(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

/// The strips that may meet a side of the image.
template <class F>
bool all_side_strips(int strips, F&& f) {
  for (const int strip : {0, 1, strips - 2, strips - 1})
    if (strip >= 0 && strip < strips && !f(strip)) return false;
  return true;
}

int units_of(std::int64_t samples, int each) { return int((samples + each - 1) / each); }

/// sides_within() for strips of lanes that load `columns` each.
template <class Shape>
bool unit_sides_within(const StripOperation& op, const Operation& planned, int lanes, int columns) {
  return all_side_strips(op.strips, [&](int strip) {
    const std::int64_t made = op.strips > 1 ? std::min(strip * op.strip_units, op.units - op.strip_units) : 0;
    const std::int64_t first = made - (op.strips > 1 ? Shape::left_lanes : 0);
    const std::int64_t last = std::min<std::int64_t>(made + op.strip_units, units_of(op.out_columns, Shape::outputs)) - 1;
    return sides_within<typename Shape::Rows>(planned, made * columns + Shape::start, last * columns + Shape::start + Shape::window, first * columns, (first + lanes) * columns);
  });
}

/// Launches a kernel with compile-time factors whose lanes load `columns` each; `window_end` is the end of the last window.
template <class Shape, class Kernel>
bool launch_units(Residency<Kernel>& residency, Kernel kernel, StripOperation op, const Operation& planned, int columns, std::int64_t window_end,
                  int max_warps, int enough, int images, int steps, int lead, cudaStream_t stream) {
  if (round_up(op.in_columns, Shape::piece) < columns) return false;
  op.units = std::max(units_of(op.out_columns, Shape::outputs), units_of(std::min<std::int64_t>(window_end, op.in_columns), columns));
  const int device = current_device();
  const auto served_by = [&](int lanes) { return op.units <= lanes ? lanes : lanes - (Shape::left_lanes + Shape::right_lanes); };
  const Cut cut = cut_units(residency, device, op.units, served_by, max_warps, enough, Shape::Rows::bytes);
  if (cut.warps == 0) return false;
  op.strips = cut.strips, op.strip_units = cut.strip_units;
  const int lanes = 32 * cut.warps;
  if (!unit_sides_within<Shape>(op, planned, lanes, columns)) return false;
  launch_blocks(kernel, device, cut, Shape::Rows::bytes(lanes), op, images, steps, lead, stream);
  return true;
}

template <class S, int Row, int Channels>
bool launch_row(const StripOperation& op, const Operation& planned, int images, cudaStream_t stream) {
  constexpr StripRow row = strip_rows[Row];
  constexpr BlockTuning tuning = tuning_of(row, sizeof(S), Channels);
  const std::int64_t last_pixel = op.out_columns / Channels - 1;
  if constexpr (row.up == 1) {
    using Shape = ReduceShape<S, Channels, row.down, row.taps, strip_columns(sizeof(S), Channels), row.stage_rows>;
    constexpr auto kernel = reduce_kernel<S, Channels, row.down, row.taps, Shape::columns, row.stage_rows, tuning.max_warps, tuning.min_blocks>;
    static Residency residency(kernel);
    return launch_units<Shape>(residency, kernel, op, planned, Shape::columns, (last_pixel * row.down + Shape::first + row.taps) * Channels,
                               tuning.max_warps, enough_warps(sizeof(S), false), images, op.out_rows, Shape::groups - 1, stream);
  } else {
    using Shape = EnlargeShape<S, Channels, row.up, row.taps>;
    constexpr auto kernel = enlarge_kernel<S, Channels, row.up, row.taps, tuning.max_warps, tuning.min_blocks>;
    static Residency residency(kernel);
    return launch_units<Shape>(residency, kernel, op, planned, Shape::inputs, (last_pixel / row.up + Shape::first + Shape::taps + 1) * Channels,
                               tuning.max_warps, enough_warps(sizeof(S), true), images, (op.out_rows - 1 - Shape::late + row.up) / row.up + 1,
                               Shape::taps - 1, stream);
  }
}

/// Calls f(number, channels) with `row` and the channels of `op` as compile-time constants.
template <class F, int... Rows>
bool with_constants(int row, int channels, F&& f, std::integer_sequence<int, Rows...>) {
  bool launched = false;
  const auto one = [&]<int Row>(std::integral_constant<int, Row> number) {
    launched = channels == 1 ? f(number, std::integral_constant<int, 1>{}) : f(number, std::integral_constant<int, 3>{});
  };
  (void)((row == Rows && (one(std::integral_constant<int, Rows>{}), true)) || ...);
  return launched;
}

/// Positions across as ratio kernels see them.
struct Windows {
  const Axis& axis;
  int taps, channels;
  [[nodiscard]] std::int64_t end(std::int64_t x) const {
    const TapRun run = axis.view().locate(x);
    return (run.first + run.count) * channels;
  }
  /// Of the window of a sample, its unused places before the first tap included.
  [[nodiscard]] std::int64_t start(std::int64_t sample) const {
    return end(sample / channels) - std::int64_t(taps) * channels + sample % channels;
  }
  /// Most columns that a strip of `pixels` outputs needs, wherever it begins.
  [[nodiscard]] std::int64_t span(std::int64_t pixels) const {
    std::int64_t most = 0;
    const std::int64_t phases = std::min(axis.period, axis.out);
    for (std::int64_t x = 0; x < phases && x + pixels <= axis.out; ++x)
      most = std::max(most, end(x + pixels - 1) - end(x) + std::int64_t(taps) * channels + ratio_alignment - 1);
    return most;
  }
  /// Most pixels, at most `most`, whose windows `held` columns hold.
  [[nodiscard]] int fitting(std::int64_t most, std::int64_t held) const {
    std::int64_t low = 0, high = std::min(most, axis.out);
    while (low < high) {
      const std::int64_t middle = (low + high + 1) / 2;
      if (span(middle) <= held) low = middle;
      else high = middle - 1;
    }
    return int(low);
  }
};

bool ends_in_order(const Axis& axis) {
  for (std::size_t p = 1; p < axis.first.size(); ++p)
    if (axis.first[p] + axis.count[p] < axis.first[p - 1] + axis.count[p - 1]) return false;
  return axis.out < axis.period || axis.first[0] + axis.count[0] + axis.step >= axis.first.back() + axis.count.back();
}

/// Launches a kernel with run-time factors whose lanes load `columns` each and make at most `lane_outputs` (0: any number). One of
/// several strips of n lanes serves `served_by`(n) pixels; `sides` gives the first and the end of the columns that the windows of
/// some pixels reach.
template <class Rows, class Kernel, class Served, class Sides, class SharedBytes>
bool launch_pixels(Residency<Kernel>& residency, Kernel kernel, StripOperation op, const Operation& planned, int columns, int lane_outputs,
                   Served&& served_by, Sides&& sides, SharedBytes&& shared_bytes, int max_warps, int enough, int images, cudaStream_t stream) {
  if (op.in_columns < columns) return false;
  const int device = current_device(), pixels = op.out_columns / op.channels;
  const auto all_in_one = [&](int lanes) {
    const auto [left, right_end] = sides(0, pixels - 1);
    const std::int64_t end = ratio_first_column(left) + std::int64_t(lanes) * columns;
    return end >= op.in_columns && end + ratio_overhang >= right_end + window_step && (lane_outputs == 0 || lanes * lane_outputs >= op.out_columns);
  };
  const auto served = [&](int lanes) { return all_in_one(lanes) ? pixels : int(std::min<std::int64_t>(served_by(lanes), pixels)); };
  const Cut cut = cut_units(residency, device, pixels, served, max_warps, enough, shared_bytes);
  if (cut.warps == 0) return false;
  op.strips = cut.strips, op.strip_outputs = units_of(pixels, cut.strips) * op.channels;
  const int lanes = 32 * cut.warps;
  const bool fits = all_side_strips(op.strips, [&](int strip) {
    const std::int64_t first = std::min(strip * op.strip_outputs, op.out_columns - op.strip_outputs) / op.channels;
    const auto [left, right_end] = sides(first, first + op.strip_outputs / op.channels - 1);
    const std::int64_t from = ratio_first_column(left);
    return sides_within<Rows>(planned, left, right_end, from, from + std::int64_t(lanes) * columns);
  });
  if (!fits) return false;
  const int lead = int(double(planned.y.longest_phase()) * double(planned.y.period) / double(planned.y.step));
  launch_blocks(kernel, device, cut, shared_bytes(lanes), op, images, op.out_rows, lead, stream);
  return true;
}

template <class S, int Row, int Channels>
bool launch_reduce_ratio_row(const StripOperation& op, const Operation& planned, const WindowTable& table, int images, cudaStream_t stream) {
  constexpr ReduceRatioRow row = reduce_ratio_rows[Row];
  constexpr BlockTuning tuning = sizeof(S) == 4 ? row.wide : row.narrow;
  using Shape = ReduceRatioShape<S, row.long_phases>;
  constexpr auto kernel = reduce_ratio_kernel<S, Channels, row.outputs, row.long_phases, tuning.max_warps, tuning.min_blocks>;
  static Residency residency(kernel);
  const auto served_by = [&](int lanes) { return table.fitting((lanes * Shape::columns - ratio_alignment + 1) / Channels); };
  const auto sides = [&](std::int64_t first, std::int64_t last) {
    const WindowEntry& end = table.windows[std::size_t(last)];
    return std::pair{std::int64_t(table.windows[std::size_t(first)].start) * Channels, std::int64_t(end.start + end.places()) * Channels};
  };
  return launch_pixels<typename Shape::Rows>(residency, kernel, op, planned, Shape::columns, 0, served_by, sides, Shape::shared_bytes, tuning.max_warps,
                                             enough_warps(sizeof(S), false), images, stream);
}

template <class S, int Row, int Channels>
bool launch_enlarge_ratio_row(const StripOperation& op, const Operation& planned, int images, cudaStream_t stream) {
  constexpr EnlargeRatioRow row = enlarge_ratio_rows[Row];
  constexpr auto kernel = enlarge_ratio_kernel<S, Channels, row.rows, row.taps, row.outputs, row.block.max_warps, row.block.min_blocks>;
  static Residency residency(kernel);
  if (!ends_in_order(planned.x)) return false;
  const Windows windows{planned.x, row.taps, Channels};
  const auto served_by = [&](int lanes) { return windows.fitting(lanes * row.outputs / Channels, lanes * enlarge_ratio_columns); };
  const auto sides = [&](std::int64_t first, std::int64_t last) {
    return std::pair{ratio_first_column(windows.start(first * Channels)), windows.end(last)};
  };
  return launch_pixels<EnlargeRatioRows>(residency, kernel, op, planned, enlarge_ratio_columns, row.outputs, served_by, sides, ratio_shared_bytes<EnlargeRatioRows>, row.block.max_warps,
                                         enough_warps(sizeof(S), true), images, stream);
}

}  // namespace

template <class S>
bool StripLauncher<S>::launch(int row, const StripOperation& op, const Operation& planned, int images, cudaStream_t stream) {
  const auto launch = [&]<int Row, int Channels>(std::integral_constant<int, Row>, std::integral_constant<int, Channels>) {
    return launch_row<S, Row, Channels>(op, planned, images, stream);
  };
  return with_constants(row, op.channels, launch, std::make_integer_sequence<int, strip_row_count>{});
}

template <class S>
bool StripLauncher<S>::launch_reduce_ratio(int row, const StripOperation& op, const Operation& planned, const WindowTable& table, int images,
                                           cudaStream_t stream) {
  const auto launch = [&]<int Row, int Channels>(std::integral_constant<int, Row>, std::integral_constant<int, Channels>) {
    return launch_reduce_ratio_row<S, Row, Channels>(op, planned, table, images, stream);
  };
  return with_constants(row, op.channels, launch, std::make_integer_sequence<int, reduce_ratio_row_count>{});
}

template <class S>
bool StripLauncher<S>::launch_enlarge_ratio(int row, const StripOperation& op, const Operation& planned, int images, cudaStream_t stream) {
  const auto launch = [&]<int Row, int Channels>(std::integral_constant<int, Row>, std::integral_constant<int, Channels>) {
    return launch_enlarge_ratio_row<S, Row, Channels>(op, planned, images, stream);
  };
  return with_constants(row, op.channels, launch, std::make_integer_sequence<int, enlarge_ratio_row_count>{});
}

}  // namespace upfirdn::cuda
