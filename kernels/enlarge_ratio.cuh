#pragma once
/// Strip kernel for any factors with the horizontal axis first: for outputs that are higher than the input.
///
/// Taps of an output across are right-aligned in a row of fixed length: its unused places lie before the first tap, hold 0
/// and meet some sample, which changes nothing unless that sample is not finite. Then the sum is NaN, and an output whose sum
/// is NaN is computed again tap by tap.

#include "kernels/ratio.cuh"

namespace upfirdn::cuda {

/// What a strip holds: the columns that its lanes load, from `first_column` on, for outputs from `first_output` on, whose windows
/// begin at `left`.
struct RatioStrip {
  int first_output, first_column, left;
};

/// `Taps`: of the longest phase at most.
template <int Channels, int Taps>
__device__ inline RatioStrip ratio_strip(const StripOperation& op, int strip) {
  const int first_output = min(strip * op.strip_outputs, op.out_columns - op.strip_outputs);
  const NearRun run = locate(op.x, first_output / Channels);
  const int left = (run.first + run.count - Taps) * Channels;
  return {first_output, int(ratio_first_column(left)), left};
}

/// End of the last window of a strip.
template <int Channels>
__device__ inline int strip_end(const StripOperation& op, RatioStrip strip) {
  const NearRun run = locate(op.x, (strip.first_output + op.strip_outputs - 1) / Channels);
  return (run.first + run.count) * Channels;
}

/// Outputs of a lane across a strip: those of a warp lie side by side, 32 apart those of a lane.
template <class S, class Rows, int Channels, int Taps, int Outputs>
class ColumnFilter {
 public:
  __device__ ColumnFilter(const StripOperation& op, const Rows& rows, RatioStrip strip)
      : op_(op), zero_(rows.place(0)), first_(strip.first_output + int(threadIdx.x) / 32 * 32 * Outputs + int(threadIdx.x) % 32),
        end_(strip.first_output + op.strip_outputs) {
#pragma unroll
    for (int o = 0; o < Outputs; ++o) {
      const int shown = used(o) ? sample(o) : strip.first_output;
      const NearRun run = locate(op.x, shown / Channels);
      // What lies beyond a zero border comes last: it has no place.
      const int count = op.border == Border::zero ? min(max(op.in_columns / Channels - run.first, 0), run.count) : run.count;
      start_[o] = rows.place((run.first + count - Taps) * Channels + shown % Channels);
#pragma unroll
      for (int k = 0; k < Taps; ++k) taps_[o][k] = k < Taps - count ? 0.0f : __ldg(run.taps + (k - (Taps - count)));
    }
  }
  /// Sample of the image's row that output `o` of this lane is.
  [[nodiscard]] __device__ int sample(int o) const { return first_ + 32 * o; }
  [[nodiscard]] __device__ bool used(int o) const { return sample(o) < end_; }
  /// Of an output that is not used: of any.
  [[nodiscard]] __device__ float sum(const float* row, int o) const {
    float sum = 0.0f;
    const float* at = row + start_[o];
#pragma unroll
    for (int k = 0; k < Taps; ++k) sum = __fmaf_rn(taps_[o][k], at[k * Channels], sum);
    if (!is_integer_sample<S> && sum != sum && used(o)) sum = exact_sum<Channels, false>(op_, row, sample(o), zero_);
    return sum;
  }

