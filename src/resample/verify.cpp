#include "resample/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace upfirdn {
namespace {

/// Accumulates in float64, as the definition does.
class DefinitionSum {
 public:
  using Real = double;
  void add(double tap, double value) { sum_ += tap * value; }
  void skip() {}
  [[nodiscard]] double total() const { return sum_; }

 private:
  double sum_ = 0;
};

/// Accumulates as the contract says, in the arithmetic `R`.
template <class R>
class ContractSum {
 public:
  using Real = R;
  void add(double tap, Real value) { run_ = fma_exact(Real(tap), value, run_), count(); }
  void skip() { count(); }
  [[nodiscard]] Real total() const {
    BasicRunSums<Real> sums = sums_;
    if (taps_ % run_length != 0) sums.add(run_);
    return sums.total();
  }

 private:
  void count() {
    if (++taps_ % run_length == 0) sums_.add(run_), run_ = 0;
  }
  BasicRunSums<Real> sums_;
  Real run_ = 0;
  std::int64_t taps_ = 0;
};

/// One plane of an image, and beyond its last row and column one more of what lies outside.
template <class Real>
struct Plane {
  std::int64_t width, height;
  std::vector<Real> values;
  Plane(std::int64_t w, std::int64_t h) : width(w), height(h), values(std::size_t((w + 1) * (h + 1))) {}
  [[nodiscard]] Real& at(std::int64_t x, std::int64_t y) { return values[std::size_t(y * (width + 1) + x)]; }
  [[nodiscard]] const Real& at(std::int64_t x, std::int64_t y) const { return values[std::size_t(y * (width + 1) + x)]; }
};

/// Filters (or gathers) one output of an axis; `sample(i)` is the value at i, and at axis.in what lies outside.
template <class Sum, class Sample>
typename Sum::Real filter_one(const AxisView& axis, Border border, std::int64_t o, const Sample& sample) {
  const TapRun run = axis.locate(o);
  Sum sum;
  for (std::int64_t k = 0; k < run.count; ++k) {
    const std::int64_t source = source_index(run.first + k, axis.in, border);
    if (axis.mode == AxisMode::gather) return source < 0 && border == Border::zero ? 0 : sample(source < 0 ? axis.in : source);
    if (source < 0 && border == Border::zero) sum.skip();
    else sum.add(run.taps[k], sample(source < 0 ? axis.in : source));
  }
  return sum.total();
}

template <class Sum>
Plane<typename Sum::Real> filter_down(const Plane<typename Sum::Real>& in, const AxisView& axis, Border border) {
  Plane<typename Sum::Real> out(in.width, axis.out);
  for (std::int64_t y = 0; y < axis.out; ++y)
    for (std::int64_t x = 0; x <= in.width; ++x)
      out.at(x, y) = filter_one<Sum>(axis, border, y, [&](std::int64_t i) { return in.at(x, i); });
  return out;
}

template <class Sum>
Plane<typename Sum::Real> filter_right(const Plane<typename Sum::Real>& in, const AxisView& axis, Border border) {
  Plane<typename Sum::Real> out(axis.out, in.height);
  for (std::int64_t y = 0; y <= in.height; ++y)
    for (std::int64_t x = 0; x < axis.out; ++x)
      out.at(x, y) = filter_one<Sum>(axis, border, x, [&](std::int64_t i) { return in.at(i, y); });
  return out;
}

template <class Sum>
Plane<typename Sum::Real> filter_matrix(const Plane<typename Sum::Real>& in, const Operation& op) {
  const AxisView x = op.x.view(), y = op.y.view();
  Plane<typename Sum::Real> out(x.out, y.out);
  for (std::int64_t oy = 0; oy < y.out; ++oy)
    for (std::int64_t ox = 0; ox < x.out; ++ox) {
      const TapRun down = y.locate(oy), right = x.locate(ox);
      const double* tap = op.matrix->taps.data() + op.matrix->offset[std::size_t(down.phase) * op.x.first.size() + std::size_t(right.phase)];
      Sum sum;
      for (std::int64_t k = 0; k < down.count * right.count; ++k, ++tap) {
        const std::int64_t row = source_index(down.first + k / right.count, y.in, op.border);
        const std::int64_t column = source_index(right.first + k % right.count, x.in, op.border);
        const bool outside = row < 0 || column < 0;
        if (outside && op.border == Border::zero) sum.skip();
        else sum.add(*tap, outside ? in.at(x.in, y.in) : in.at(column, row));
      }
      out.at(ox, oy) = sum.total();
    }
  return out;
}

/// Filtered values of one plane of samples that are filtered in `Stored`.
template <class Sum, class Stored>
Plane<typename Sum::Real> filter_plane(const Operation& op, const Image& input, int plane) {
  using Real = typename Sum::Real;
  const BasicSampleMath<Stored> math = op.samples.view<Stored>();
  Plane<Real> in(op.x.in, op.y.in);
  std::fill(in.values.begin(), in.values.end(), Real(op.outside[std::size_t(plane)]));
  visit_filtered_type<Stored>(op.input.type, [&](auto type) {
    for (std::int64_t y = 0; y < op.y.in; ++y) {
      const auto* row = reinterpret_cast<const decltype(type)*>(input.row(y));
      for (std::int64_t x = 0; x < op.x.in; ++x) in.at(x, y) = Real(math.decode(row + x * math.channels, plane));
    }
  });
  if (op.matrix) return filter_matrix<Sum>(in, op);
  if (op.vertical_first) return filter_right<Sum>(filter_down<Sum>(in, op.y.view(), op.border), op.x.view(), op.border);
  return filter_down<Sum>(filter_right<Sum>(in, op.x.view(), op.border), op.y.view(), op.border);
}

template <class T>
T sample_at(const Image& image, std::int64_t x, std::int64_t y, int channel) {
  T sample;
  std::memcpy(&sample, image.row(y) + (std::size_t(x) * std::size_t(image.info().channels) + std::size_t(channel)) * sizeof(T), sizeof(T));
  return sample;
}

/// Epilogue and depth in float64 (SEMANTICS 3 and 5).
double finish(const SampleMathView& math, double v, int channel) {
  v *= double(math.gain);
  if (math.epilogue && channel != math.alpha_channel) {
    const double in_max = double(math.in_max);
    if (math.range == ValueRange::unit) v = v / in_max;
    if (math.range == ValueRange::signed_unit) v = v / in_max * 2 - 1;
    if (math.bias != nullptr) v += double(math.bias[channel]);
    if (math.activation == Activation::relu && v <= 0) v = 0;
    if (math.activation == Activation::lrelu && v <= 0) v *= double(math.slope);
    v *= double(math.activation_gain);
    if (math.clamp && v > double(math.clamp_limit)) v = double(math.clamp_limit);
    if (math.clamp && v < -double(math.clamp_limit)) v = -double(math.clamp_limit);
    if (math.range == ValueRange::unit) v *= in_max;
    if (math.range == ValueRange::signed_unit) v = (v + 1) * 0.5 * in_max;
  }
  return v * double(math.depth_multiplier) / double(math.depth_divisor);
}

struct TapBound {
  double terms, magnitude;
};

TapBound bound_of(std::int64_t longest, double magnitude) {
  const double t = double(longest);
  return {std::min(t, 64.0) + std::min(std::ceil(t / 64), 64.0) + std::ceil(t / 4096), std::max(1.0, magnitude)};
}

TapBound axis_bound(const Axis& axis) {
  double largest = 0;
  for (std::size_t p = 0; p < axis.count.size(); ++p) {
    double sum = 0;
    for (std::int64_t k = 0; k < axis.count[p]; ++k) sum += std::abs(axis.taps[std::size_t(axis.offset[p] + k)]);
    largest = std::max(largest, sum);
  }
  return bound_of(axis.longest_phase(), largest);
}

/// E of SEMANTICS 5 without the part that grows with the output of a depth mapping.
double tolerance(const Operation& op, double largest_input, double largest_output) {
  TapBound x{0, 1}, y{0, 1};
  if (op.matrix) {
    double sum = 0;
    for (const double tap : op.matrix->taps) sum += std::abs(tap);
    x = bound_of(op.x.longest_phase() * op.y.longest_phase(), sum);
  } else {
    x = axis_bound(op.x), y = axis_bound(op.y);
  }
  const auto& math = op.samples.rule;
  double e = 0x1p-24 * (x.terms + y.terms + 4) * x.magnitude * y.magnitude * largest_input * std::abs(double(math.gain));
  if (math.epilogue) {
    const double gain = std::max(1.0, std::abs(double(math.activation_gain)));
    e = e * gain * std::max(1.0, std::abs(double(math.slope))) + 0x1p-21 * double(math.in_max) * gain;
  }
  if (math.depth_multiplier != 1 || math.depth_divisor != 1)
    e = e * double(math.depth_multiplier) / double(math.depth_divisor) + 0x1p-21 * std::max(1.0, largest_output);
  return e;
}

double largest_magnitude(const Operation& op, const Image& input) {
  double largest = 0;
  for (const double v : op.outside) largest = std::max(largest, std::abs(v));
  visit_filtered_type<float>(op.input.type, [&](auto type) {
    const auto* samples = reinterpret_cast<const decltype(type)*>(input.data());
    for (std::size_t i = 0; i < input.size_bytes() / sizeof type; ++i) {
      const double v = std::abs(double(to_float(samples[i])));
      if (std::isfinite(v)) largest = std::max(largest, v);
    }
  });
  return largest;
}

/// Half a unit in the last place of `value` in the type.
double half_ulp(PixelType type, double value) {
  const int digits = type == PixelType::f16 ? 11 : 24;
  const int smallest = type == PixelType::f16 ? -24 : -149;
  return std::ldexp(1.0, std::max(std::ilogb(std::max(std::abs(value), 1e-300)) + 1 - digits, smallest) - 1);
}

bool agrees(double wanted, double actual, double e, const ImageInfo& out, const SampleMathView& math) {
  if (is_float(out.type)) {
    const double largest = out.type == PixelType::f16 ? 65504.0 : double(std::numeric_limits<float>::max());
    if (std::isnan(wanted)) return std::isnan(actual);
    if (std::abs(wanted) + e > largest || !std::isfinite(wanted)) return !std::isfinite(actual) || std::abs(wanted - actual) <= e;
    return std::abs(wanted - actual) <= e + half_ulp(out.type, wanted);
  }
  const double low = double(math.out_min), high = double(math.out_max);
  const double v = std::isnan(wanted) ? 0.0 : wanted;
  const auto code = [&](double number) { return std::clamp(std::nearbyint(number), low, high); };
  return actual >= code(v - e) && actual <= code(v + e);
}

/// An operation in float32. Inf meets 0 or -Inf in another order there: NaN and Inf are left to the bytes of another backend.
std::optional<Difference> compare_in_double(const Operation& op, const Image& input, const Image& output) {
  const SampleMathView math = op.samples.view();
  const double largest_input = largest_magnitude(op, input);
  for (int c = 0; c < math.channels; ++c) {
    const Plane<double> filtered = filter_plane<DefinitionSum, float>(op, input, c);
    for (std::int64_t y = 0; y < op.y.out; ++y)
      for (std::int64_t x = 0; x < op.x.out; ++x) {
        if (!std::isfinite(filtered.at(x, y))) continue;
        const double wanted = finish(math, filtered.at(x, y), c);
        const double actual = visit_pixel_type(op.output.type, [&](auto type) {
          return to_real<double>(sample_at<decltype(type)>(output, x, y, c));
        });
        const double e = tolerance(op, largest_input, std::abs(wanted));
        if (!agrees(wanted, actual, e, op.output, math))
          return Difference{x, y, c, fmt::format("is {} instead of {}, tolerance {:.3g}", actual, wanted, e)};
      }
  }
  return std::nullopt;
}

template <class Real>
Image run_contract(const Operation& op, const Image& input) {
  const BasicSampleMath<Real> math = op.samples.view<Real>();
  std::vector<Plane<Real>> planes;
  for (int p = 0; p < math.planes; ++p) planes.push_back(filter_plane<ContractSum<Real>, Real>(op, input, p));
  Image output(op.output);
  visit_pixel_type(op.output.type, [&](auto type) {
    for (std::int64_t y = 0; y < op.y.out; ++y) {
      auto* sample = reinterpret_cast<decltype(type)*>(output.row(y));
      for (std::int64_t x = 0; x < op.x.out; ++x)
        for (int c = 0; c < math.channels; ++c) {
          bool nan = false;
          const Real companion = planes[std::size_t(math.companion_plane(c))].at(x, y);
          *sample++ = math.template encode<decltype(type)>(planes[std::size_t(c)].at(x, y), companion, c, nan);
        }
    }
  });
  return output;
}

Image copy_pixels(const Operation& op, const Image& input) {
  Image output(op.output);
  const std::size_t bytes = op.input.pixel_bytes();
  for (std::int64_t y = 0; y < op.y.out; ++y)
    for (std::int64_t x = 0; x < op.x.out; ++x) {
      const std::int64_t row = source_index(op.y.view().locate(y).first, op.y.in, op.border);
      const std::int64_t column = source_index(op.x.view().locate(x).first, op.x.in, op.border);
      const std::byte* from = row < 0 || column < 0 ? op.outside_raw.data() : input.row(row) + std::size_t(column) * bytes;
      std::memcpy(output.row(y) + std::size_t(x) * bytes, from, bytes);
    }
  return output;
}

}  // namespace

