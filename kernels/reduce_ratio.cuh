#pragma once
/// Strip kernel for any factors with the vertical axis first: for outputs that are lower than the input or as high.
///
/// Rows are added to the outputs under way, as the row program says; a stage of finished rows is filtered across by the window
/// table, four places a step. Places before the first tap hold taps 0 and meet some sample, which changes nothing unless that
/// sample is not finite. Then the sum is NaN, and an output whose sum is NaN is computed again tap by tap.

#include "kernels/ratio.cuh"

namespace upfirdn::cuda {

/// `Long`: a phase of an axis may have more than one run of taps.
template <class S, bool Long>
struct ReduceRatioShape {
  static constexpr int columns = Long || sizeof(S) == 4 ? 4 : 8;  // that a lane filters down
  static constexpr int turn = 2;                                  // rows of a turn of the loop
  static constexpr int stage_rows = Long ? 1 : 2;
  using Rows = SharedRows<columns, stage_rows, ratio_pad, 1, Long>;
  using Loads = AsyncRowLoads<S, columns, turn>;
  [[nodiscard]] static constexpr std::size_t shared_bytes(int lanes) { return ratio_shared_bytes<Rows>(lanes) + Loads::shared_bytes(lanes); }
};

/// Four places of a window.
template <int Channels>
__device__ inline float4 four_places(const float* at) {
  if constexpr (Channels == 1) return *reinterpret_cast<const float4*>(at);
  else return {at[0], at[Channels], at[2 * Channels], at[3 * Channels]};
}
__device__ inline float component(const float4& four, int i) { return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w; }

/// Sums of `Count` rows across.
template <int Count, bool Long>
class WindowSums {
 public:
  /// Adds the places of a step that exist. A run of taps ends before place `run_end`, if that is none of the step after the last.
  __device__ void add(const float4& taps, const float4 (&values)[Count], int existing, int run_end) {
#pragma unroll
    for (int i = 0; i < window_step; ++i) {
      if (i >= existing) continue;
      if (Long && i == run_end) end_run();
#pragma unroll
      for (int r = 0; r < Count; ++r) sums_[r] = __fmaf_rn(component(taps, i), component(values[r], i), sums_[r]);
    }
  }
  __device__ void finish(bool several_runs) {
    if (!Long) return;
    end_run();
#pragma unroll
    for (int r = 0; r < Count; ++r) sums_[r] = several_runs ? totals_[r] + 0.0f : totals_[r];
  }
  [[nodiscard]] __device__ float operator[](int r) const { return sums_[r]; }

