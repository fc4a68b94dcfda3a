#pragma once
/// Definition of StripLauncher, included once for each sample type.

#include <algorithm>
#include <utility>

#include "kernels/cuda_resources.hpp"
#include "kernels/enlarge.cuh"
#include "kernels/ratio.cuh"
#include "kernels/reduce.cuh"
#include "kernels/strip_launch.hpp"
#include "kernels/tuning.hpp"

namespace upfirdn::cuda {
namespace {

/// True if what lies beyond the sides of the image can be taken from the strip itself, for strips of `held` columns of which
/// strip i begins at `first(i)`; `end` is the end of the last window.
template <class First>
bool sides_within(const Operation& op, int strips, int held, std::int64_t end, First&& first) {
  if (op.border == Border::zero) return true;
  const std::int64_t channels = op.input.channels, columns = op.input.width * channels;
  for (const int strip : {0, 1, strips - 2, strips - 1}) {
    if (strip < 0 || strip >= strips) continue;
    const std::int64_t from = first(strip), to = std::min(end, from + held);
    if (std::max<std::int64_t>(-from, 0) + std::max<std::int64_t>(to - std::max(columns, from), 0) > 96) return false;
    for (std::int64_t column = from; column < to; ++column) {
      if (column >= 0 && column < columns) continue;
      const std::int64_t channel = (column % channels + channels) % channels;
      const std::int64_t source = source_index((column - channel) / channels, op.input.width, op.border) * channels + channel;
      if (source < from || source >= from + held) return false;
    }
  }
  return true;
}

/// Splits the strips of all images into segments of `steps` output steps so that the last wave of warps is well filled.
/// `lead` steps are read again by each segment.
void cut_segments(StripOperation& op, std::int64_t strips_of_all, int steps, int lead, std::int64_t resident_warps) {
  double best = 0;
  for (int segments = 1; segments <= std::min(steps, 512); ++segments) {
    const int length = (steps + segments - 1) / segments;
    const int used = (steps + length - 1) / length;
    if (used != segments) continue;
    const std::int64_t waves = (strips_of_all * segments + resident_warps - 1) / resident_warps;
    // Full waves take turns freely; only the last one waits for its slowest warp.
    const double cost = double(waves) * (length + lead + 4);
    if (best == 0 || cost < best) best = cost, op.segments = segments, op.segment_rows = length;
  }
}

template <class Kernel>
void launch_warps(Kernel kernel, std::size_t shared_bytes, StripOperation op, int images, int steps, int lead, cudaStream_t stream) {
  int device = 0, processors = 0, blocks = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "asking for the multiprocessors");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes)), "asking for shared memory");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32 * strip_warps, shared_bytes), "asking for the occupancy");
  const std::int64_t strips = std::int64_t(op.strips) * images;
  cut_segments(op, strips, steps, lead, std::int64_t(processors) * blocks * strip_warps);
  op.warps = strips * op.segments;
  kernel<<<unsigned((op.warps + strip_warps - 1) / strip_warps), 32 * strip_warps, shared_bytes, stream>>>(op);
}