std::optional<Difference> compare_bytes(const Image& expected, const Image& actual) {
  const ImageInfo& info = expected.info();
  for (std::int64_t y = 0; y < info.height; ++y) {
    if (std::memcmp(expected.row(y), actual.row(y), info.row_bytes()) == 0) continue;
    const std::size_t size = size_bytes(info.type);
    for (std::size_t i = 0;; ++i) {
      if (std::memcmp(expected.row(y) + i * size, actual.row(y) + i * size, size) == 0) continue;
      const std::int64_t x = std::int64_t(i) / info.channels;
      const int c = int(std::int64_t(i) % info.channels);
      return visit_pixel_type(info.type, [&](auto type) {
        using Shown = std::conditional_t<sizeof type <= 4 && !std::is_integral_v<decltype(type)>, float, double>;
        return Difference{x, y, c, fmt::format("is {} instead of {}", to_real<Shown>(sample_at<decltype(type)>(actual, x, y, c)),
                                               to_real<Shown>(sample_at<decltype(type)>(expected, x, y, c)))};
      });
    }
  }
  return std::nullopt;
}

std::optional<Difference> compare_with_definition(const Operation& op, const Image& input, const Image& output) {
  if (op.raw_copy) return compare_bytes(copy_pixels(op, input), output);
  if (op.arithmetic() == Arithmetic::float64) return compare_bytes(run_contract<double>(op, input), output);
  const auto& math = op.samples.rule;
  if (math.premultiply || math.linear || math.nodata) return compare_bytes(run_contract<float>(op, input), output);
  return compare_in_double(op, input, output);
}

}  // namespace upfirdn
