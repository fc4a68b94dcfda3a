#pragma once
/// Strip kernels for any factors: positions and taps come from tables.
///
/// Taps of an output across are right-aligned in a row of fixed length: its unused places lie before the first tap, hold 0
/// and meet some sample, which changes nothing unless that sample is not finite. Then the sum is NaN, and an output whose sum
/// is NaN is computed again tap by tap.

#include "kernels/row_program.hpp"
#include "kernels/strip.cuh"

namespace upfirdn::cuda {

inline constexpr int ratio_alignment = 16;  // of a strip's first column

/// What a strip holds: the columns that its lanes load, from `first_column` on, for outputs from `first_output` on.
struct RatioStrip {
  int first_output, first_column;
};

/// AxisView::locate() in 32 bits.
struct NearRun {
  int first, count;
  const float* taps;
};
__device__ inline NearRun locate(const AxisView& axis, int output) {
  const int cycle = output / int(axis.period), phase = output - cycle * int(axis.period);
  const auto read = [&](const std::int64_t* from) { return int(__ldg(reinterpret_cast<const long long*>(from) + phase)); };
  return {cycle * int(axis.step) + read(axis.first), read(axis.count), axis.taps + read(axis.offset)};
}

/// First column for a window that begins at column `start`.
constexpr __host__ __device__ std::int64_t ratio_first_column(std::int64_t start) {
  return (start >= 0 ? start / ratio_alignment : -((ratio_alignment - 1 - start) / ratio_alignment)) * ratio_alignment;
}

/// `Taps`: of the longest phase at most.
template <int Channels, int Taps>
__device__ inline RatioStrip ratio_strip(const StripOperation& op, int strip) {
  const int first_output = min(strip * op.strip_outputs, op.out_columns - op.strip_outputs);
  const NearRun run = locate(op.x, first_output / Channels);
  return {first_output, int(ratio_first_column((run.first + run.count - Taps) * Channels))};
}

/// End of the last window of a strip.
template <int Channels>
__device__ inline int strip_end(const StripOperation& op, RatioStrip strip) {
  const NearRun run = locate(op.x, (strip.first_output + op.strip_outputs - 1) / Channels);
  return (run.first + run.count) * Channels;
}

/// Outputs of a lane across a strip: one of every `blockDim.x` samples.
template <class S, class Rows, int Channels, int Taps, int Outputs>
class ColumnFilter {
 public:
  __device__ ColumnFilter(const StripOperation& op, const Rows& rows, RatioStrip strip) : op_(op), rows_(rows), strip_(strip) {
#pragma unroll
    for (int o = 0; o < Outputs; ++o) {
      const int pixel = (used(o) ? sample(o) : strip.first_output) / Channels, channel = used(o) ? sample(o) % Channels : 0;
      const NearRun run = locate(op.x, pixel);
      start_[o] = rows.place((run.first + run.count - Taps) * Channels + channel);
      zeros_last_ |= op.border == Border::zero && (run.first + run.count) * Channels > op.in_columns;
#pragma unroll
      for (int k = 0; k < Taps; ++k) taps_[o][k] = k < Taps - run.count ? 0.0f : __ldg(run.taps + (k - (Taps - run.count)));
    }
  }
  /// Sample of the image's row that output `o` of this lane is.
  [[nodiscard]] __device__ int sample(int o) const { return strip_.first_output + int(threadIdx.x) + o * int(blockDim.x); }
  [[nodiscard]] __device__ bool used(int o) const { return int(threadIdx.x) + o * int(blockDim.x) < op_.strip_outputs; }
  [[nodiscard]] __device__ float sum(const float* row, int o) const {
    float sum = 0.0f;
    const float* at = row + start_[o];
#pragma unroll
    for (int k = 0; k < Taps; ++k) sum = __fmaf_rn(taps_[o][k], at[k * Channels], sum);
    // Integers hold neither NaN nor -0.
    if (!is_integer_sample<S> && (sum != sum || (zeros_last_ && sum == 0.0f))) sum = exact_sum(op_, row, sample(o), rows_.place(0));
    return sum;
  }

 private:
  /// Tap by tap, leaving out what does not exist. Not inlined: it is rarely needed. `zero`: place of column 0.
  static __device__ __noinline__ float exact_sum(const StripOperation& op, const float* row, int sample, int zero) {
    const int pixel = sample / Channels, channel = sample % Channels;
    const NearRun run = locate(op.x, pixel);
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < run.count; ++k) {
      const int position = run.first + k;
      if (op.border == Border::zero && unsigned(position) >= unsigned(op.in_columns / Channels)) continue;
      sum = __fmaf_rn(__ldg(run.taps + k), row[zero + position * Channels + channel], sum);
    }
    return sum;
  }

  const StripOperation& op_;
  const Rows& rows_;
  RatioStrip strip_;
  float taps_[Outputs][Taps];
  int start_[Outputs];
  bool zeros_last_ = false;
};

