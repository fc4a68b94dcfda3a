#pragma once
/// Strip kernels for any factors and channels: positions and taps come from tables.
///
/// Taps of an output across are right-aligned in a row of fixed length: its unused places lie before the first tap, hold 0
/// and meet some sample, which changes nothing unless that sample is not finite. Then the sum is NaN, and an output whose sum
/// is NaN is computed again tap by tap.

#include "kernels/strip.cuh"

namespace upfirdn::cuda {

inline constexpr int ratio_columns = 8;   // that a lane loads
inline constexpr int ratio_held = 32 * ratio_columns;
inline constexpr int ratio_stage_rows = 4;
inline constexpr int ratio_alignment = 16;  // of a strip's first column, for samples of any size

template <class S, int Stages>
using RatioMemory = BlockMemory<RowRing<S, ratio_columns, ratio_stage_rows, Stages>, ratio_held>;

/// Outputs of a lane across a strip: every 32nd sample.
template <int Taps, int Outputs>
class ColumnFilter {
 public:
  /// `first_output`: of the strip, a sample of channel 0; `first_column`: of the shared row.
  __device__ ColumnFilter(const StripOperation& op, int lane, int first_output, int first_column) {
#pragma unroll
    for (int o = 0; o < Outputs; ++o) {
      const int local = lane + 32 * o, sample = first_output + local;
      used_[o] = local < op.strip_outputs && sample < op.out_columns;
      const int pixel = (used_[o] ? sample : first_output) / op.channels, channel = used_[o] ? sample % op.channels : 0;
      const TapRun run = op.x.locate(pixel);
      start_[o] = (int(run.first + run.count) - Taps) * op.channels + channel - first_column;
#pragma unroll
      for (int k = 0; k < Taps; ++k) taps_[o][k] = k < Taps - int(run.count) ? 0.0f : run.taps[k - (Taps - int(run.count))];
    }
  }
  [[nodiscard]] __device__ bool used(int o) const { return used_[o]; }
  template <int Channels>
  [[nodiscard]] __device__ float sum(const float* row, int o, int channels) const {
    float sum = 0.0f;
    const float* at = row + start_[o];
#pragma unroll
    for (int k = 0; k < Taps; ++k) sum = __fmaf_rn(taps_[o][k], at[k * (Channels > 0 ? Channels : channels)], sum);
    return sum;
  }
  /// Tap by tap, leaving out what does not exist. Not inlined: it is rarely needed.
  static __device__ __noinline__ float exact_sum(const StripOperation& op, const float* row, int sample, int first_column) {
    const int pixel = sample / op.channels, channel = sample % op.channels, pixels = op.in_columns / op.channels;
    const TapRun run = op.x.locate(pixel);
    float sum = 0.0f;
    for (int k = 0; k < int(run.count); ++k) {
      const int position = int(run.first) + k;
      if (op.border == Border::zero && unsigned(position) >= unsigned(pixels)) continue;
      sum = __fmaf_rn(run.taps[k], row[position * op.channels + channel - first_column], sum);
    }
    return sum;
  }

 private:
  float taps_[Outputs][Taps];
  int start_[Outputs];
  bool used_[Outputs];
};

/// Column of the image at which the shared row of a strip begins: at or before the first window, aligned for the copies.
template <int Taps>
__device__ inline int ratio_first_column(const StripOperation& op, int first_output) {
  const TapRun run = op.x.locate(first_output / op.channels);
  const int start = (int(run.first + run.count) - Taps) * op.channels;
  return (start >= 0 ? start / ratio_alignment : -((-start + ratio_alignment - 1) / ratio_alignment)) * ratio_alignment;
}

/// End of the last window of a strip in its shared row.
__device__ inline int ratio_needed(const StripOperation& op, int first_output, int first_column) {
  const TapRun run = op.x.locate((min(first_output + op.strip_outputs, op.out_columns) - 1) / op.channels);
  return int(run.first + run.count) * op.channels - first_column;
}

/// Taps of one output row after the other.
class RowCursor {
 public:
  __device__ RowCursor(const AxisView& axis, int y) : axis_(axis), phase_(int(y % axis.period)), cycle_first_(int(y / axis.period * axis.step)) {
    read();
  }
  __device__ void next() {
    if (++phase_ == int(axis_.period)) phase_ = 0, cycle_first_ += int(axis_.step);
    if (phase_ < phases()) read();
  }
  [[nodiscard]] __device__ int last() const { return first_ + count_ - 1; }
  [[nodiscard]] __device__ int count() const { return count_; }
  [[nodiscard]] __device__ float tap(int k) const { return __ldg(taps_ + k); }

