#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "resample/arithmetic.hpp"
#include "resample/bank.hpp"
#include "resample/plan.hpp"

namespace upfirdn {
namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(ExitCode::usage, message); }

void check_factor(std::int64_t value, const char* option) {
  if (value < 1 || value > largest_side)
    fail(fmt::format("{}: {} is out of range; give a whole number from 1 to {}", option, value, largest_side));
}

void check_factors(const Pair<std::int64_t>& up, const Pair<std::int64_t>& down) {
  check_factor(up.x, "--up"), check_factor(up.y, "--up");
  check_factor(down.x, "--down"), check_factor(down.y, "--down");
}

void check_side(const std::optional<std::int64_t>& side, const char* option) {
  if (side && (*side < 1 || *side > largest_side))
    fail(fmt::format("{}: a side of {} is out of range; give 1 to {}", option, *side, largest_side));
}

void check_sides(std::int64_t width, std::int64_t height, const char* option) {
  check_side(width, option), check_side(height, option);
}

void check_target(const ResizeTarget& target) {
  if (const auto* size = std::get_if<ToSize>(&target)) {
    if (!size->width && !size->height) fail("--size: both sides are missing; give WxH, Wx or xH");
    check_side(size->width, "--size"), check_side(size->height, "--size");
  }
  if (const auto* t = std::get_if<ToFit>(&target)) check_sides(t->width, t->height, "--fit");
  if (const auto* t = std::get_if<ToCover>(&target)) check_sides(t->width, t->height, "--cover");
  if (const auto* t = std::get_if<ToFill>(&target)) check_sides(t->width, t->height, "--fill");
  if (const auto* t = std::get_if<ToLetterbox>(&target)) check_sides(t->width, t->height, "--letterbox");
  if (const auto* t = std::get_if<ByFactors>(&target)) check_factors(t->up, t->down);
  if (const auto* t = std::get_if<ByScale>(&target))
    for (const Fraction& scale : {t->x, t->y})
      if (scale.num <= 0 || scale.num / scale.den > largest_side || scale.den / scale.num > largest_side)
        fail(fmt::format("--scale: {} is out of range; give a number above 0, like 0.5, 50% or 1/2", to_double(scale)));
}

/// Factors that do not depend on the image.
struct Factors {
  Pair<std::int64_t> up, down;
};
std::optional<Factors> fixed_factors(const ResizeTarget& target, bool keep) {
  if (const auto* f = std::get_if<ByFactors>(&target)) {
    if (keep) return Factors{f->up, f->down};
    const Fraction x = make_fraction(f->up.x, f->down.x), y = make_fraction(f->up.y, f->down.y);
    return Factors{{x.num, y.num}, {x.den, y.den}};
  }
  if (const auto* s = std::get_if<ByScale>(&target)) {
    const Fraction x = make_fraction(s->x.num, s->x.den, 31), y = make_fraction(s->y.num, s->y.den, 31);
    return Factors{{x.num, y.num}, {x.den, y.den}};
  }
  return std::nullopt;
}

/// Lengths of taps near `length` that are exactly aligned for the factors.
void check_parity(std::int64_t length, std::int64_t up, std::int64_t down, const char* axis) {
  if (((length + up - down) % 2 + 2) % 2 == 1) return;
  fail(fmt::format("taps: {} taps along {} are not aligned at up {}, down {}; use {} ones ({} or {}), or `upfirdn filter`", length,
                   axis, up, down, (up - down) % 2 == 0 ? "an odd number of" : "an even number of",
                   length > 1 ? length - 1 : length + 3, length + 1));
}

void check_bank(const std::vector<double>& taps, std::int64_t up, std::int64_t down) {
  (void)normalized(taps, 1.0, "use `upfirdn filter --no-normalize`");
  const AxisGeometry g{.in = 1, .out = std::min<std::int64_t>(up, 4096), .up = up, .down = down};
  (void)centred_axis(taps, g, ExitCode::usage);
}

/// Taps in a resize need factors and the right parity.
void check_taps(const ResizeRequest& request, const AxisTaps& taps, bool copies_ones, bool keep) {
  const std::optional<Factors> f = fixed_factors(request.target, keep);
  if (!f) fail("taps: in `resize` they need integer factors; use --up, --down or --scale, or a filter with a kernel");
  if (request.shift.x.num != 0 || request.shift.y.num != 0) fail("--shift: cannot be combined with taps; use a filter with a kernel");
  if (!copies_ones || f->up.x != f->down.x) {
    check_parity(std::int64_t(taps.x.size()), f->up.x, f->down.x, "x");
    check_bank(taps.x, f->up.x, f->down.x);
  }
  if (!copies_ones || f->up.y != f->down.y) {
    check_parity(std::int64_t(taps.y.size()), f->up.y, f->down.y, "y");
    check_bank(taps.y, f->up.y, f->down.y);
  }
}

