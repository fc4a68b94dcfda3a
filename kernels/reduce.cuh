#pragma once
/// Strip kernels with the vertical axis first: for outputs that are lower than the input or as high.

#include <numeric>

#include "kernels/strip.cuh"

namespace upfirdn::cuda {

/// The same whole factor 1 / Down and number of taps along both axes, aligned as --pad auto does it. Columns and outputs count
/// samples.
template <class S, int Channels, int Down, int Taps>
struct ReduceShape {
  static constexpr int columns = Channels == 3 ? 12 : sizeof(S) == 4 ? 4 : 8;  // that a lane filters down
  static constexpr int stage_rows = Channels == 3 && sizeof(S) == 4 && Down < 4 ? 2 : 4;
  static constexpr int groups = Taps / Down;                 // of Down rows that an output needs
  static constexpr int first = -((Taps + 1 - Down) / 2);     // position of the first tap of output 0
  static constexpr int alignment = 16 / int(sizeof(S));      // of a strip's first column
  static constexpr int offset = (first * Channels % alignment + alignment) % alignment;  // of its first tap
  static constexpr int outputs = columns / Down;             // that a lane makes
  static constexpr int window = ((outputs / Channels - 1) * Down + Taps) * Channels;  // columns that it needs for them
  static constexpr int quads = (offset % 4 + window + 3) / 4;
  static constexpr int together = alignment / std::gcd(alignment, columns);  // lanes whose columns keep the alignment
  static constexpr int lanes = ((32 * columns - offset - window) / columns + 1) / together * together;
  static constexpr int strip_outputs = lanes * outputs;
  using Row = SharedRow<columns>;
  template <int Stages>
  using Memory = BlockMemory<RowRing<S, columns, stage_rows, Stages>, Row::floats>;
  static_assert(Taps % Down == 0 && columns % (Down * Channels) == 0 && stage_rows % Down == 0);
  /// First column of a strip that makes outputs from `output` on.
  static constexpr __host__ __device__ std::int64_t first_column(std::int64_t output) {
    return (output / Channels * Down + first) * Channels - offset;
  }
  /// End of the last window of a row of `outputs` outputs.
  static constexpr __host__ __device__ std::int64_t end_column(std::int64_t row_outputs) {
    return ((row_outputs / Channels - 1) * Down + first + Taps) * Channels;
  }
};

template <class S, int Channels, int Down, int Taps, int Stages, int MinBlocks>
__global__ void __launch_bounds__(32 * strip_warps, MinBlocks) reduce_kernel(const __grid_constant__ StripOperation op) {
  using Shape = ReduceShape<S, Channels, Down, Taps>;
  constexpr int columns = Shape::columns, groups = Shape::groups, outputs = Shape::outputs, stage_rows = Shape::stage_rows;
  using Row = typename Shape::Row;
  using Ring = RowRing<S, columns, stage_rows, Stages>;
  auto& memory = Shape::template Memory<Stages>::get();
  const int lane = int(threadIdx.x) % 32, warp_in_block = int(threadIdx.x) / 32;
  const std::int64_t warp = std::int64_t(blockIdx.x) * strip_warps + warp_in_block;
  if (warp >= op.warps) return;
  const StripPlace place = strip_place(op, warp);
  const int first_output = place.strip * Shape::strip_outputs;
  const int first_column = int(Shape::first_column(first_output));
  const int begin = place.segment * op.segment_rows, end = min(begin + op.segment_rows, op.out_rows);
  const int first_row = begin * Down + Shape::first;
  Ring ring(op, place.input, memory.rings[warp_in_block], lane, Ring::held, first_column, first_row, (end - 1 + groups) * Down + Shape::first);
  const SideFixes fixes(op, lane, first_column, 32 * columns, int(Shape::end_column(op.out_columns)) - first_column, Row::place);
  const bool open_sides = op.border == Border::zero &&
                          (first_column < 0 || first_column + 32 * columns > op.in_columns);
  const int reader = min(lane, Shape::lanes - 1);
  const int column = first_output + lane * outputs;
  const bool stores = lane < Shape::lanes && column < op.out_columns;

  float sums[groups][columns] = {};
  unsigned nans = 0;
  typename Row::Memory &row_0 = memory.between[warp_in_block][0], &row_1 = memory.between[warp_in_block][1];
  std::byte* out = place.output + std::ptrdiff_t(begin - groups + 1) * std::ptrdiff_t(op.out_stride);

  /// Place of tap `k` of a lane's output `o` in its window.
  const auto in_window = [](int o, int k) { return Shape::offset % 4 + (o / Channels * Down + k) * Channels + o % Channels; };
  /// Filters the sums of a finished row across and stores it.
  const auto finish = [&](typename Row::Memory& between, std::byte* to) {
    Row::write(between, lane, sums[0]);
    __syncwarp();
    if (fixes.any()) fixes.apply(between);
    float results[outputs] = {};
    float window[4 * Shape::quads];
#pragma unroll
    for (int q = 0; q < Shape::quads; ++q) {
      const float4 four = Row::read(between, reader, Shape::offset / 4 + q);
      window[4 * q] = four.x, window[4 * q + 1] = four.y, window[4 * q + 2] = four.z, window[4 * q + 3] = four.w;
    }
    if (!open_sides) {
#pragma unroll
      for (int k = 0; k < Taps; ++k)
#pragma unroll
        for (int o = 0; o < outputs; ++o)
          results[o] = __fmaf_rn(op.x_taps[k], window[in_window(o, k)], results[o]);
    } else {
      const int from = -(column / Channels * Down + Shape::first), to_end = op.in_columns / Channels + from;  // of the window that exists
#pragma unroll
      for (int k = 0; k < Taps; ++k)
#pragma unroll
        for (int o = 0; o < outputs; ++o)
          if (o / Channels * Down + k >= from && o / Channels * Down + k < to_end)
            results[o] = __fmaf_rn(op.x_taps[k], window[in_window(o, k)], results[o]);
    }
    if (stores) store_pack<S, outputs>(to, column, op.out_columns, to_samples<S, outputs>(op, results, 0, nans));
  };

  int row = first_row;
  for (int y = begin - groups + 1; y < end;) {
    ring.wait();
#pragma unroll
    for (int r = 0; r < stage_rows; ++r, ++row) {
      float values[columns];
      to_floats(ring.samples(r), values);
      if (op.border != Border::zero || unsigned(row) < unsigned(op.in_rows)) {
#pragma unroll
        for (int g = 0; g < groups; ++g)
#pragma unroll
          for (int c = 0; c < columns; ++c)
            sums[g][c] = __fmaf_rn(op.y_taps[(groups - 1 - g) * Down + r % Down], values[c], sums[g][c]);
      }
      if (r % Down != Down - 1) continue;
      if (y >= begin && y < end) finish((stage_rows / Down % 2 == 0 ? r / Down % 2 : y & 1) == 0 ? row_0 : row_1, out);
      ++y;
      out += op.out_stride;
#pragma unroll
      for (int g = 0; g + 1 < groups; ++g)
#pragma unroll
        for (int c = 0; c < columns; ++c) sums[g][c] = sums[g + 1][c];
#pragma unroll
      for (int c = 0; c < columns; ++c) sums[groups - 1][c] = 0.0f;
    }
    ring.release();
  }
  count_nans(op, nans);
}

}  // namespace upfirdn::cuda
