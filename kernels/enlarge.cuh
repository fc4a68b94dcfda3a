#pragma once
/// Strip kernels with the horizontal axis first: for outputs that are higher than the input.

#include "kernels/strip.cuh"

namespace upfirdn::cuda {

/// The same whole factor Up and number of taps along both axes, aligned as --pad auto does it: the first half of the phases
/// begins at one input position, the other half at the next. Inputs and outputs count samples.
template <class S, int Channels, int Up, int Taps>
struct EnlargeShape {
  static constexpr int outputs = Channels == 3 ? 12 : sizeof(S) == 4 ? 4 : 8;  // that a lane makes in a row
  static constexpr int inputs = outputs / Up;                // that these begin at
  static constexpr int taps = Taps / Up;                     // of a phase
  static constexpr int late = Up / 2;                        // phases from this one on begin one input later
  static constexpr int first = -((Taps + Up - 1) / 2 / Up);  // position of the first tap of output 0
  static constexpr int columns = 8;                          // that a lane converts
  static constexpr int alignment = 16 / int(sizeof(S));      // of a strip's first column
  static constexpr int offset = (first * Channels % alignment + alignment) % alignment;  // of its first tap
  static constexpr int unit_offset = offset / inputs, rest = offset % inputs;
  static constexpr int window = (inputs / Channels + taps) * Channels;        // columns that a lane needs
  static constexpr int units = (rest + window + inputs - 1) / inputs;         // of `inputs` samples that hold them
  static constexpr int held = (unit_offset + 31 + units) * inputs;            // columns that a strip needs
  static constexpr int lanes = (held + columns - 1) / columns;                // that convert
  static constexpr int strip_outputs = 32 * outputs;
  template <int Stages>
  using Memory = BlockMemory<RowRing<S, columns, 1, Stages>, 32 * columns>;
  static_assert(Taps % Up == 0 && outputs % (Up * Channels) == 0 && lanes <= 32 && 32 * inputs % alignment == 0);
  static constexpr __host__ __device__ std::int64_t first_column(std::int64_t output) {
    return (output / Channels / Up + first) * Channels - offset;
  }
  static constexpr __host__ __device__ std::int64_t end_column(std::int64_t row_outputs) {
    return ((row_outputs / Channels - 1) / Up + first + taps + 1) * Channels;
  }
};

template <class S, int Channels, int Up, int Taps, int Stages, int MinBlocks>
__global__ void __launch_bounds__(32 * strip_warps, MinBlocks) enlarge_kernel(const __grid_constant__ StripOperation op) {
  using Shape = EnlargeShape<S, Channels, Up, Taps>;
  constexpr int taps = Shape::taps, outputs = Shape::outputs, inputs = Shape::inputs, columns = Shape::columns;
  using Ring = RowRing<S, columns, 1, Stages>;
  auto& memory = Shape::template Memory<Stages>::get();
  const int lane = int(threadIdx.x) % 32, warp_in_block = int(threadIdx.x) / 32;
  const std::int64_t warp = std::int64_t(blockIdx.x) * strip_warps + warp_in_block;
  if (warp >= op.warps) return;
  const StripPlace place = strip_place(op, warp);
  const int first_output = place.strip * Shape::strip_outputs;
  const int first_column = int(Shape::first_column(first_output));
  // Step c ends with input row c + first + taps - 1, which completes outputs (c - 1) * Up + late ... + Up - 1.
  const int begin = place.segment * op.segment_rows, end = min(begin + op.segment_rows, (op.out_rows - 1 - Shape::late + Up) / Up + 1);
  const int first_row = begin + Shape::first, row_count = end - begin + taps - 1;
  Ring ring(op, place.input, memory.rings[warp_in_block], lane, Shape::held, first_column, first_row, first_row + row_count);
  const SideFixes fixes(op, lane, first_column, Shape::held, int(Shape::end_column(op.out_columns)) - first_column,
                        [](int i) { return i; });
  const bool open_sides = op.border == Border::zero && (first_column < 0 || first_column + Shape::held > op.in_columns);
  const int column = first_output + lane * outputs;

  float rows[taps][outputs] = {};
  unsigned valid = 0;  // bit k: row k of the last `taps` rows exists
  unsigned nans = 0;
  const auto filter_row = [&](const float* row, float (&result)[outputs]) {
    float window[Shape::units * inputs];
    const auto* source = reinterpret_cast<const Pack<float, inputs>*>(row) + Shape::unit_offset + lane;
#pragma unroll
    for (int u = 0; u < Shape::units; ++u) {
      const Pack<float, inputs> unit = source[u];
#pragma unroll
      for (int i = 0; i < inputs; ++i) window[u * inputs + i] = unit.s[i];
    }
    const int from = -(column / Channels / Up + Shape::first), to_end = op.in_columns / Channels + from;  // of the window that exists
#pragma unroll
    for (int o = 0; o < outputs; ++o) {
      const int phase = o / Channels % Up, at = o / Channels / Up + (phase >= Shape::late ? 1 : 0);
      float sum = 0.0f;
#pragma unroll
      for (int k = 0; k < taps; ++k)
        if (!open_sides || (at + k >= from && at + k < to_end))
          sum = __fmaf_rn(op.x_taps[phase * taps + k], window[Shape::rest + (at + k) * Channels + o % Channels], sum);
      result[o] = sum;
    }
  };
  /// Makes the rows that the newest one, in slot `newest`, completes.
  const auto emit = [&](int step, int newest) {
#pragma unroll
    for (int p = 0; p < Up; ++p) {
      const int phase = (p + Shape::late) % Up, y = (step - 1) * Up + Shape::late + p;
      float results[outputs] = {};
#pragma unroll
      for (int k = 0; k < taps; ++k)
        if (valid >> k & 1)
#pragma unroll
          for (int o = 0; o < outputs; ++o)
            results[o] = __fmaf_rn(op.y_taps[phase * taps + k], rows[(newest + 1 + k) % taps][o], results[o]);
      if (column < op.out_columns && y >= 0 && y < op.out_rows)
        store_pack<S, outputs>(place.output + std::size_t(y) * op.out_stride, column, op.out_columns,
                               to_samples<S, outputs>(op, results, 0, nans));
    }
  };
  int buffer = 0;
  for (int base = 0; base < row_count; base += taps) {
#pragma unroll
    for (int slot = 0; slot < taps; ++slot) {  // the newest row takes the slot of the oldest
      const int n = base + slot;
      if (n >= row_count) break;
      ring.wait();
      float values[columns];
      to_floats(ring.samples(0), values);
      float* row = memory.between[warp_in_block][buffer];
      buffer ^= 1;
      if (lane < Shape::lanes) {
#pragma unroll
        for (int c = 0; c < columns; c += 4)
          *reinterpret_cast<float4*>(row + columns * lane + c) = make_float4(values[c], values[c + 1], values[c + 2], values[c + 3]);
      }
      ring.release();  // synchronises the warp
      if (fixes.any()) fixes.apply(row);
      filter_row(row, rows[slot]);
      const bool exists = op.border != Border::zero || unsigned(first_row + n) < unsigned(op.in_rows);
      valid = valid >> 1 | (exists ? 1u << (taps - 1) : 0u);
      if (n >= taps - 1) emit(begin + n - taps + 1, slot);
    }
  }
  count_nans(op, nans);
}

}  // namespace upfirdn::cuda
