#include "resample/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "resample/arithmetic.hpp"
#include "resample/bank.hpp"
#include "resample/geometry.hpp"

namespace upfirdn {
namespace {

bool is_named(const FilterChoice& filter, KernelName kernel_name) {
  const auto* kernel = std::get_if<FilterKernel>(&filter);
  return kernel != nullptr && kernel->name == kernel_name;
}

/// Taps given as numbers for integer factors, of one axis; nullopt for a filter with a kernel.
std::optional<std::vector<double>> resize_taps(const FilterChoice& filter, bool along_x) {
  if (const auto* taps = std::get_if<AxisTaps>(&filter)) return along_x ? taps->x : taps->y;
  if (is_named(filter, KernelName::binomial)) return binomial_taps(std::get<FilterKernel>(filter).taps);
  return std::nullopt;
}

Axis resize_axis(const FilterChoice& filter, const AxisGeometry& g, bool along_x, Arithmetic arithmetic) {
  const ExitCode code = ExitCode::image_failed;
  const auto* kernel = std::get_if<FilterKernel>(&filter);
  const bool copied = g.kept || (kernel != nullptr && g.up == g.down);
  if ((copied && g.shift.num == 0) || is_named(filter, KernelName::nearest)) return nearest_axis(g);
  if (const auto taps = resize_taps(filter, along_x)) return centred_axis(*taps, g, code, arithmetic);
  return kernel_axis(*kernel, g, code, arithmetic);
}

/// Prepares the taps of a filter for one axis as they are laid over the samples.
std::vector<double> correlation_taps(const std::vector<double>& taps, bool flip, Arithmetic arithmetic) {
  std::vector<double> laid;
  for (const double tap : taps) laid.push_back(rounded_to(arithmetic, tap));
  if (!flip) std::reverse(laid.begin(), laid.end());
  return laid;
}

/// Taps of `filter` after normalising: per axis, or a matrix that is not of rank 1.
Taps filter_taps(const FilterRequest& request, const FilterChoice& filter) {
  const std::string remedy = "use --no-normalize";
  if (const auto* matrix = std::get_if<TapMatrix>(&filter)) {
    TapMatrix scaled = *matrix;
    if (request.normalize) scaled.values = normalized(matrix->values, double(request.up.x) * double(request.up.y), remedy);
    const std::optional<AxisTaps> factors = factor_rank_one(scaled);
    return factors ? Taps(*factors) : Taps(std::move(scaled));
  }
  AxisTaps taps;
  if (const auto* kernel = std::get_if<FilterKernel>(&filter))
    taps = {prototype_taps(*kernel, request.up.x, request.down.x), prototype_taps(*kernel, request.up.y, request.down.y)};
  else
    taps = std::get<AxisTaps>(filter);
  if (request.normalize) {
    taps.x = normalized(taps.x, double(request.up.x), remedy);
    taps.y = normalized(taps.y, double(request.up.y), remedy);
  }
  return taps;
}

std::int64_t half_down(std::int64_t v) { return v >= 0 ? v / 2 : -((1 - v) / 2); }

/// Geometry of the literal operator along one axis; `length` taps.
FilterGeometry filter_geometry(const FilterRequest& request, std::int64_t in, std::int64_t length, bool along_x) {
  const std::int64_t up = along_x ? request.up.x : request.up.y, down = along_x ? request.down.x : request.down.y;
  std::int64_t p0 = half_down(length + up - down), p1 = half_down(length - up - down + 1);
  if (request.padding) {
    p0 = along_x ? request.padding->x0 : request.padding->y0;
    p1 = along_x ? request.padding->x1 : request.padding->y1;
  }
  const Int128 span = Int128(in) * up + p0 + p1 - length;
  const char* axis = along_x ? "x" : "y";
  if (span < 0)
    throw Error(ExitCode::image_failed,
                fmt::format("{} samples along {}, up {}, padding {} and {}, are fewer than the {} taps; use more padding", in,
                            axis, up, p0, p1, length));
  const Int128 out = span / down + 1;
  if (out > largest_side)
    throw Error(ExitCode::image_failed, fmt::format("the output is longer than {} pixels along {}; use a smaller factor or padding",
                                                    largest_side, axis));
  return {in, std::int64_t(out), up, down, p0};
}

void note_filter(Plan& plan, const FilterRequest& request, const FilterGeometry& g, std::int64_t length, const char* axis) {
  if (!request.padding && (length + g.up - g.down) % 2 == 0)
    plan.notes.push_back(fmt::format("along {}, outputs sample {} input pixels before their aligned place (taps + up - down is even)",
                                     axis, 0.5 / double(g.up)));
}

void note_phases(Plan& plan, const Axis& axis, const char* name) {
  double lowest = INFINITY, highest = -INFINITY;
  for (std::size_t p = 0; p < axis.count.size(); ++p) {
    double sum = 0;
    for (std::int64_t k = 0; k < axis.count[p]; ++k) sum += axis.taps[std::size_t(axis.offset[p] + k)];
    lowest = std::min(lowest, sum), highest = std::max(highest, sum);
  }
  if (highest - lowest > 1e-5 * std::max(1.0, std::abs(highest)))
    plan.notes.push_back(fmt::format("along {}, phase sums differ ({:.6g} to {:.6g}): a constant gets a pattern", name, lowest, highest));
}

/// Called before any bank is built: a refusal must be quick.
void check_pixels(std::int64_t width, std::int64_t height, const ResampleSpec& spec, const char* which) {
  if (Int128(width) * height > spec.max_pixels)
    throw Error(ExitCode::image_failed, fmt::format("the {} of {}x{} pixels is above the limit of {}; raise --max-pixels", which,
                                                    width, height, spec.max_pixels));
}

/// Direct 2-D FIR: positions and counts per axis, taps per pair of phases.
void plan_matrix(Operation& op, const TapMatrix& taps, bool flip, const FilterGeometry& gx, const FilterGeometry& gy) {
  op.x = filter_axis(std::vector<double>(std::size_t(taps.columns)), gx);
  op.y = filter_axis(std::vector<double>(std::size_t(taps.rows)), gy);
  PhaseMatrix matrix;
  const auto tap_at = [&](std::int64_t row, std::int64_t column) {
    if (!flip) row = taps.rows - 1 - row, column = taps.columns - 1 - column;
    return rounded_to(op.arithmetic(), taps.values[std::size_t(row * taps.columns + column)]);
  };
  for (std::int64_t py = 0; py < std::int64_t(op.y.first.size()); ++py)
    for (std::int64_t px = 0; px < std::int64_t(op.x.first.size()); ++px) {
      matrix.offset.push_back(std::int64_t(matrix.taps.size()));
      for (std::int64_t row = filter_start(py, gy).tap; row < taps.rows; row += gy.up)
        for (std::int64_t column = filter_start(px, gx).tap; column < taps.columns; column += gx.up)
          matrix.taps.push_back(tap_at(row, column));
    }
  op.matrix = std::move(matrix);
}

Placement placement_of(const FilterGeometry& g, std::int64_t taps) {
  return {make_fraction(g.down, g.up), (double(taps - 1) / 2 - double(g.pad_before)) / double(g.up)};
}

Placement placement_of(const AxisGeometry& g) {
  const double pitch = double(g.down) / double(g.up);
  return {make_fraction(g.down, g.up), (double(g.skip) + 0.5) * pitch - 0.5 + to_double(g.shift)};
}

/// Moves the first pixel of the output, by pixels of its own and of the input.
void move(Placement& placement, std::int64_t own, std::int64_t input) {
  placement.first += double(own) * to_double(placement.pitch) + double(input);
}

void plan_filter(Plan& plan, const FilterRequest& request, const ResampleSpec& spec) {
  Operation& op = plan.operation;
  const Taps taps = filter_taps(request, spec.filter);
  if (const auto* matrix = std::get_if<TapMatrix>(&taps)) {
    const FilterGeometry gx = filter_geometry(request, op.input.width, matrix->columns, true);
    const FilterGeometry gy = filter_geometry(request, op.input.height, matrix->rows, false);
    check_pixels(gx.out, gy.out, spec, "output");
    plan_matrix(op, *matrix, request.flip, gx, gy);
    plan.x = placement_of(gx, matrix->columns), plan.y = placement_of(gy, matrix->rows);
  } else {
    const auto& axes = std::get<AxisTaps>(taps);
    const std::vector<double> x = correlation_taps(axes.x, request.flip, op.arithmetic()), y = correlation_taps(axes.y, request.flip, op.arithmetic());
    const FilterGeometry gx = filter_geometry(request, op.input.width, std::int64_t(x.size()), true);
    const FilterGeometry gy = filter_geometry(request, op.input.height, std::int64_t(y.size()), false);
    check_pixels(gx.out, gy.out, spec, "output");
    op.x = filter_axis(x, gx);
    op.y = filter_axis(y, gy);
    plan.x = placement_of(gx, std::int64_t(x.size())), plan.y = placement_of(gy, std::int64_t(y.size()));
    note_filter(plan, request, gx, std::int64_t(x.size()), "x");
    note_filter(plan, request, gy, std::int64_t(y.size()), "y");
    if (request.normalize) note_phases(plan, op.x, "x"), note_phases(plan, op.y, "y");
  }
  op.vertical_first = request.down.y >= request.up.y;
}

void plan_resize(Plan& plan, const ResizeRequest& request, const ResampleSpec& spec) {
  Operation& op = plan.operation;
  const bool keeps = std::holds_alternative<AxisTaps>(spec.filter);
  const ResizeGeometry g = plan_geometry(request, op.input, keeps);
  if (g.canvas) check_pixels(g.canvas->width, g.canvas->height, spec, "output");
  check_pixels(g.x.out, g.y.out, spec, "output");
  op.x = resize_axis(spec.filter, g.x, true, op.arithmetic());
  op.y = resize_axis(spec.filter, g.y, false, op.arithmetic());
  op.vertical_first = g.y.down >= g.y.up;
  plan.notes.insert(plan.notes.end(), g.notes.begin(), g.notes.end());
  plan.x = placement_of(g.x), plan.y = placement_of(g.y);
  if (!g.canvas) return;
  move(plan.x, -g.canvas->x, 0), move(plan.y, -g.canvas->y, 0);
  plan.output.width = g.canvas->width, plan.output.height = g.canvas->height;
  plan.letterbox = Letterbox{g.canvas->x, g.canvas->y, {}};
}

void apply_crop(Plan& plan, const std::optional<Crop>& crop) {
  plan.operation.input = plan.input;
  if (!crop) return;
  const ImageInfo& image = plan.input;
  if (crop->x < 0 || crop->y < 0 || crop->width < 1 || crop->height < 1 || crop->x > image.width - crop->width ||
      crop->y > image.height - crop->height)
    throw Error(ExitCode::image_failed, fmt::format("--crop {},{},{},{} does not lie inside the image of {}x{}; choose a smaller part",
                                                    crop->x, crop->y, crop->width, crop->height, image.width, image.height));
  plan.crop = crop;
  plan.operation.input.width = crop->width;
  plan.operation.input.height = crop->height;
}

/// Spacing of the outputs of an axis.
Fraction spacing_after(const Fraction& own, const Axis& axis) { return own * make_fraction(axis.step, axis.period); }

}  // namespace

ImageInfo with_depth(const ImageInfo& input, Depth depth) {
  ImageInfo info = input;
  switch (depth) {
    case Depth::same: return info;
    case Depth::bits8:
      if (is_signed_integer(input.type))
        throw Error(ExitCode::image_failed, "--depth 8: signed samples stay signed and have at least 16 bits; use --depth 16 or f32");
      info.type = PixelType::u8;
      break;
    case Depth::bits16: info.type = is_signed_integer(input.type) ? PixelType::s16 : PixelType::u16; break;
    case Depth::f16: info.type = PixelType::f16; break;
    case Depth::f32: info.type = PixelType::f32; break;
  }
  info.maxval = full_scale(info.type);
  return info;
}

Plan make_plan(const ResampleSpec& spec, const ImageInfo& input, const ImageInfo& stored) {
  check_pixels(input.width, input.height, spec, "image");
  Plan plan{.input = input, .output = input};
  plan.output.type = stored.type;
  plan.output.maxval = stored.maxval;
  plan.output.alpha = stored.alpha;
  const auto* resize = std::get_if<ResizeRequest>(&spec.operation);
  apply_crop(plan, resize != nullptr ? resize->crop : std::nullopt);
  Operation& op = plan.operation;
  if (resize != nullptr) plan_resize(plan, *resize, spec);
  else plan_filter(plan, std::get<FilterRequest>(spec.operation), spec);
  if (plan.crop) move(plan.x, 0, plan.crop->x), move(plan.y, 0, plan.crop->y);
  if (input.spacing) plan.output.spacing = Spacing{spacing_after(input.spacing->x, op.x), spacing_after(input.spacing->y, op.y)};
  op.output = plan.output;
  op.output.width = op.x.out, op.output.height = op.y.out;
  if (!plan.letterbox) plan.output = op.output;
  const bool gathered = op.x.mode == AxisMode::gather && op.y.mode == AxisMode::gather;
  op.samples = plan_samples(spec, op.input, op.output, gathered);
  op.raw_copy = gathered && op.input.type == op.output.type && op.input.maxval == op.output.maxval && !op.samples.rule.epilogue;
  Surroundings around = plan_surroundings(spec.border, op.samples, op.input);
  op.border = around.border;
  op.outside = std::move(around.values);
  op.outside_raw = std::move(around.pixel);
  if (plan.letterbox) plan.letterbox->pixel = stored_pixel(std::get<ToLetterbox>(resize->target).value, plan.output);
  return plan;
}

}  // namespace upfirdn
