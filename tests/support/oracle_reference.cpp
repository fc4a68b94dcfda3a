#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle.hpp"
#include "oracle_rules.hpp"

namespace upfirdn::oracle {
namespace {

constexpr double unchecked = std::numeric_limits<double>::infinity();

struct Plane {
  std::int64_t width = 0, height = 0;
  std::vector<Exact> values{};
  Exact outside = 0;                  ///< what a zero or constant border continues the plane with
  std::vector<Exact> outside_line{};  ///< the same after the first pass

  [[nodiscard]] Exact at(std::int64_t x, std::int64_t y) const { return values[std::size_t(y * width + x)]; }
};

/// The definition of one axis of the operator, step by step. `extended(i)` is the row continued by the border
/// rule.
template <class Extended>
std::vector<Exact> upfirdn_line(const AxisSetup& axis, bool flip, Extended&& extended) {
  std::vector<Exact> padded;
  for (std::int64_t u = -axis.p0; u < axis.in * axis.up + axis.p1; ++u)
    padded.push_back(u % axis.up == 0 ? extended(u / axis.up) : Exact(0));
  std::vector<double> g = axis.prototype;
  if (!flip) std::reverse(g.begin(), g.end());
  std::vector<Exact> kept;
  for (std::size_t at = 0; at + g.size() <= padded.size(); at += std::size_t(axis.down)) {
    Exact sum = 0;
    for (std::size_t k = 0; k < g.size(); ++k) sum += g[k] * padded[at + k];
    kept.push_back(sum);
  }
  return kept;
}

/// One axis of a resize: weighted sums.
template <class Extended>
std::vector<Exact> weighted_line(const AxisSetup& axis, Extended&& extended) {
  std::vector<Exact> line;
  for (const Weights& weights : axis.outputs) {
    Exact sum = axis.copied ? extended(weights.first) : Exact(0);
    for (std::size_t k = 0; k < weights.taps.size(); ++k)
      sum += weights.taps[k] * extended(weights.first + std::int64_t(k));
    line.push_back(sum);
  }
  return line;
}

template <class Extended>
std::vector<Exact> any_line(const AxisSetup& axis, bool literal, bool flip, Extended&& extended) {
  return literal ? upfirdn_line(axis, flip, extended) : weighted_line(axis, extended);
}

Plane separable(const Setup& setup, Border border, bool literal, const Plane& in) {
  Plane rows{.width = setup.x.out, .height = in.height};
  for (std::int64_t y = 0; y < in.height; ++y)
    for (Exact v : any_line(setup.x, literal, setup.flip, [&](std::int64_t i) {
           const auto k = folded(i, in.width, border);
           return k ? in.at(*k, y) : in.outside;
         }))
      rows.values.push_back(v);
  rows.outside_line = any_line(setup.x, literal, setup.flip, [&](std::int64_t) { return in.outside; });
  Plane out{.width = setup.x.out, .height = setup.y.out};
  out.values.resize(std::size_t(out.width * out.height));
  for (std::int64_t x = 0; x < out.width; ++x) {
    const std::vector<Exact> column = any_line(setup.y, literal, setup.flip, [&](std::int64_t i) {
      const auto k = folded(i, in.height, border);
      return k ? rows.at(x, *k) : rows.outside_line[std::size_t(x)];
    });
    for (std::int64_t y = 0; y < out.height; ++y)
      out.values[std::size_t(y * out.width + x)] = column[std::size_t(y)];
  }
  return out;
}

/// The definition of the operator with taps that do not separate.
Plane direct(const Setup& setup, Border border, const Plane& in) {
  const AxisSetup &ax = setup.x, &ay = setup.y;
  const std::int64_t columns = std::int64_t(ax.prototype.size()), rows = std::int64_t(ay.prototype.size());
  const auto padded = [&](std::int64_t x, std::int64_t y) {
    const std::int64_t u = x - ax.p0, v = y - ay.p0;
    if (u % ax.up != 0 || v % ay.up != 0) return Exact(0);
    const auto i = folded(u / ax.up, ax.in, border), j = folded(v / ay.up, ay.in, border);
    return i && j ? in.at(*i, *j) : in.outside;
  };
  Plane out{.width = ax.out, .height = ay.out};
  for (std::int64_t y = 0; y < ay.out; ++y)
    for (std::int64_t x = 0; x < ax.out; ++x) {
      Exact sum = 0;
      for (std::int64_t j = 0; j < rows; ++j)
        for (std::int64_t i = 0; i < columns; ++i) {
          const std::int64_t row = setup.flip ? j : rows - 1 - j, column = setup.flip ? i : columns - 1 - i;
          sum += setup.matrix[std::size_t(row * columns + column)] * padded(x * ax.down + i, y * ay.down + j);
        }
      out.values.push_back(sum);
    }
  return out;
}

/// T' of the error bound for T taps.
double rounding_steps(double t) {
  return std::min(t, 64.0) + std::min(std::ceil(t / 64), 64.0) + std::ceil(t / 4096);
}

struct AxisSum {
  double longest = 1, sum = 1;
};

AxisSum sum_of(const AxisSetup& axis) {
  AxisSum result;
  for (const Weights& weights : axis.outputs) {
    double sum = 0;
    for (double tap : weights.taps) sum += std::abs(tap);
    result.longest = std::max(result.longest, double(weights.taps.size()));
    result.sum = std::max(result.sum, sum);
  }
  return result;
}

/// Half a unit in the last place of 1 in the arithmetic, and 8 times that.
double rounding_error(const Setup& setup) {
  const PixelType type = setup.input.type;
  return type == PixelType::u32 || type == PixelType::s32 || type == PixelType::f64 ? 0x1p-53 : 0x1p-24;
}

/// E of SEMANTICS 5 for samples of magnitude 1.
double unit_error(const Setup& setup) {
  if (!setup.matrix.empty()) {
    double longest = 0, sum = 0;
    for (double tap : setup.matrix) sum += std::abs(tap);
    for (const Weights& y : setup.y.outputs)
      for (const Weights& x : setup.x.outputs)
        longest = std::max(longest, double(y.taps.size() * x.taps.size()));
    return rounding_error(setup) * (rounding_steps(longest) + 4) * std::max(1.0, sum);
  }
  const AxisSum x = sum_of(setup.x), y = sum_of(setup.y);
  return rounding_error(setup) * (rounding_steps(x.longest) + rounding_steps(y.longest) + 4) * x.sum * y.sum;
}

/// Largest finite magnitude of a plane and of what is outside.
double largest(const std::vector<Plane>& planes) {
  double result = 0;
  for (const Plane& plane : planes) {
    for (const Exact v : plane.values)
      if (std::isfinite(v)) result = std::max(result, double(std::abs(v)));
    result = std::max(result, double(std::abs(plane.outside)));
  }
  return result;
}

/// A number and how far off it may be.
struct Bounded {
  Exact value;
  double error;
};

Bounded quotient(Bounded a, Bounded b) {
  const Exact value = a.value / b.value;
  if (!std::isfinite(value) || b.error >= std::abs(b.value))
    return {value, std::isfinite(value) ? unchecked : 0.0};
  return {value, double((a.error + std::abs(value) * b.error) / (std::abs(b.value) - b.error))};
}

struct Evaluation {
  const ResampleSpec& spec;
  const Image& image;
  const Setup setup;
  const Rules rules;