template <class S, int Row, int Channels>
bool launch_row(StripOperation op, const Operation& planned, int images, cudaStream_t stream) {
  constexpr StripTuning tuning = tuning_of<S>(Row, Channels);
  constexpr int up = strip_rows[Row].up, down = strip_rows[Row].down, taps = strip_rows[Row].taps;
  const auto launch = [&]<class Shape>(auto kernel, Shape, int held, int steps, int lead) {
    op.strips = (op.out_columns + Shape::strip_outputs - 1) / Shape::strip_outputs;
    const auto first = [](std::int64_t strip) { return Shape::first_column(strip * Shape::strip_outputs); };
    if (!sides_within(planned, op.strips, held, Shape::end_column(op.out_columns), first)) return false;
    launch_warps(kernel, sizeof(typename Shape::template Memory<tuning.stages>), op, images, steps, lead, stream);
    return true;
  };
  if constexpr (up == 1) {
    using Shape = ReduceShape<S, Channels, down, taps>;
    return launch(reduce_kernel<S, Channels, down, taps, tuning.stages, tuning.min_blocks>, Shape{}, 32 * Shape::columns, op.out_rows,
                  Shape::groups - 1);
  } else {
    using Shape = EnlargeShape<S, Channels, up, taps>;
    return launch(enlarge_kernel<S, Channels, up, taps, tuning.stages, tuning.min_blocks>, Shape{}, Shape::held,
                  (op.out_rows - 1 - Shape::late + up) / up + 1, Shape::taps - 1);
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
  [[nodiscard]] std::int64_t first_column(std::int64_t sample) const {
    const std::int64_t start = end(sample / channels) - std::int64_t(taps) * channels;
    return (start >= 0 ? start / ratio_alignment : -((-start + ratio_alignment - 1) / ratio_alignment)) * ratio_alignment;
  }
  /// Most columns that a strip of `pixels` outputs needs, wherever it begins.
  [[nodiscard]] std::int64_t span(std::int64_t pixels) const {
    std::int64_t most = 0;
    const std::int64_t phases = std::min(axis.period, axis.out);
    for (std::int64_t x = 0; x < phases && x + pixels <= axis.out; ++x)
      most = std::max(most, end(x + pixels - 1) - end(x) + std::int64_t(taps) * channels + ratio_alignment - 1);
    return most;
  }
};

/// Chooses how many outputs a strip makes and how many lanes load for it; false if not even a few fit.
bool cut_strips(StripOperation& op, const Windows& windows, int most_outputs) {
  std::int64_t low = 0, high = std::min<std::int64_t>(most_outputs / op.channels, windows.axis.out);
  while (low < high) {  // the most pixels whose windows are held
    const std::int64_t middle = (low + high + 1) / 2;
    if (windows.span(middle) <= ratio_held) low = middle;
    else high = middle - 1;
  }
  if (low < 1) return false;
  op.strip_outputs = int(low) * op.channels;
  op.strip_lanes = int((windows.span(low) + ratio_columns - 1) / ratio_columns);
  op.strips = (op.out_columns + op.strip_outputs - 1) / op.strip_outputs;
  return true;
}

bool ends_in_order(const Axis& axis) {
  for (std::size_t p = 1; p < axis.first.size(); ++p)
    if (axis.first[p] + axis.count[p] < axis.first[p - 1] + axis.count[p - 1]) return false;
  return axis.out < axis.period || axis.first[0] + axis.count[0] + axis.step >= axis.first.back() + axis.count.back();
}

template <class S, int Row, int Channels>
bool launch_ratio_row(StripOperation op, const Operation& planned, int images, cudaStream_t stream) {
  constexpr RatioRow row = ratio_rows[Row];
  constexpr StripTuning tuning = tuning_of<S>(row);
  const Windows windows{planned.x, row.taps, op.channels};
  if (!ends_in_order(planned.x) || !cut_strips(op, windows, 32 * row.outputs)) return false;
  const auto first = [&](std::int64_t strip) { return windows.first_column(strip * op.strip_outputs); };
  if (!sides_within(planned, op.strips, op.strip_lanes * ratio_columns, windows.end(planned.x.out - 1), first)) return false;
  const int lead = int(double(planned.y.longest_phase()) * double(planned.y.period) / double(planned.y.step));
  if constexpr (row.reduces)
    launch_warps(reduce_ratio_kernel<S, Channels, row.slots, row.taps, row.outputs, tuning.stages, tuning.min_blocks>,
                 sizeof(RatioMemory<S, tuning.stages>), op, images, op.out_rows, lead, stream);
  else
    launch_warps(enlarge_ratio_kernel<S, Channels, row.slots, row.taps, row.outputs, tuning.stages, tuning.min_blocks>,
                 sizeof(RatioMemory<S, tuning.stages>), op, images, op.out_rows, lead, stream);
  return true;
}

}  // namespace

template <class S>
bool StripLauncher<S>::launch_ratio(int row, const StripOperation& op, const Operation& planned, int images, cudaStream_t stream) {
  const auto launch = [&]<int Row, int Channels>(std::integral_constant<int, Row>, std::integral_constant<int, Channels>) {
    return launch_ratio_row<S, Row, Channels>(op, planned, images, stream);
  };
  return with_constants(row, op.channels, launch, std::make_integer_sequence<int, ratio_row_count>{});
}

template <class S>
bool StripLauncher<S>::launch(int row, const StripOperation& op, const Operation& planned, int images, cudaStream_t stream) {
  const auto launch = [&]<int Row, int Channels>(std::integral_constant<int, Row>, std::integral_constant<int, Channels>) {
    return launch_row<S, Row, Channels>(op, planned, images, stream);
  };
  return with_constants(row, op.channels, launch, std::make_integer_sequence<int, strip_row_count>{});
}

}  // namespace upfirdn::cuda