/// An entry of the row program: two numbers and the taps, from device memory.
struct RowEntry {
  int2 numbers;
  float4 low, high;

  __device__ void read(const StripOperation& op, int entry) {
    numbers = __ldg(reinterpret_cast<const int2*>(op.row_program) + entry);
    low = __ldg(reinterpret_cast<const float4*>(op.row_taps) + 2 * entry);
    high = __ldg(reinterpret_cast<const float4*>(op.row_taps) + 2 * entry + 1);
  }
  [[nodiscard]] __device__ float tap(int i) const {
    return i == 0 ? low.x : i == 1 ? low.y : i == 2 ? low.z : i == 3 ? low.w : i == 4 ? high.x : i == 5 ? high.y : i == 6 ? high.z : high.w;
  }
};

template <class S, int Channels>
__device__ inline void store_one(const StripOperation& op, std::byte* row, float value, int sample, unsigned& nans) {
  S& to = reinterpret_cast<S*>(row)[sample];
  if (op.after.any) value = op.after(value, sample % Channels);
  if (is_integer_sample<S> && op.fast) to = saturated<S>(value);
  else to = to_sample<S>(op, value, nans);
}

inline constexpr int reduce_ratio_columns = 8;
using ReduceRatioRows = SharedRows<reduce_ratio_columns, 1, 0, 1>;

/// Vertical axis first. `Slots` outputs are under way at once at most; `op.row_program` says for each input row how many are
/// (low byte), whether the oldest is complete after it (bit 8), and which output that is (second int).
template <class S, int Channels, int Slots, int Taps, int Outputs, int MaxWarps, int MinBlocks>
__global__ void __launch_bounds__(32 * MaxWarps, MinBlocks) reduce_ratio_kernel(const __grid_constant__ StripOperation op) {
  constexpr int columns = reduce_ratio_columns, ahead = sizeof(S) == 4 ? 2 : 4;
  using Rows = ReduceRatioRows;
  using Across = ColumnFilter<S, Rows, Channels, Taps, Outputs>;
  __shared__ typename Rows::Barriers barriers;
  const StripPlace place = strip_place(op);
  const RatioStrip strip = ratio_strip<Channels, Taps>(op, place.strip);
  const int begin = place.segment * op.segment_rows, end = min(begin + op.segment_rows, op.out_rows);
  const int first_row = locate(op.y, begin).first;
  const NearRun last_run = locate(op.y, end - 1);
  constexpr int piece = power_in(columns * int(sizeof(S))) / int(sizeof(S));
  const int loaded = within_row<S, piece>(op, strip.first_column + int(threadIdx.x) * columns, columns);
  RowLoads<S, columns, piece, ahead> loads(op, place.input, loaded, first_row, last_run.first + last_run.count);
  const Rows rows(op, dynamic_shared(), barriers, strip.first_column, loaded, strip.first_column, strip_end<Channels>(op, strip));
  const Across across(op, rows, strip);

  float sums[Slots][columns] = {};
  unsigned nans = 0;
  int entry = (first_row - op.row_base) % op.row_entries, cycle = (first_row - op.row_base) / op.row_entries;
  if (entry < 0) entry += op.row_entries, --cycle;
  int y = op.row_program[2 * entry + 1] + cycle * int(op.y.period), row = first_row;
  RowEntry entries[2];
  const auto request = [&](int slot) {
    entries[slot].read(op, entry);
    entry = entry + 1 == op.row_entries ? 0 : entry + 1;
  };
  request(0), request(1);
  const auto filter_across = [&](int stage) {
    rows.wait(stage);
    const float* between = rows.row(stage, 0);
    std::byte* out = place.output + std::size_t(begin + stage) * op.out_stride;
#pragma unroll
    for (int o = 0; o < Outputs; ++o)
      if (across.used(o)) store_one<S, Channels>(op, out, across.sum(between, o), across.sample(o), nans);
  };
  while (y < end) {
#pragma unroll
    for (int slot = 0; slot < ahead; ++slot, ++row) {
      float values[columns];
      loads.template take<true>(slot, values);
      const RowEntry& taps = entries[slot % 2];
      const int outputs = taps.numbers.x & 255;
      const bool completes = (taps.numbers.x & 256) != 0;
      // Outputs that have not begun have taps 0, which add nothing to integers.
      if (is_integer_sample<S> || op.border != Border::zero || unsigned(row) < unsigned(op.in_rows)) {
#pragma unroll
        for (int s = 0; s < Slots; ++s) {
          if (!is_integer_sample<S> && s >= outputs) break;
#pragma unroll
          for (int c = 0; c < columns; ++c) sums[s][c] = __fmaf_rn(taps.tap(s), values[c], sums[s][c]);
        }
      }
      request(slot % 2);
      if (!completes || y >= end) continue;
      if (y >= begin) {
        rows.write(y - begin, 0, sums[0]);
        rows.publish(y - begin);
        if (y > begin) filter_across(y - begin - 1);
      }
      ++y;
#pragma unroll
      for (int s = 0; s < Slots; ++s)
#pragma unroll
        for (int c = 0; c < columns; ++c) sums[s][c] = s + 1 < Slots ? sums[s + 1][c] : 0.0f;
    }
  }
  filter_across(end - begin - 1);
  count_nans(op, nans);
}