 private:
  [[nodiscard]] __device__ int phases() const { return int(axis_.period < axis_.out ? axis_.period : axis_.out); }
  __device__ void read() {
    first_ = cycle_first_ + int(__ldg(reinterpret_cast<const long long*>(axis_.first) + phase_));
    count_ = int(__ldg(reinterpret_cast<const long long*>(axis_.count) + phase_));
    taps_ = axis_.taps + __ldg(reinterpret_cast<const long long*>(axis_.offset) + phase_);
  }
  const AxisView& axis_;
  int phase_, cycle_first_, first_ = 0, count_ = 0;
  const float* taps_ = nullptr;
};

template <class S>
__device__ inline void store_one(const StripOperation& op, std::byte* row, int sample, float sum, unsigned& nans) {
  if (!op.plain) sum = op.after(sum, op.channels == 1 ? 0 : sample % op.channels);
  reinterpret_cast<S*>(row)[sample] = to_sample<S>(op, sum, nans);
}

/// Vertical axis first. `Slots` outputs are under way at once at most; `op.row_program` says for each input row how many are
/// (low byte), whether the oldest is complete after it (bit 8), and which output that is (second int).
template <class S, int Channels, int Slots, int Taps, int Outputs, int Stages, int MinBlocks>
__global__ void __launch_bounds__(32 * strip_warps, MinBlocks) reduce_ratio_kernel(const __grid_constant__ StripOperation op) {
  constexpr int columns = ratio_columns;
  using Ring = RowRing<S, columns, ratio_stage_rows, Stages>;
  auto& memory = RatioMemory<S, Stages>::get();
  const int lane = int(threadIdx.x) % 32, warp_in_block = int(threadIdx.x) / 32;
  const std::int64_t warp = std::int64_t(blockIdx.x) * strip_warps + warp_in_block;
  if (warp >= op.warps) return;
  const StripPlace place = strip_place(op, warp);
  const int first_output = place.strip * op.strip_outputs;
  const int first_column = ratio_first_column<Taps>(op, first_output);
  const int begin = place.segment * op.segment_rows, end = min(begin + op.segment_rows, op.out_rows);
  const int first_row = int(op.y.locate(begin).first);
  const TapRun last_run = op.y.locate(end - 1);
  Ring ring(op, place.input, memory.rings[warp_in_block], lane, op.strip_lanes * ratio_columns, first_column, first_row, int(last_run.first + last_run.count));
  const SideFixes fixes(op, lane, first_column, op.strip_lanes * ratio_columns, ratio_needed(op, first_output, first_column),
                        [](int i) { return i; });
  const bool open_sides = op.border == Border::zero && (first_column < 0 || first_column + ratio_needed(op, first_output, first_column) > op.in_columns);
  const ColumnFilter<Taps, Outputs> across(op, lane, first_output, first_column);

  float sums[Slots][columns] = {};
  unsigned nans = 0;
  int entry = (first_row - op.row_base) % op.row_entries, cycle = (first_row - op.row_base) / op.row_entries;
  if (entry < 0) entry += op.row_entries, --cycle;
  int y = op.row_program[2 * entry + 1] + cycle * int(op.y.period);
  int buffer = 0;
  for (int row = first_row; y < end; ++row) {
    const int in_stage = (row - first_row) % ratio_stage_rows;
    if (in_stage == 0) {
      if (row > first_row) ring.release();
      ring.wait();
    }
    const int program = __ldg(&op.row_program[2 * entry]);
    const float4 low = __ldg(reinterpret_cast<const float4*>(op.row_taps) + 2 * entry);
    const float4 high = __ldg(reinterpret_cast<const float4*>(op.row_taps) + 2 * entry + 1);
    const float taps[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    entry = entry + 1 == op.row_entries ? 0 : entry + 1;
    float values[columns];
    to_floats(ring.samples(in_stage), values);
    if (op.border != Border::zero || unsigned(row) < unsigned(op.in_rows)) {
#pragma unroll
      for (int s = 0; s < Slots; ++s) {
        if (s >= (program & 255)) break;
#pragma unroll
        for (int c = 0; c < columns; ++c) sums[s][c] = __fmaf_rn(taps[s], values[c], sums[s][c]);
      }
    }
    if ((program & 256) == 0) continue;
    if (y >= begin) {
      float* between = memory.between[warp_in_block][buffer];
      buffer ^= 1;
#pragma unroll
      for (int c = 0; c < columns; c += 4)
        *reinterpret_cast<float4*>(&between[columns * lane + c]) = make_float4(sums[0][c], sums[0][c + 1], sums[0][c + 2], sums[0][c + 3]);
      __syncwarp();
      if (fixes.any()) fixes.apply(between);
      std::byte* out = place.output + std::size_t(y) * op.out_stride;
#pragma unroll
      for (int o = 0; o < Outputs; ++o) {
        const int sample = first_output + lane + 32 * o;
        float sum = across.template sum<Channels>(between, o, op.channels);
        if (!across.used(o)) continue;
        if (open_sides || sum != sum) sum = ColumnFilter<Taps, Outputs>::exact_sum(op, between, sample, first_column);
        store_one<S>(op, out, sample, sum, nans);
      }
    }
    ++y;
#pragma unroll
    for (int s = 0; s + 1 < Slots; ++s)
#pragma unroll
      for (int c = 0; c < columns; ++c) sums[s][c] = sums[s + 1][c];
#pragma unroll
    for (int c = 0; c < columns; ++c) sums[Slots - 1][c] = 0.0f;
  }
  count_nans(op, nans);
}

/// Horizontal axis first. An output uses at most `Rows` input rows, right-aligned like the taps across.
template <class S, int Channels, int Rows, int Taps, int Outputs, int Stages, int MinBlocks>
__global__ void __launch_bounds__(32 * strip_warps, MinBlocks) enlarge_ratio_kernel(const __grid_constant__ StripOperation op) {
  constexpr int columns = ratio_columns;
  using Ring = RowRing<S, columns, ratio_stage_rows, Stages>;
  auto& memory = RatioMemory<S, Stages>::get();
  const int lane = int(threadIdx.x) % 32, warp_in_block = int(threadIdx.x) / 32;
  const std::int64_t warp = std::int64_t(blockIdx.x) * strip_warps + warp_in_block;
  if (warp >= op.warps) return;
  const StripPlace place = strip_place(op, warp);
  const int first_output = place.strip * op.strip_outputs;
  const int first_column = ratio_first_column<Taps>(op, first_output);
  const int begin = place.segment * op.segment_rows, end = min(begin + op.segment_rows, op.out_rows);
  const int first_row = int(op.y.locate(begin).first);
  const TapRun last_run = op.y.locate(end - 1);
  const int end_row = int(last_run.first + last_run.count);
  Ring ring(op, place.input, memory.rings[warp_in_block], lane, op.strip_lanes * ratio_columns, first_column, first_row, end_row);
  const SideFixes fixes(op, lane, first_column, op.strip_lanes * ratio_columns, ratio_needed(op, first_output, first_column),
                        [](int i) { return i; });
  const bool open_sides = op.border == Border::zero && (first_column < 0 || first_column + ratio_needed(op, first_output, first_column) > op.in_columns);
  const ColumnFilter<Taps, Outputs> across(op, lane, first_output, first_column);

  float rows[Rows][Outputs] = {};
  unsigned missing = 0;  // bit k: row k of the last Rows rows lies beyond a zero border
  unsigned nans = 0;
  int y = begin, buffer = 0;
  RowCursor run(op.y, y);
  for (int base = first_row; base < end_row; base += Rows) {
#pragma unroll
    for (int slot = 0; slot < Rows; ++slot) {  // the newest row takes the slot of the oldest
      const int row = base + slot;
      if (row >= end_row) break;
      const int in_stage = (row - first_row) % ratio_stage_rows;
      if (in_stage == 0) {
        if (row > first_row) ring.release();
        ring.wait();
      }
      float values[columns];
      to_floats(ring.samples(in_stage), values);
      float* between = memory.between[warp_in_block][buffer];
      buffer ^= 1;
#pragma unroll
      for (int c = 0; c < columns; c += 4)
        *reinterpret_cast<float4*>(&between[columns * lane + c]) = make_float4(values[c], values[c + 1], values[c + 2], values[c + 3]);
      __syncwarp();
      if (fixes.any()) fixes.apply(between);
#pragma unroll
      for (int o = 0; o < Outputs; ++o) {
        float sum = across.template sum<Channels>(between, o, op.channels);
        if ((open_sides || sum != sum) && across.used(o))
          sum = ColumnFilter<Taps, Outputs>::exact_sum(op, between, first_output + lane + 32 * o, first_column);
        rows[slot][o] = sum;
      }
      const bool exists = op.border != Border::zero || unsigned(row) < unsigned(op.in_rows);
      missing = missing >> 1 | (exists ? 0u : 1u << (Rows - 1));
      while (y < end && run.last() == row) {
        const int unused = Rows - run.count();
        float sums[Outputs];
#pragma unroll
        for (int o = 0; o < Outputs; ++o) sums[o] = 0.0f;
#pragma unroll
        for (int k = 0; k < Rows; ++k) {
          if (k < unused || (missing >> k & 1) != 0) continue;
          const float tap = run.tap(k - unused);
#pragma unroll
          for (int o = 0; o < Outputs; ++o) sums[o] = __fmaf_rn(tap, rows[(slot + 1 + k) % Rows][o], sums[o]);
        }
        std::byte* out = place.output + std::size_t(y) * op.out_stride;
#pragma unroll
        for (int o = 0; o < Outputs; ++o)
          if (across.used(o)) store_one<S>(op, out, first_output + lane + 32 * o, sums[o], nans);
        ++y;
        run.next();
      }
    }
  }
  count_nans(op, nans);
}

}  // namespace upfirdn::cuda
