#include "kernels/strips.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/strip_launch.hpp"
#include "kernels/tuning.hpp"

namespace upfirdn::cuda {
namespace {

constexpr std::size_t alignment = 16;  // of rows

bool aligned(const DeviceImage& image) {
  return reinterpret_cast<std::uintptr_t>(image.data) % alignment == 0 && image.stride_bytes % alignment == 0 &&
         image.image_stride_bytes % alignment == 0;
}

/// Arithmetic around the filter that strip kernels know: gain, and an epilogue in codes.
bool simple_samples(const Operation& op) {
  const auto& s = op.samples.rule;
  return op.arithmetic() == Arithmetic::float32 && !s.premultiply && !s.linear && !s.nodata && op.input.type == op.output.type && s.depth_multiplier == 1 &&
         s.depth_divisor == 1 && (!s.epilogue || s.range == ValueRange::code);
}

AfterFilter after_filter(const SampleMathView& s, const std::vector<double>& biases) {
  AfterFilter after{s.gain, {-0.0f, -0.0f, -0.0f, -0.0f}, 1.0f, 1.0f, std::numeric_limits<float>::infinity(), false, s.gain != 1.0f || s.epilogue};
  if (!s.epilogue) return after;
  for (int c = 0; c < most_strip_channels && c < int(biases.size()); ++c) after.bias[c] = float(biases[std::size_t(c)]);
  after.relu = s.activation == Activation::relu;
  if (s.activation == Activation::lrelu) after.slope = s.slope;
  after.activation_gain = s.activation_gain;
  if (s.clamp) after.limit = s.clamp_limit;
  return after;
}

/// True if no sum of integer samples can grow beyond floats, nor what follows it.
bool bounded(const Operation& op, const AfterFilter& after) {
  const auto largest = [](const Axis& axis) {  // at least the sum of absolute taps of any phase
    double most = 0;
    for (const double tap : axis.taps) most = std::max(most, std::fabs(tap));
    return most * double(std::max<std::int64_t>(axis.longest_phase(), 1));
  };
  double bound = 65536.0 * std::max(1.0, largest(op.x)) * std::max(1.0, largest(op.y)) * std::max(1.0, std::fabs(double(after.gain)));
  for (const float bias : after.bias) bound += std::fabs(double(bias));
  bound *= std::max(1.0, std::fabs(double(after.slope))) * std::max(1.0, std::fabs(double(after.activation_gain)));
  return bound < 1e30;
}

/// True if every code of the output's type is allowed.
bool full_range(const Operation& op) {
  const auto& s = op.samples.rule;
  return s.out_max == double(full_scale(op.output.type)) && s.out_min == (op.output.type == PixelType::s16 ? -32768.0 : 0.0);
}

/// True if mirrored positions lie at most one image beyond an end.
bool near(const Axis& axis, Border border) {
  if (border != Border::reflect && border != Border::mirror) return true;
  const AxisView view = axis.view();
  std::int64_t first = 0, end = 0;
  for (const std::int64_t x : {std::int64_t(0), axis.out - 1})  // runs move on with their outputs, give or take a few samples
    for (std::int64_t o = std::max<std::int64_t>(x - axis.period, 0); o <= std::min(x + axis.period, axis.out - 1); ++o) {
      const TapRun run = view.locate(o);
      first = std::min(first, run.first), end = std::max(end, run.first + run.count);
    }
  return first > -axis.in && end < 2 * axis.in;
}

bool fits(const Operation& op, const DeviceImage& input, const DeviceImage& output) {
  constexpr std::int64_t most_columns = (std::int64_t(1) << 30);
  constexpr std::size_t most_stride = std::size_t(1) << 31;
  return !op.raw_copy && !op.matrix && simple_samples(op) && aligned(input) && aligned(output) && op.border != Border::constant &&
         op.border != Border::wrap && op.input.width * op.input.channels < most_columns && op.input.height < most_columns &&
         op.output.width * op.output.channels < most_columns && op.output.height < most_columns &&
         input.stride_bytes < most_stride && output.stride_bytes < most_stride &&
         near(op.x, op.border) && near(op.y, op.border);
}

/// Positions of an axis as compile-time kernels know them: `up` phases of `taps` taps.
bool matches(const Axis& axis, int up, int down, int taps) {
  if (axis.mode != AxisMode::filter || axis.period != up || axis.step != down || axis.out < up) return false;
  const std::int64_t first = -std::int64_t((taps + up - down) / 2 / up);
  for (int p = 0; p < up; ++p)
    if (axis.count[std::size_t(p)] != taps / up || axis.first[std::size_t(p)] != first + (up > 1 && p >= up / 2 ? 1 : 0)) return false;
  return true;
}

std::string row_name(int row) {
  const StripRow& r = strip_rows[row];
  const std::string taps = ", " + std::to_string(r.taps) + " taps";
  return r.up > 1 ? "strips up " + std::to_string(r.up) + taps : "strips down " + std::to_string(r.down) + taps;
}

/// The first row for reductions by run-time factors that fits, or the number of rows.
int reduce_ratio_row(const Operation& op, const RowProgram& program) {
  const std::int64_t longest = std::max(op.x.longest_phase(), op.y.longest_phase());
  int row = longest > run_length * run_length ? reduce_ratio_row_count : 0;  // kernels sum one level of runs
  while (row < reduce_ratio_row_count && (reduce_ratio_rows[row].outputs < program.most_outputs || (longest > run_length && !reduce_ratio_rows[row].long_phases))) ++row;
  return row;
}

/// The same for enlargements.
int enlarge_ratio_row(const Operation& op, const RowProgram& program) {
  int row = 0;
  while (row < enlarge_ratio_row_count && (enlarge_ratio_rows[row].taps < op.x.longest_phase() || enlarge_ratio_rows[row].rows < program.most_outputs)) ++row;
  return row;
}

void copy_taps(float* to, const Axis& axis) {
  for (std::size_t p = 0; p < axis.count.size(); ++p)
    for (std::int64_t k = 0; k < axis.count[p]; ++k) *to++ = float(axis.taps[std::size_t(axis.offset[p] + k)]);
}

/// The taps of a phase as reductions want them.
void group_taps(float* taps, int down, int count) {
  const std::vector<float> phase(taps, taps + count);
  const int groups = count / down;
  for (int r = 0; r < down; ++r)
    for (int g = 0; g < groups; ++g) taps[r * groups + g] = phase[std::size_t((groups - 1 - g) * down + r)];
}

}  // namespace

std::optional<std::string> launch_strips(const DeviceOperation& prepared, const DeviceImage& input, const DeviceImage& output,
                                         unsigned long long* nan_samples, cudaStream_t stream) {
  const Operation& planned = prepared.operation();
  if (!fits(planned, input, output) || (input.channels != 1 && input.channels != 3)) return std::nullopt;
  const SampleMathView& s = prepared.numbers<float>().samples;
  StripOperation op{};
  op.input = static_cast<const std::byte*>(input.data), op.output = static_cast<std::byte*>(output.data);
  op.in_stride = unsigned(input.stride_bytes), op.out_stride = unsigned(output.stride_bytes);
  op.in_image_stride = input.image_stride_bytes, op.out_image_stride = output.image_stride_bytes;
  op.in_columns = int(input.width * input.channels), op.in_rows = int(input.height);
  op.out_columns = int(output.width * output.channels), op.out_rows = int(output.height);
  op.channels = input.channels;
  op.border = planned.border;
  op.after = after_filter(s, planned.samples.bias);
  const bool floats = is_float(planned.output.type), finite = !floats && bounded(planned, op.after);
  op.fast = !op.after.relu && !s.clamp && (floats || (full_range(planned) && finite));
  op.out_min = s.out_min, op.out_max = s.out_max;
  op.minus_zero = -0.0f;
  op.nan_samples = nan_samples;
  for (int row = 0; row < strip_row_count; ++row) {
    const StripRow& r = strip_rows[row];
    if (!matches(planned.x, r.up, r.down, r.taps) || !matches(planned.y, r.up, r.down, r.taps)) continue;
    copy_taps(op.x_taps, planned.x);
    copy_taps(op.y_taps, planned.y);
    if (r.up == 1) group_taps(op.y_taps, r.down, r.taps);
    const bool launched = visit_filtered_type<float>(planned.input.type, [&](auto sample) {
      return StripLauncher<decltype(sample)>::launch(row, op, planned, int(input.images), stream);
    });
    if (launched) return row_name(row) + ", " + std::string(name(planned.input.type));
  }
  if (planned.x.mode != AxisMode::filter || planned.y.mode != AxisMode::filter) return std::nullopt;
  const RowProgram* program = prepared.row_program();
  const WindowTable* table = prepared.window_table();
  // Unused places of windows hold taps 0: an infinite sum there must be noticed, which kernels do for floats only.
  if (program == nullptr || (planned.vertical_first && table == nullptr) || (!floats && !finite)) return std::nullopt;
  op.x = prepared.numbers<float>().x, op.y = prepared.numbers<float>().y;
  op.row_program = prepared.row_entries(), op.row_taps = prepared.row_taps();
  op.row_entries = program->entries, op.row_base = program->base;
  op.windows = prepared.windows(), op.window_taps = prepared.window_taps();
  const int row = planned.vertical_first ? reduce_ratio_row(planned, *program) : enlarge_ratio_row(planned, *program);
  const bool launched = visit_filtered_type<float>(planned.input.type, [&](auto sample) {
    using Launcher = StripLauncher<decltype(sample)>;
    return planned.vertical_first ? Launcher::launch_reduce_ratio(row, op, planned, *table, int(input.images), stream)
                                  : Launcher::launch_enlarge_ratio(row, op, planned, int(input.images), stream);
  });
  if (!launched) return std::nullopt;
  const std::string kernel = !planned.vertical_first ? "enlarging, up to " + std::to_string(enlarge_ratio_rows[row].taps) + " taps"
                             : "reducing, up to " + std::to_string(reduce_ratio_rows[row].outputs) + " outputs at once" +
                                   (reduce_ratio_rows[row].long_phases ? ", long phases" : "");
  return "strips " + kernel + ", " + std::string(name(planned.input.type));
}

}  // namespace upfirdn::cuda