 private:
  __device__ void end_run() {
#pragma unroll
    for (int r = 0; r < Count; ++r) totals_[r] = first_ ? sums_[r] : totals_[r] + sums_[r], sums_[r] = 0.0f;
    first_ = false;
  }
  float sums_[Count] = {}, totals_[Count] = {};
  bool first_ = true;
};

/// At most `Slots` outputs are under way at once.
template <class S, int Channels, int Slots, bool Long, int MaxWarps, int MinBlocks>
__global__ void __launch_bounds__(32 * MaxWarps, MinBlocks) reduce_ratio_kernel(const __grid_constant__ StripOperation op) {
  using Shape = ReduceRatioShape<S, Long>;
  using Rows = typename Shape::Rows;
  constexpr int columns = Shape::columns, stage_rows = Shape::stage_rows;
  __shared__ typename Rows::Barriers barriers;
  const StripPlace place = strip_place(op);
  const int begin = place.segment * op.segment_rows, end = min(begin + op.segment_rows, op.out_rows);
  const int first_row = locate(op.y, begin).first;
  const NearRun last_run = locate(op.y, end - 1);
  const int first_output = min(place.strip * op.strip_outputs, op.out_columns - op.strip_outputs);
  const WindowEntry last_window = op.windows[(first_output + op.strip_outputs - 1) / Channels];
  const int left = op.windows[first_output / Channels].start * Channels, first_column = int(ratio_first_column(left));
  const int loaded = within_row<S, columns>(op, first_column + int(threadIdx.x) * columns, columns);
  std::byte* const waiting = reinterpret_cast<std::byte*>(dynamic_shared()) + ratio_shared_bytes<Rows>(int(blockDim.x));
  typename Shape::Loads loads(op, place.input, waiting, loaded, first_row, last_run.first + last_run.count);
  const Rows rows(op, dynamic_shared(), barriers, first_column, loaded, left, (last_window.start + last_window.places()) * Channels);

  unsigned nans = 0;
  int first_lane = int(threadIdx.x);  // warps take turns with the outputs, as the last round of them is not full
  /// Filters the rows of a stage across and stores them.
  const auto filter_across = [&](int stage) {
    const auto read_window = [&](int i) { return i < op.strip_outputs ? __ldg(reinterpret_cast<const int2*>(op.windows) + (first_output + i) / Channels) : int2{}; };
    int2 next_window = read_window(first_lane);
    rows.wait(stage);
    const int y = begin + stage * stage_rows, pixels = op.out_columns / Channels;
    const float* const between = rows.row(stage, 0);
    const auto row_floats = int(rows.row(stage, stage_rows - 1) - between);  // 0 for one row
    std::byte* const out = place.output + std::size_t(y) * op.out_stride;
    for (int i = first_lane; i < op.strip_outputs; i += int(blockDim.x)) {
      const int sample = first_output + i, pixel = sample / Channels;
      const WindowEntry window{next_window.x, next_window.y};
      next_window = read_window(i + int(blockDim.x));
      const float* at = between + rows.place(window.start * Channels + (sample - pixel * Channels));
      const float4* taps = reinterpret_cast<const float4*>(op.window_taps) + pixel;
      WindowSums<stage_rows, Long> sums;
      const auto add = [&](int step, int existing) {
        float4 values[stage_rows];
#pragma unroll
        for (int r = 0; r < stage_rows; ++r) values[r] = four_places<Channels>(at + r * row_floats);
        constexpr int steps_a_run = int(run_length) / window_step;
        sums.add(__ldg(taps), values, existing, Long && step > 0 && step % steps_a_run == 0 ? window.before() : window_step);
        taps += pixels, at += window_step * Channels;
      };
      // Integers may meet taps 0 after the last.
      const int whole = is_integer_sample<S> ? (window.places() + window_step - 1) / window_step : window.places() / window_step;
#pragma unroll 2
      for (int step = 0; step < whole; ++step) add(step, window_step);
      if (!is_integer_sample<S> && window.places() % window_step != 0) add(whole, window.places() % window_step);
      sums.finish(window.several_runs());
#pragma unroll
      for (int r = 0; r < stage_rows; ++r) {
        float sum = sums[r];
        if (!is_integer_sample<S> && sum != sum) sum = exact_sum<Channels, Long>(op, between + r * row_floats, sample, rows.place(0));
        if (y + r < end) reinterpret_cast<S*>(out + std::size_t(r) * op.out_stride)[sample] = finished<S>(op, sum, sample - pixel * Channels, nans);
      }
    }
    first_lane = first_lane >= 32 ? first_lane - 32 : first_lane + int(blockDim.x) - 32;
  };

  float sums[Slots][columns] = {}, totals[Long ? Slots : 1][columns];
#pragma unroll
  for (int s = 0; s < (Long ? Slots : 1); ++s)
#pragma unroll
    for (int c = 0; c < columns; ++c) totals[s][c] = -0.0f;  // adding the first run gives that run
  int entry = (first_row - op.row_base) % op.row_entries, cycle = (first_row - op.row_base) / op.row_entries;
  if (entry < 0) entry += op.row_entries, --cycle;
  int y = op.row_program[2 * entry + 1] + cycle * int(op.y.period), row = first_row;
  RowEntries entries(op, entries_memory<Rows>(), entry);
  bool completed = false;  // an output, by the row before: the others move on
  /// Adds a row to the outputs under way. Those that have not begun have taps 0, which change nothing unless a sample is not finite.
  const auto filter_down = [&](auto moves, const auto& taps, const auto& values) {
    constexpr bool Moves = decltype(moves)::value;
#pragma unroll
    for (int s = 0; s < Slots; ++s)
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        sums[s][c] = __fmaf_rn(taps[s], values[c], !Moves ? sums[s][c] : s + 1 < Slots ? sums[s + 1][c] : 0.0f);
        if (Long && Moves) totals[s][c] = s + 1 < Slots ? totals[s + 1][c] : -0.0f;
      }
  };
  /// The same for the first `outputs` alone.
  const auto filter_some_down = [&](const auto& taps, int outputs, const auto& values) {
#pragma unroll
    for (int s = 0; s < Slots; ++s)
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        if (completed) sums[s][c] = s + 1 < Slots ? sums[s + 1][c] : 0.0f;
        if (Long && completed) totals[s][c] = s + 1 < Slots ? totals[s + 1][c] : -0.0f;
        if (s < outputs) sums[s][c] = __fmaf_rn(taps[s], values[c], sums[s][c]);
      }
  };
  for (int step = 1; y < end; step = Shape::turn) {
    entries.move(step);
#pragma unroll
    for (int slot = 0; slot < Shape::turn; ++slot, ++row) {
      float values[columns];
      loads.take(slot, values);
      const RowCode code{entries.number(slot, 0)};
      float taps[Slots];
      entries.read_taps<0>(slot, taps);
      bool some = false;
      if (!is_integer_sample<S>) {
        float finite = 0.0f;
#pragma unroll
        for (int c = 0; c < columns; ++c) finite = __fmaf_rn(values[c], 0.0f, finite);
        some = finite != finite || (op.border == Border::zero && unsigned(row) >= unsigned(op.in_rows));
      }
      if (some) filter_some_down(taps, op.border == Border::zero && unsigned(row) >= unsigned(op.in_rows) ? 0 : code.outputs(), values);
      else if (completed) filter_down(std::true_type{}, taps, values);
      else filter_down(std::false_type{}, taps, values);
      if (Long && code.any_run_ends()) {
#pragma unroll
        for (int s = 0; s < Slots; ++s)
          if (code.run_ends(s))
#pragma unroll
            for (int c = 0; c < columns; ++c) totals[s][c] += sums[s][c], sums[s][c] = 0.0f;
      }
      completed = code.completes();
      if (completed && y < end) {
        if (const int made = y - begin; made >= 0) {
          if (Long) {
#pragma unroll
            for (int c = 0; c < columns; ++c) values[c] = code.several_runs() ? totals[0][c] + 0.0f : totals[0][c];
            rows.write(made / stage_rows, made % stage_rows, values);
          } else {
            rows.write(made / stage_rows, made % stage_rows, sums[0]);
          }
          if (made % stage_rows == stage_rows - 1 || y == end - 1) {
            rows.publish(made / stage_rows);
            if (made >= stage_rows) filter_across(made / stage_rows - 1);
          }
        }
        ++y;
      }
    }
  }
  filter_across((end - begin - 1) / stage_rows);
  count_nans(op, nans);
}

}  // namespace upfirdn::cuda