  [[nodiscard]] bool missing(Exact v) const {
    return rules.nodata && (v == *rules.nodata || (std::isnan(v) && std::isnan(*rules.nodata)));
  }

  /// Value that is filtered, or (mask) 1 where the sample is missing.
  [[nodiscard]] Exact decoded(Exact v, Exact alpha, int channel, bool mask) const {
    if (rules.nodata && !rules.copied) {
      const bool gone = missing(v);
      return mask ? (gone ? 1 : 0) : gone ? 0 : v;
    }
    if (rules.linear && channel != rules.alpha_channel) v = light_of(double(v) / rules.in_max);
    if (!rules.premultiply) return v;
    return channel == rules.alpha_channel ? alpha / rules.in_max : v * (alpha / rules.in_max);
  }

  [[nodiscard]] Plane plane(int channel, bool mask) const {
    Plane plane{.width = image.info().width, .height = image.info().height};
    for (std::int64_t y = 0; y < plane.height; ++y)
      for (std::int64_t x = 0; x < plane.width; ++x)
        plane.values.push_back(decoded(sample_at(image, x, y, channel),
                                       sample_at(image, x, y, rules.channels - 1), channel, mask));
    if (spec.border.kind == Border::constant)
      plane.outside = decoded(spec.border.value, spec.border.value, channel, mask);
    if (spec.border.kind == Border::zero && mask) plane.outside = 1.0;
    return plane;
  }

  /// Output code of light. The thresholds between codes are float32.
  [[nodiscard]] Bounded encoded(Bounded light) const {
    if (light.error == unchecked) return light;
    const double value = double(light.value), reach = light.error + 0x1p-23 * std::abs(value);
    const auto code_of = [&](double v) { return std::clamp(srgb_of(v), 0.0, 1.0) * rules.out_max; };
    const double code = code_of(value);
    return {code, std::max(code_of(value + reach) - code, code - code_of(value - reach))};
  }

  [[nodiscard]] Exact epilogue(Exact v, int channel) const {
    const EpilogueRequest& request = spec.epilogue;
    if (rules.range == ValueRange::unit) v = v / rules.in_max;
    if (rules.range == ValueRange::signed_unit) v = v / rules.in_max * 2 - 1;
    if (!rules.bias.empty()) v += rules.bias[std::size_t(channel)];
    if (request.activation == Activation::relu) v = v > 0 || std::isnan(v) ? v : 0;
    if (request.activation == Activation::lrelu) v = v > 0 ? v : v * request.slope;
    v *= request.activation_gain;
    if (request.clamp) v = v > *request.clamp ? Exact(*request.clamp) : v < -*request.clamp ? -Exact(*request.clamp) : v;
    if (rules.range == ValueRange::unit) v = v * rules.in_max;
    if (rules.range == ValueRange::signed_unit) v = (v + 1) * 0.5 * rules.in_max;
    return v;
  }

