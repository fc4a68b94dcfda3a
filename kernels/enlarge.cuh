#pragma once
/// Strip kernels with the horizontal axis first: for outputs that are higher than the input.

#include "kernels/strip.cuh"

namespace upfirdn::cuda {

/// The same whole factor Up and number of taps along both axes, aligned as --pad auto does it: the first half of the phases
/// begins at one input position, the other half at the next. Inputs and outputs count samples.
template <class S, int Channels, int Up, int Taps>
struct EnlargeShape {
  static constexpr int outputs = Channels == 3 ? 12 : sizeof(S) == 4 ? 4 : 8;  // that a lane makes in a row
  static constexpr int inputs = outputs / Up;                // that these begin at, and that a lane loads
  static constexpr int taps = Taps / Up;                     // of a phase
  static constexpr int late = Up / 2;                        // phases from this one on begin one input later
  static constexpr int first = -((Taps + Up - 1) / 2 / Up);  // position of the first tap of output 0
  static constexpr int start = first * Channels;             // of a lane's window, from its first input
  static constexpr int window = (inputs / Channels + taps) * Channels;
  static constexpr int stage_rows = 2;
  static constexpr int turn = Up == 2 ? 4 : 2;               // rows of a turn of the loop; as many are loaded ahead
  static constexpr int left_lanes = (-start + inputs - 1) / inputs, right_lanes = (start + window - 1) / inputs;
  static constexpr int piece = power_in(inputs * int(sizeof(S))) / int(sizeof(S));
  using Rows = SharedRows<inputs, stage_rows, ((left_lanes > right_lanes ? left_lanes : right_lanes) * inputs + 7) / 4 * 4, 1>;
  static constexpr int first_chunk = floor_div(start, Rows::chunk), inner = start - first_chunk * Rows::chunk;
  static constexpr int chunks = (inner + window + Rows::chunk - 1) / Rows::chunk;
  static_assert(Taps % Up == 0 && outputs % (Up * Channels) == 0 && turn % stage_rows == 0);
};

template <class S, int Channels, int Up, int Taps, int MaxWarps, int MinBlocks>
__global__ void __launch_bounds__(32 * MaxWarps, MinBlocks) enlarge_kernel(const __grid_constant__ StripOperation op) {
  using Shape = EnlargeShape<S, Channels, Up, Taps>;
  using Rows = typename Shape::Rows;
  constexpr int taps = Shape::taps, outputs = Shape::outputs, inputs = Shape::inputs, stage_rows = Shape::stage_rows, chunk = Rows::chunk, turn = Shape::turn;
  __shared__ typename Rows::Barriers barriers;
  const StripPlace place = strip_place(op);
  const int made_first = op.strips > 1 ? min(place.strip * op.strip_units, op.units - op.strip_units) : 0;
  const int first_unit = op.strips > 1 ? made_first - Shape::left_lanes : 0;
  const int unit = first_unit + int(threadIdx.x), column = unit * outputs;
  const int count = unsigned(unit - made_first) < unsigned(op.strip_units) ? op.out_columns - column : 0;  // outputs to store
  // Step c ends with input row c + first + taps - 1, which completes outputs (c - 1) * Up + late ... + Up - 1.
  const int begin = place.segment * op.segment_rows, end = min(begin + op.segment_rows, (op.out_rows - 1 - Shape::late + Up) / Up + 1);
  const int first_row = begin + Shape::first, row_count = end - begin + taps - 1;
  const int loaded = within_row<S, Shape::piece>(op, unit * inputs, inputs);
  RowLoads<S, inputs, Shape::piece, turn> loads(op, place.input, loaded, first_row, first_row + row_count);
  const int last_made = min(made_first + op.strip_units - 1, (op.out_columns - 1) / outputs);
  const Rows shared(op, dynamic_shared(), barriers, first_unit * inputs, loaded, made_first * inputs + Shape::start,
                    last_made * inputs + Shape::start + Shape::window);
  const auto in_window = [](int o, int k) {  // place of tap `k` of a lane's output `o` in its window
    return (o / Channels / Up + (o / Channels % Up >= Shape::late ? 1 : 0) + k) * Channels + o % Channels;
  };
  const auto phase = [](int o) { return o / Channels % Up; };
  const int window_first = unit * inputs + Shape::start;
  const bool zeros_last = op.border == Border::zero && count > 0 && window_first + Shape::window > op.in_columns;

  float rows[taps - 1 + turn][outputs] = {};  // the last `taps` - 1, and those of this turn
  unsigned nans = 0;
  /// Shows the lanes the rows of stage `s`.
  const auto share = [&](auto careful, int s, int load_slot) {
    constexpr bool Careful = decltype(careful)::value;
#pragma unroll
    for (int r = 0; r < stage_rows; ++r) {
      float values[inputs];
      loads.template take<Careful>((load_slot + r) % turn, values);
      shared.write(s, r, values);
    }
    shared.publish(s);
  };
  const auto filter_across = [&](const float* between, auto& results) {
    float window[Shape::chunks * chunk];
#pragma unroll
    for (int n = 0; n < Shape::chunks; ++n) {
      const Pack<float, chunk> pack = shared.read(between, Shape::first_chunk + n);
#pragma unroll
      for (int i = 0; i < chunk; ++i) window[n * chunk + i] = pack.s[i];
    }
#pragma unroll
    for (int o = 0; o < outputs; ++o) {
      float sum = 0.0f;
#pragma unroll
      for (int k = 0; k < taps; ++k) sum = __fmaf_rn(op.x_taps[phase(o) * taps + k], window[Shape::inner + in_window(o, k)], sum);
      results[o] = sum;
    }
    if (!is_integer_sample<S> && zeros_last) {
#pragma unroll
      for (int o = 0; o < outputs; ++o) {
        if (results[o] != 0.0f) continue;  // 0 or -0: leave out what does not exist
        results[o] = 0.0f;
#pragma unroll 1
        for (int k = 0; k < taps; ++k)
          if (const int at = window_first + in_window(o, k); unsigned(at) < unsigned(op.in_columns))
            results[o] = __fmaf_rn(op.x_taps[phase(o) * taps + k], between[shared.place(at)], results[o]);
      }
    }
  };
  std::byte* out = place.output + std::ptrdiff_t((begin - 1) * Up + Shape::late) * std::ptrdiff_t(op.out_stride) + std::ptrdiff_t(column) * int(sizeof(S));
  /// Makes the rows that row `n`, number `slot` of the turn, completes.
  const auto filter_down = [&](auto careful, int n, int slot) {
    constexpr bool Careful = decltype(careful)::value;
    const int existing = op.in_rows - (first_row + n - taps + 1);  // of the `taps` rows
#pragma unroll
    for (int p = 0; p < Up; ++p, out += op.out_stride) {
      const int row_phase = (p + Shape::late) % Up, y = (begin + n - taps) * Up + Shape::late + p;
      float results[outputs] = {};
#pragma unroll
      for (int k = 0; k < taps; ++k)
        if (!Careful || is_integer_sample<S> || op.border != Border::zero || k < existing)
#pragma unroll
          for (int o = 0; o < outputs; ++o)
            results[o] = __fmaf_rn(op.y_taps[row_phase * taps + k], rows[slot + k][o], results[o]);
      if (Careful && unsigned(y) >= unsigned(op.out_rows)) continue;
      const Pack<S, outputs> samples = to_samples<Careful, S, Channels>(op, results, nans);
      if (count >= outputs) store_pack(out, samples);
      else if (count > 0) store_some(out, count, samples);
    }
  };
  int n = 0;  // row that is filtered, counted from the first; those of the next stage have been shared
  const auto step = [&](auto careful) {
    constexpr bool Careful = decltype(careful)::value;
#pragma unroll
    for (int slot = 0; slot < turn; slot += stage_rows) {
      if (Careful && n >= row_count) break;
      const int stage = n / stage_rows;
      if (!Careful || n + stage_rows < row_count) share(careful, stage + 1, slot + stage_rows);
      shared.wait(stage);
#pragma unroll
      for (int r = 0; r < stage_rows; ++r, ++n) {
        if (Careful && n >= row_count) break;
        filter_across(shared.row(stage, r), rows[taps - 1 + slot + r]);
        if (!Careful || n >= taps - 1) filter_down(careful, n, slot + r);
      }
    }
#pragma unroll
    for (int k = 0; k < taps - 1; ++k)
#pragma unroll
      for (int o = 0; o < outputs; ++o) rows[k][o] = rows[k + turn][o];
  };
  // Steps begin with rows n that are multiples of `turn`, share rows up to n + turn + stage_rows - 1 and ask for others `turn`
  // ahead.
  FastSteps fast{max(taps, max(-first_row - turn, taps - begin)), min(row_count, op.in_rows - first_row) - 2 * turn - stage_rows + 1};
  fast.end = min(fast.end, (op.out_rows - Shape::late) / Up + taps - turn + 1 - begin);
  if (!op.fast) fast.end = 0;
  share(std::true_type{}, 0, 0);
  while (n < row_count) {
    if (fast.holds(n)) step(std::false_type{});
    else step(std::true_type{});
  }
  count_nans(op, nans);
}

}  // namespace upfirdn::cuda