void check_kernel(const FilterKernel& kernel, const ResizeRequest& request) {
  if (kernel.name == KernelName::nearest) {
    if (request.shift.x.num != 0 || request.shift.y.num != 0) fail("--shift: nearest cannot shift; use another filter");
    return;
  }
  const std::optional<Factors> f = fixed_factors(request.target, false);
  if (!f) return;
  for (const auto& [up, down] : {std::pair(f->up.x, f->down.x), std::pair(f->up.y, f->down.y)})
    if (up != down) {
      const AxisGeometry g{.in = 1, .out = std::min<std::int64_t>(up, 4096), .up = up, .down = down};
      if (2.0 * to_double(kernel.support()) * double(std::max(up, down)) / double(up) < 1e6) (void)kernel_axis(kernel, g, ExitCode::usage);
    }
}

void check_resize(const ResizeRequest& request, const ResampleSpec& spec) {
  check_target(request.target);
  if (std::holds_alternative<ToLetterbox>(request.target) && request.one_way == OneWay::only_enlarge)
    fail("--letterbox: cannot be combined with --only-enlarge; use --fit");
  if (request.linear && has_epilogue(spec.epilogue)) fail("--linear: cannot be combined with bias or activation; run `filter` afterwards");
  if (request.linear && request.nodata) fail("--linear: cannot be combined with --nodata; use --nodata none");
  if (request.linear && (spec.depth == Depth::f16 || spec.depth == Depth::f32)) fail("--linear: is for 8 and 16 bits; use --depth 8 or 16");
  if (std::holds_alternative<TapMatrix>(spec.filter)) fail("taps: a matrix is for `filter`; use --taps-x and --taps-y in `resize`");
  if (const auto* taps = std::get_if<AxisTaps>(&spec.filter)) return check_taps(request, *taps, false, true);
  const auto& kernel = std::get<FilterKernel>(spec.filter);
  if (kernel.name != KernelName::binomial) return check_kernel(kernel, request);
  const std::vector<double> taps = binomial_taps(kernel.taps);
  check_taps(request, {taps, taps}, true, false);
}

void check_filter(const FilterRequest& request, const ResampleSpec& spec) {
  check_factors(request.up, request.down);
  if (!std::isfinite(float(request.gain))) fail(fmt::format("--gain: {} is not finite in float32; use a smaller number", request.gain));
  const Padding p = request.padding.value_or(Padding{});
  for (const std::int64_t side : {p.x0, p.x1, p.y0, p.y1})
    if (std::abs(side) > largest_side) fail(fmt::format("--pad: {} is out of range; the limit is {}", side, largest_side));
  if (const auto* kernel = std::get_if<FilterKernel>(&spec.filter)) {
    for (const auto& [up, down] : {std::pair(request.up.x, request.down.x), std::pair(request.up.y, request.down.y)}) {
      const bool kernelled = kernel->name != KernelName::nearest && kernel->name != KernelName::binomial;
      if (kernelled && 2.0 * to_double(kernel->support()) * double(std::max(up, down)) > double(1 << 26))
        fail(fmt::format("filter '{}': more than 2^26 taps at up {}, down {}; use smaller factors", kernel->text, up, down));
      (void)prototype_taps(*kernel, up, down);
    }
  }
  if (!request.normalize) return;
  const std::string remedy = "use --no-normalize";
  if (const auto* matrix = std::get_if<TapMatrix>(&spec.filter)) (void)normalized(matrix->values, 1, remedy);
  if (const auto* axes = std::get_if<AxisTaps>(&spec.filter)) (void)normalized(axes->x, 1, remedy), (void)normalized(axes->y, 1, remedy);
}

void check_epilogue(const EpilogueRequest& e) {
  const auto finite = [](double v, const char* option) {
    if (!std::isfinite(float(v))) fail(fmt::format("{}: {} is not finite in float32; use a smaller number", option, v));
  };
  for (const double b : e.bias) finite(b, "--bias");
  finite(e.slope, "--slope");
  finite(e.activation_gain, "--act-gain");
  if (e.clamp && !(*e.clamp >= 0 && std::isfinite(float(*e.clamp))))
    fail(fmt::format("--clamp: {} is out of range; give a number from 0 on", *e.clamp));
}

}  // namespace

void check_spec(const ResampleSpec& spec) {
  check_epilogue(spec.epilogue);
  if (spec.border.kind == Border::constant && std::isinf(float(spec.border.value)))
    fail(fmt::format("--border: constant:{} is not finite in float32; use a smaller number", spec.border.value));
  if (const auto* resize = std::get_if<ResizeRequest>(&spec.operation)) check_resize(*resize, spec);
  else check_filter(std::get<FilterRequest>(spec.operation), spec);
}

}  // namespace upfirdn