inline constexpr int enlarge_ratio_columns = 4;
using EnlargeRatioRows = SharedRows<enlarge_ratio_columns, 1, 0, 1>;

/// Horizontal axis first. An output uses at most `Rows` input rows, right-aligned like the taps across.
template <class S, int Channels, int Rows, int Taps, int Outputs, int MaxWarps, int MinBlocks>
__global__ void __launch_bounds__(32 * MaxWarps, MinBlocks) enlarge_ratio_kernel(const __grid_constant__ StripOperation op) {
  constexpr int columns = enlarge_ratio_columns, ahead = Rows / 2;
  using Shared = EnlargeRatioRows;
  using Across = ColumnFilter<S, Shared, Channels, Taps, Outputs>;
  __shared__ typename Shared::Barriers barriers;
  const StripPlace place = strip_place(op);
  const RatioStrip strip = ratio_strip<Channels, Taps>(op, place.strip);
  const int begin = place.segment * op.segment_rows, end = min(begin + op.segment_rows, op.out_rows);
  const int first_row = locate(op.y, begin).first;
  const NearRun last_run = locate(op.y, end - 1);
  const int row_count = last_run.first + last_run.count - first_row;
  constexpr int piece = power_in(columns * int(sizeof(S))) / int(sizeof(S));
  const int loaded = within_row<S, piece>(op, strip.first_column + int(threadIdx.x) * columns, columns);
  RowLoads<S, columns, piece, ahead> loads(op, place.input, loaded, first_row, first_row + row_count);
  const Shared shared(op, dynamic_shared(), barriers, strip.first_column, loaded, strip.first_column, strip_end<Channels>(op, strip));
  const Across across(op, shared, strip);

  float rows[Rows][Outputs] = {};
  unsigned missing = 0;  // bit k: row k of the last Rows rows lies beyond a zero border
  unsigned nans = 0;
  int y = begin, phase = begin % op.row_entries, cycle_row = begin / op.row_entries * int(op.y.step);
  RowEntry entries[2];  // of the next output and the one after it
  const auto request = [&](RowEntry& to) {
    to.read(op, phase);
    to.numbers.x += cycle_row;
    if (++phase == op.row_entries) phase = 0, cycle_row += int(op.y.step);
  };
  request(entries[0]), request(entries[1]);
  const auto share = [&](int n, int load_slot) {
    float values[columns];
    loads.template take<true>(load_slot, values);
    shared.write(n, 0, values);
    shared.publish(n);
  };
  std::byte* out = place.output + std::size_t(begin) * op.out_stride;
  share(0, 0);
  for (int base = 0; base < row_count; base += Rows) {
#pragma unroll
    for (int slot = 0; slot < Rows; ++slot) {  // the newest row takes the slot of the oldest
      const int n = base + slot, row = first_row + n;
      if (n >= row_count) break;
      if (n + 1 < row_count) share(n + 1, (slot + 1) % ahead);
      shared.wait(n);
      const float* between = shared.row(n, 0);
#pragma unroll
      for (int o = 0; o < Outputs; ++o) rows[slot][o] = across.used(o) ? across.sum(between, o) : 0.0f;
      const bool exists = op.border != Border::zero || unsigned(row) < unsigned(op.in_rows);
      missing = missing >> 1 | (exists ? 0u : 1u << (Rows - 1));
      while (y < end && entries[0].numbers.x == row) {  // its last row
        const int unused = Rows - entries[0].numbers.y;
        float sums[Outputs];
#pragma unroll
        for (int o = 0; o < Outputs; ++o) sums[o] = 0.0f;
#pragma unroll
        for (int k = 0; k < Rows; ++k) {
          // Unused places have taps 0 and rows that are missing are 0, which adds nothing to integers.
          if (!is_integer_sample<S> && (k < unused || (missing >> k & 1) != 0)) continue;
#pragma unroll
          for (int o = 0; o < Outputs; ++o) sums[o] = __fmaf_rn(entries[0].tap(k + most_row_outputs - Rows), rows[(slot + 1 + k) % Rows][o], sums[o]);
        }
        entries[0] = entries[1];
        request(entries[1]);
#pragma unroll
        for (int o = 0; o < Outputs; ++o)
          if (across.used(o)) store_one<S, Channels>(op, out, sums[o], across.sample(o), nans);
        ++y, out += op.out_stride;
      }
    }
  }
  count_nans(op, nans);
}

}  // namespace upfirdn::cuda