  /// Filtered number to output code, before the rounding and before the depth mapping's own error.
  [[nodiscard]] Bounded finished(Bounded v, Bounded beside, int channel) const {
    const bool is_alpha = channel == rules.alpha_channel;
    bool gone = rules.copied && missing(v.value);
    if (rules.nodata && !rules.copied) {
      const Bounded den{1 - beside.value, beside.error};
      if (std::abs(den.value - 0.5) <= den.error) return {0, unchecked};
      gone = den.value < 0.5;
      v = gone ? Bounded{*rules.nodata, 0.0} : quotient(v, den);
    }
    if (rules.premultiply && is_alpha) v = {v.value * rules.in_max, v.error * rules.in_max};
    if (rules.premultiply && !is_alpha) {
      if (std::abs(beside.value) <= beside.error) return {0, unchecked};
      v = beside.value < 0 ? Bounded{0, 0} : quotient(v, beside);
    }
    if (rules.linear && !is_alpha) return encoded(v);
    v = {v.value * rules.gain, v.error * std::abs(rules.gain)};
    if (rules.epilogue && !gone && !is_alpha) {
      const double act_gain = std::abs(spec.epilogue.activation_gain);
      v = {epilogue(v.value, channel), v.error * act_gain + 8 * rounding_error(setup) * rules.in_max * act_gain};
    }
    const double scale = rules.rescale ? rules.out_max / rules.in_max : 1.0;
    return {v.value * scale, v.error * scale};
  }
};

}  // namespace

Reference evaluate(const ResampleSpec& spec, const Image& whole) {
  const Image image = cropped(spec, whole);
  const Setup setup = resolve(spec, whole.info());
  const Evaluation run{spec, image, setup, rules_of(spec, setup)};
  const bool literal = std::holds_alternative<FilterRequest>(spec.operation);
  const bool masked = run.rules.nodata && !run.rules.copied;
  std::vector<Plane> stored, values, masks;
  for (int c = 0; c < run.rules.channels; ++c) {
    stored.push_back(run.plane(c, false));
    const auto pass = [&](const Plane& plane) {
      return setup.matrix.empty() ? separable(setup, spec.border.kind, literal, plane)
                                  : direct(setup, spec.border.kind, plane);
    };
    values.push_back(pass(stored.back()));
    if (masked) masks.push_back(pass(run.plane(c, true)));
  }
  const double unit = run.rules.raw ? 0.0 : unit_error(setup);
  const double error = unit * largest(stored);
  Reference reference{.info = setup.output};
  double largest_out = 1;
  for (std::int64_t y = 0; y < setup.y.out; ++y)
    for (std::int64_t x = 0; x < setup.x.out; ++x)
      for (int c = 0; c < run.rules.channels; ++c) {
        Bounded beside{0, 0};
        if (run.rules.premultiply) beside = {values[std::size_t(run.rules.alpha_channel)].at(x, y), unit};
        if (masked) beside = {masks[std::size_t(c)].at(x, y), unit};
        const double own_error = run.rules.premultiply && c == run.rules.alpha_channel ? unit : error;
        const Bounded v = run.finished({values[std::size_t(c)].at(x, y), own_error}, beside, c);
        reference.value.push_back(v.value);
        reference.error.push_back(v.error);
        if (std::isfinite(v.value)) largest_out = std::max(largest_out, double(std::abs(v.value)));
      }
  for (double& e : reference.error)
    if (run.rules.rescale) e += 8 * rounding_error(setup) * largest_out;
  return reference;
}

std::optional<std::string> disagreement(const Reference& reference, const Image& actual) {
  const ImageInfo& info = actual.info();
  if (!(info == reference.info))
    return fmt::format("{}x{}x{} {} maxval {} instead of {}x{}x{} {} maxval {}", info.width, info.height,
                       info.channels, name(info.type), info.maxval, reference.info.width,
                       reference.info.height, reference.info.channels, name(reference.info.type),
                       reference.info.maxval);
  std::size_t i = 0;
  for (std::int64_t y = 0; y < info.height; ++y)
    for (std::int64_t x = 0; x < info.width; ++x)
      for (int c = 0; c < info.channels; ++c, ++i) {
        const Exact value = reference.value[i];
        const double error = reference.error[i];
        if (error == unchecked) continue;
        const double got = sample_at(actual, x, y, c), maxval = double(info.maxval);
        const double low = rounded_to(info.type, value - error, maxval);
        const double high = rounded_to(info.type, value + error, maxval);
        const bool fits = std::isnan(low) ? std::isnan(got) : got >= low && got <= high;
        if (!fits)
          return fmt::format("({}, {}) channel {}: {} where {} +- {} is right", x, y, c, got, double(value), error);
      }
  return std::nullopt;
}

}  // namespace upfirdn::oracle
