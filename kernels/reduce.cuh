#pragma once
/// Strip kernels with the vertical axis first: for outputs that are lower than the input or as high.

#include "kernels/strip.cuh"

namespace upfirdn::cuda {

/// The same whole factor 1 / Down and number of taps along both axes, aligned as --pad auto does it. Columns and outputs count
/// samples.
template <class S, int Channels, int Down, int Taps, int Columns, int StageRows>
struct ReduceShape {
  static constexpr int columns = Columns;                           // that a lane filters down
  static constexpr int groups = Taps / Down;                        // of Down rows that an output needs
  static constexpr int first = -((Taps + 1 - Down) / 2);            // position of the first tap of output 0
  static constexpr int outputs = columns / Down;                    // that a lane makes
  static constexpr int start = first * Channels;                    // of a lane's window, from its first column
  static constexpr int window = ((outputs / Channels - 1) * Down + Taps) * Channels;
  static constexpr int first_chunk = floor_div(start, 4), inner = start - 4 * first_chunk, chunks = (inner + window + 3) / 4;
  static constexpr int left_lanes = (-start + columns - 1) / columns;  // that hold parts of it
  static constexpr int right_lanes = (start + window - 1) / columns;
  static constexpr int piece = power_in(columns * int(sizeof(S))) / int(sizeof(S));
  using Rows = SharedRows<columns, StageRows / Down, (1 + (left_lanes > right_lanes ? left_lanes : right_lanes)) * columns, columns == 8 ? 2 : 1>;
  static_assert(Taps % Down == 0 && columns % (Down * Channels) == 0 && StageRows % Down == 0 && columns % 4 == 0);
};

template <class S, int Channels, int Down, int Taps, int Columns, int StageRows, int MaxWarps, int MinBlocks>
__global__ void __launch_bounds__(32 * MaxWarps, MinBlocks) reduce_kernel(const __grid_constant__ StripOperation op) {
  using Shape = ReduceShape<S, Channels, Down, Taps, Columns, StageRows>;
  using Rows = typename Shape::Rows;
  constexpr int columns = Columns, groups = Shape::groups, outputs = Shape::outputs, stage_outputs = StageRows / Down;
  __shared__ typename Rows::Barriers barriers;
  const StripPlace place = strip_place(op);
  const int lane = int(threadIdx.x);
  const int made_first = op.strips > 1 ? min(place.strip * op.strip_units, op.units - op.strip_units) : 0;
  const int first_unit = op.strips > 1 ? made_first - Shape::left_lanes : 0;
  const int unit = first_unit + lane, column = unit * outputs;
  const int count = unsigned(unit - made_first) < unsigned(op.strip_units) ? op.out_columns - column : 0;  // outputs to store
  const int begin = place.segment * op.segment_rows, end = min(begin + op.segment_rows, op.out_rows);
  const int first_row = begin * Down + Shape::first, end_row = (end - 1 + groups) * Down + Shape::first;
  const int loaded = within_row<S, Shape::piece>(op, unit * columns, columns);
  RowLoads<S, columns, Shape::piece, StageRows> loads(op, place.input, loaded, first_row, end_row);
  const int last_made = min(made_first + op.strip_units - 1, (op.out_columns - 1) / outputs);
  const Rows rows(op, dynamic_shared(), barriers, first_unit * columns, loaded, made_first * columns + Shape::start,
                  last_made * columns + Shape::start + Shape::window);

  float sums[groups][columns] = {};
  unsigned nans = 0;
  int row = first_row, stage = 0;
  /// Filters the next rows down, to `stage_outputs` rows of the stage.
  const auto filter_down = [&](auto careful) {
    constexpr bool Careful = decltype(careful)::value;
#pragma unroll
    for (int r = 0; r < StageRows; ++r, ++row) {
      float values[columns];
      loads.template take<Careful>(r, values);
      const bool starts = r % Down == 0;  // an output: the sums move on
      if (!Careful || is_integer_sample<S> || op.border != Border::zero || row < op.in_rows) {
#pragma unroll
        for (int g = 0; g < groups; ++g)
#pragma unroll
          for (int c = 0; c < columns; ++c)
            sums[g][c] = __fmaf_rn(op.y_taps[r % Down * groups + g], values[c], !starts ? sums[g][c] : g + 1 < groups ? sums[g + 1][c] : 0.0f);
      } else if (starts) {
#pragma unroll
        for (int g = 0; g < groups; ++g)
#pragma unroll
          for (int c = 0; c < columns; ++c) sums[g][c] = g + 1 < groups ? sums[g + 1][c] : 0.0f;
      }
      if (r % Down == Down - 1) rows.write(stage, r / Down, sums[0]);
    }
    rows.publish(stage);
  };
  /// Place of tap `k` of a lane's output `o` in its window.
  const auto in_window = [](int o, int k) { return (o / Channels * Down + k) * Channels + o % Channels; };
  const int window_first = unit * columns + Shape::start;
  const bool zeros_last = op.border == Border::zero && count > 0 && window_first + Shape::window > op.in_columns;
  std::byte* out = place.output + std::size_t(begin) * op.out_stride + std::ptrdiff_t(column) * int(sizeof(S));
  /// Filters the rows of stage `s` across and stores them.
  const auto filter_across = [&](auto careful, int s) {
    constexpr bool Careful = decltype(careful)::value;
    rows.wait(s);
#pragma unroll
    for (int r = 0; r < stage_outputs; ++r) {
      const int y = begin - groups + 1 + s * stage_outputs + r;
      if (Careful && (y < begin || y >= end)) continue;
      const float* between = rows.row(s, r);
      float window[4 * Shape::chunks];
#pragma unroll
      for (int q = 0; q < Shape::chunks; ++q) {
        const Pack<float, 4> four = rows.read(between, Shape::first_chunk + q);
#pragma unroll
        for (int i = 0; i < 4; ++i) window[4 * q + i] = four.s[i];
      }
      float results[outputs] = {};
#pragma unroll
      for (int k = 0; k < Taps; ++k)
#pragma unroll
        for (int o = 0; o < outputs; ++o) results[o] = __fmaf_rn(op.x_taps[k], window[Shape::inner + in_window(o, k)], results[o]);
      if (!is_integer_sample<S> && zeros_last) {
#pragma unroll
        for (int o = 0; o < outputs; ++o) {
          if (results[o] != 0.0f) continue;  // 0 or -0: leave out what does not exist
          results[o] = 0.0f;
#pragma unroll 1
          for (int k = 0; k < Taps; ++k)
            if (const int at = window_first + in_window(o, k); unsigned(at) < unsigned(op.in_columns))
              results[o] = __fmaf_rn(op.x_taps[k], between[rows.place(at)], results[o]);
        }
      }
      const Pack<S, outputs> samples = to_samples<Careful, S, Channels>(op, results, nans);
      if (count >= outputs) store_pack(out, samples);
      else if (count > 0) store_some(out, count, samples);
      out += op.out_stride;
    }
  };

  const int stage_count = (end - begin + groups - 1 + stage_outputs - 1) / stage_outputs;
  FastSteps fast{max(1 + (groups - 1 + stage_outputs - 1) / stage_outputs, (-first_row + StageRows - 1) / StageRows - 1),
                 min((end - begin + groups - 1) / stage_outputs + 1, (min(end_row, op.in_rows) - first_row) / StageRows - 1)};
  if (!op.fast) fast.end = 0;
  const auto step = [&](auto careful) {
    filter_down(careful);
    if (stage > 0) filter_across(careful, stage - 1);
    ++stage;
  };
  while (stage < stage_count) {
    if (fast.holds(stage)) step(std::false_type{});
    else step(std::true_type{});
  }
  filter_across(std::true_type{}, stage - 1);
  count_nans(op, nans);
}

}  // namespace upfirdn::cuda