 private:
  const StripOperation& op_;
  int zero_, first_, end_;
  float taps_[Outputs][Taps];
  int start_[Outputs];
};

inline constexpr int enlarge_ratio_columns = 4;  // that a lane loads
inline constexpr int enlarge_ratio_turn = 2;     // rows of a stage, and of a turn of the loop
using EnlargeRatioRows = SharedRows<enlarge_ratio_columns, enlarge_ratio_turn, ratio_pad, 1>;

/// An output uses at most `Rows` input rows, right-aligned like the taps across.
template <class S, int Channels, int Rows, int Taps, int Outputs, int MaxWarps, int MinBlocks>
__global__ void __launch_bounds__(32 * MaxWarps, MinBlocks) enlarge_ratio_kernel(const __grid_constant__ StripOperation op) {
  constexpr int columns = enlarge_ratio_columns, turn = enlarge_ratio_turn;
  using Shared = EnlargeRatioRows;
  __shared__ typename Shared::Barriers barriers;
  const StripPlace place = strip_place(op);
  const RatioStrip strip = ratio_strip<Channels, Taps>(op, place.strip);
  const int begin = place.segment * op.segment_rows, end = min(begin + op.segment_rows, op.out_rows);
  const int first_row = locate(op.y, begin).first;
  const NearRun last_run = locate(op.y, end - 1);
  const int row_count = last_run.first + last_run.count - first_row;
  constexpr int piece = power_in(columns * int(sizeof(S))) / int(sizeof(S));
  const int loaded = within_row<S, piece>(op, strip.first_column + int(threadIdx.x) * columns, columns);
  RowLoads<S, columns, piece, turn> loads(op, place.input, loaded, first_row, first_row + row_count);
  const Shared shared(op, dynamic_shared(), barriers, strip.first_column, loaded, strip.left, strip_end<Channels>(op, strip));
  const ColumnFilter<S, Shared, Channels, Taps, Outputs> across(op, shared, strip);

  float rows[Rows - 1 + turn][Outputs] = {};  // the last `Rows` - 1, and those of this turn
  unsigned missing = 0;  // bit k: row k of the last Rows rows lies beyond a zero border
  unsigned nans = 0;
  int y = begin, phase = begin % op.row_entries, cycle_row = begin / op.row_entries * int(op.y.step), completing = 0;
  RowEntries entries(op, entries_memory<Shared>(), phase);
  /// Goes on to the next output: `completing` is its last row.
  const auto look_at = [&](int step) {
    entries.move(1);
    if ((phase += step) == op.row_entries) phase = 0, cycle_row += int(op.y.step);
    completing = entries.number(0, 0) + cycle_row;
  };
  look_at(0);
  const auto share = [&](int stage) {
#pragma unroll
    for (int slot = 0; slot < turn; ++slot) {
      float values[columns];
      loads.template take<true>(slot, values);
      shared.write(stage, slot, values);
    }
    shared.publish(stage);
  };
  S* out = reinterpret_cast<S*>(place.output + std::size_t(begin) * op.out_stride) + across.sample(0);
  const int channel = across.sample(0) % Channels;
  const bool plain = is_integer_sample<S> && op.fast && !op.after.any;
  /// Makes the output row that row `slot` of the turn completes.
  const auto filter_down = [&](int slot) {
    float taps[Rows], sums[Outputs] = {};
    entries.read_taps<most_row_outputs - Rows>(0, taps);
    const unsigned skipped = missing | ((1u << (Rows - entries.number(0, 1))) - 1u);
    const auto add = [&](auto all) {
#pragma unroll
      for (int k = 0; k < Rows; ++k) {
        if (!decltype(all)::value && (skipped >> k & 1) != 0) continue;
#pragma unroll
        for (int o = 0; o < Outputs; ++o) sums[o] = __fmaf_rn(taps[k], rows[slot + k][o], sums[o]);
      }
    };
    // Unused places have taps 0 and rows that are missing are 0, which adds nothing to integers.
    if (is_integer_sample<S> || skipped == 0) add(std::true_type{});
    else add(std::false_type{});
    if (plain) {
#pragma unroll
      for (int o = 0; o < Outputs; ++o)
        if (across.used(o)) out[32 * o] = saturated<S>(sums[o]);
    } else {
#pragma unroll
      for (int o = 0; o < Outputs; ++o)
        if (across.used(o)) out[32 * o] = finished<S>(op, sums[o], (channel + 32 * o) % Channels, nans);
    }
    out = reinterpret_cast<S*>(reinterpret_cast<std::byte*>(out) + op.out_stride);
  };
  const int stages = (row_count + turn - 1) / turn;
  share(0);
  for (int stage = 0; stage < stages; ++stage) {
    if (stage + 1 < stages) share(stage + 1);
    shared.wait(stage);
#pragma unroll
    for (int slot = 0; slot < turn; ++slot) {
      const int row = first_row + stage * turn + slot;
      const float* between = shared.row(stage, slot);
#pragma unroll
      for (int o = 0; o < Outputs; ++o) rows[Rows - 1 + slot][o] = across.sum(between, o);
      if (!is_integer_sample<S>) {
        const bool exists = op.border != Border::zero || unsigned(row) < unsigned(op.in_rows);
        missing = missing >> 1 | (exists ? 0u : 1u << (Rows - 1));
      }
      for (; y < end && completing == row; ++y, look_at(1)) filter_down(slot);
    }
#pragma unroll
    for (int k = 0; k < Rows - 1; ++k)
#pragma unroll
      for (int o = 0; o < Outputs; ++o) rows[k][o] = rows[k + turn][o];
  }
  count_nans(op, nans);
}

}  // namespace upfirdn::cuda
