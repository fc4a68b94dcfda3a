#include "kernels/strips.hpp"

#include <algorithm>
#include <limits>

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
  const SampleMathView& s = op.samples.rule;
  return !s.premultiply && !s.linear && !s.nodata && op.input.type == op.output.type && s.depth_multiplier == 1.0f &&
         s.depth_divisor == 1.0f && (!s.epilogue || s.range == ValueRange::code);
}

AfterFilter after_filter(const SampleMathView& s, const std::vector<float>& biases) {
  AfterFilter after{s.gain, {-0.0f, -0.0f, -0.0f, -0.0f}, 1.0f, 1.0f, std::numeric_limits<float>::infinity(), false};
  if (!s.epilogue) return after;
  for (int c = 0; c < most_strip_channels && c < int(biases.size()); ++c) after.bias[c] = biases[std::size_t(c)];
  after.relu = s.activation == Activation::relu;
  if (s.activation == Activation::lrelu) after.slope = s.slope;
  after.activation_gain = s.activation_gain;
  if (s.clamp) after.limit = s.clamp_limit;
  return after;
}

bool fits(const Operation& op, const DeviceImage& input, const DeviceImage& output) {
  constexpr std::int64_t most_columns = (std::int64_t(1) << 30);
  return !op.raw_copy && !op.matrix && simple_samples(op) && aligned(input) && aligned(output) && op.border != Border::constant &&
         op.border != Border::wrap && op.input.width * op.input.channels < most_columns && op.input.height < most_columns &&
         op.output.width * op.output.channels < most_columns && op.output.height < most_columns;
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

std::string ratio_name(const RatioRow& row) {
  return std::string("strips ") + (row.reduces ? "reducing" : "enlarging") + ", up to " + std::to_string(row.taps) + " taps";
}

bool fits_row(const RatioRow& row, const Operation& op, const RowProgram* program) {
  if (row.reduces != op.vertical_first || op.x.longest_phase() > row.taps) return false;
  if (row.reduces) return program != nullptr && program->most_outputs <= row.slots;
  if (*std::min_element(op.y.count.begin(), op.y.count.end()) < 1) return false;
  if (op.y.longest_phase() > row.slots) return false;
  for (std::size_t p = 1; p < op.y.first.size(); ++p)  // rows are taken in order
    if (op.y.first[p] < op.y.first[p - 1] || op.y.first[p] + op.y.count[p] < op.y.first[p - 1] + op.y.count[p - 1]) return false;
  return true;
}

void copy_taps(float* to, const Axis& axis) {
  for (std::size_t p = 0; p < axis.count.size(); ++p)
    for (std::int64_t k = 0; k < axis.count[p]; ++k) *to++ = axis.taps[std::size_t(axis.offset[p] + k)];
}

}  // namespace

std::optional<std::string> launch_strips(const DeviceOperation& prepared, const DeviceImage& input, const DeviceImage& output,
                                         unsigned long long* nan_samples, cudaStream_t stream) {
  const Operation& planned = prepared.operation();
  if (!fits(planned, input, output) || (input.channels != 1 && input.channels != 3)) return std::nullopt;
  const SampleMathView& s = prepared.samples();
  StripOperation op{};
  op.input = static_cast<const std::byte*>(input.data), op.output = static_cast<std::byte*>(output.data);
  op.in_stride = input.stride_bytes, op.out_stride = output.stride_bytes;
  op.in_image_stride = input.image_stride_bytes, op.out_image_stride = output.image_stride_bytes;
  op.in_columns = int(input.width * input.channels), op.in_rows = int(input.height);
  op.out_columns = int(output.width * output.channels), op.out_rows = int(output.height);
  op.channels = input.channels;
  op.border = planned.border;
  op.plain = s.gain == 1.0f && !s.epilogue;
  op.after = after_filter(s, planned.samples.bias);
  op.out_min = s.out_min, op.out_max = s.out_max;
  op.nan_samples = nan_samples;
  for (int row = 0; row < strip_row_count; ++row) {
    const StripRow& r = strip_rows[row];
    if (!matches(planned.x, r.up, r.down, r.taps) || !matches(planned.y, r.up, r.down, r.taps)) continue;
    copy_taps(op.x_taps, planned.x);
    copy_taps(op.y_taps, planned.y);
    const bool launched = visit_pixel_type(planned.input.type, [&](auto sample) {
      return StripLauncher<decltype(sample)>::launch(row, op, planned, int(input.images), stream);
    });
    if (launched) return row_name(row) + ", " + std::string(name(planned.input.type));
  }
  if (planned.x.mode != AxisMode::filter || planned.y.mode != AxisMode::filter) return std::nullopt;
  op.x = prepared.x(), op.y = prepared.y();
  if (const RowProgram* program = prepared.row_program()) {
    op.row_program = prepared.row_entries(), op.row_taps = prepared.row_taps();
    op.row_entries = program->entries, op.row_base = program->base;
  }
  for (int row = 0; row < ratio_row_count; ++row) {
    if (!fits_row(ratio_rows[row], planned, prepared.row_program())) continue;
    const bool launched = visit_pixel_type(planned.input.type, [&](auto sample) {
      return StripLauncher<decltype(sample)>::launch_ratio(row, op, planned, int(input.images), stream);
    });
    if (launched) return ratio_name(ratio_rows[row]) + ", " + std::string(name(planned.input.type));
  }
  return std::nullopt;
}

std::vector<std::string> strip_kernel_names() {
  std::vector<std::string> names;
  for (int row = 0; row < strip_row_count; ++row) names.push_back(row_name(row));
  for (const RatioRow& row : ratio_rows) names.push_back(ratio_name(row));
  return names;
}

}  // namespace upfirdn::cuda
