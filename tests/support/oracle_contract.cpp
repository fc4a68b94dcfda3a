#include <algorithm>
#include <cmath>
#include <cstring>

#include "oracle.hpp"
#include "oracle_rules.hpp"

namespace upfirdn::oracle {
namespace {

/// One filtered quantity: its samples, and the value of positions that have none (if they count at all).
template <class Real>
struct Plane {
  std::int64_t width = 0, height = 0;
  std::vector<Real> values{};
  std::optional<Real> outside{};
  std::vector<Real> outside_line{};  ///< after the first pass: that pass applied to a line of `outside`

  [[nodiscard]] Real& at(std::int64_t x, std::int64_t y) { return values[std::size_t(y * width + x)]; }
  [[nodiscard]] Real at(std::int64_t x, std::int64_t y) const { return values[std::size_t(y * width + x)]; }
};

/// Sums in runs of 64 from +0, then the sums in runs of 64, until one is left.
template <class Real>
Real sum_of_runs(std::vector<Real> sums) {
  while (sums.size() > 1) {
    std::vector<Real> next;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (i % 64 == 0) next.push_back(Real(0));
      next.back() += sums[i];
    }
    sums = next;
  }
  return sums.empty() ? Real(0) : sums[0];
}

/// The summation rule for taps whose samples `sample(k)` may be missing.
template <class Real, class Sample>
Real fir(const std::vector<Real>& taps, Sample&& sample) {
  std::vector<Real> sums;
  for (std::size_t k = 0; k < taps.size(); ++k) {
    if (k % 64 == 0) sums.push_back(Real(0));
    const std::optional<Real> value = sample(std::int64_t(k));
    if (value) sums.back() = std::fma(taps[k], *value, sums.back());
  }
  return sum_of_runs(sums);
}

/// One output of one axis; `line(i)` is the sample at index i, `beyond` stands outside.
template <class Real, class Line>
Real axis_output(const AxisSetup& axis, std::int64_t o, const std::vector<Real>& taps, Border border,
                  std::optional<Real> beyond, Line&& line) {
  const std::int64_t first = axis.outputs[std::size_t(o)].first;
  const auto at = [&](std::int64_t position) -> std::optional<Real> {
    const std::optional<std::int64_t> i = folded(position, axis.in, border);
    return i ? std::optional<Real>(line(*i)) : beyond;
  };
  if (axis.copied) return at(first).value_or(Real(0));
  return fir(taps, [&](std::int64_t k) { return at(first + k); });
}

template <class Real>
std::vector<Real> rounded_taps(const AxisSetup& axis, std::int64_t o) {
  const std::vector<double>& taps = axis.outputs[std::size_t(o)].taps;
  return {taps.begin(), taps.end()};
}

/// The value outside that the other pass sees: this pass applied to a line of the value outside.
template <class Real>
std::vector<Real> filter_outside(const AxisSetup& axis, std::optional<Real> outside) {
  std::vector<Real> line;
  for (std::int64_t o = 0; outside && o < axis.out; ++o)
    line.push_back(axis_output(axis, o, rounded_taps<Real>(axis, o), Border::edge, outside,
                               [&](std::int64_t) { return *outside; }));
  return line;
}

template <class Real>
std::optional<Real> entry(const std::vector<Real>& line, std::int64_t i) {
  return line.empty() ? std::nullopt : std::optional<Real>(line[std::size_t(i)]);
}

template <class Real>
Plane<Real> vertical(const AxisSetup& axis, Border border, const Plane<Real>& in, bool is_first) {
  Plane<Real> out{.width = in.width, .height = axis.out};
  for (std::int64_t y = 0; y < out.height; ++y) {
    const std::vector<Real> taps = rounded_taps<Real>(axis, y);
    for (std::int64_t x = 0; x < out.width; ++x)
      out.values.push_back(axis_output(axis, y, taps, border,
                                       is_first ? in.outside : entry(in.outside_line, x),
                                       [&](std::int64_t i) { return in.at(x, i); }));
  }
  if (is_first) out.outside_line = filter_outside(axis, in.outside);
  return out;
}

template <class Real>
Plane<Real> transposed(const Plane<Real>& in) {
  Plane<Real> out = in;
  out.width = in.height;
  out.height = in.width;
  for (std::int64_t y = 0; y < out.height; ++y)
    for (std::int64_t x = 0; x < out.width; ++x) out.at(x, y) = in.at(y, x);
  return out;
}

template <class Real>
Plane<Real> horizontal(const AxisSetup& axis, Border border, const Plane<Real>& in, bool is_first) {
  return transposed(vertical(axis, border, transposed(in), is_first));
}

template <class Real>
Plane<Real> direct(const Setup& setup, Border border, const Plane<Real>& in) {
  Plane<Real> out{.width = setup.x.out, .height = setup.y.out};
  const std::int64_t rows = std::int64_t(setup.y.prototype.size()),
                     columns = std::int64_t(setup.x.prototype.size());
  for (std::int64_t y = 0; y < out.height; ++y)
    for (std::int64_t x = 0; x < out.width; ++x) {
      const Weights& wy = setup.y.outputs[std::size_t(y)];
      const Weights& wx = setup.x.outputs[std::size_t(x)];
      std::vector<Real> taps;
      std::vector<Pair<std::int64_t>> positions;
      for (std::int64_t jy = wy.j0, iy = wy.first; jy < rows; jy += setup.y.up, ++iy)
        for (std::int64_t jx = wx.j0, ix = wx.first; jx < columns; jx += setup.x.up, ++ix) {
          const std::int64_t row = setup.flip ? jy : rows - 1 - jy,
                             column = setup.flip ? jx : columns - 1 - jx;
          taps.push_back(Real(setup.matrix[std::size_t(row * columns + column)]));
          positions.push_back({ix, iy});
        }
      out.values.push_back(fir(taps, [&](std::int64_t k) -> std::optional<Real> {
        const auto [px, py] = positions[std::size_t(k)];
        const auto ix = folded(px, in.width, border), iy = folded(py, in.height, border);
        return ix && iy ? std::optional<Real>(in.at(*ix, *iy)) : in.outside;
      }));
    }
  return out;
}

template <class Real>
Plane<Real> filtered(const Setup& setup, Border border, const Plane<Real>& in) {
  if (!setup.matrix.empty()) return direct(setup, border, in);
  if (setup.vertical_first) return horizontal(setup.x, border, vertical(setup.y, border, in, true), false);
  return vertical(setup.y, border, horizontal(setup.x, border, in, true), false);
}

template <class Real>
std::vector<Real> light_thresholds(const Rules& rules) {
  std::vector<Real> thresholds;
  for (int k = 1; rules.linear && k <= int(rules.out_max); ++k)
    thresholds.push_back(Real(light_of((k - 0.5) / rules.out_max)));
  return thresholds;
}

/// Everything about one request and image that the sample steps need.
template <class Real>
struct Contract {
  const ResampleSpec& spec;
  const Image& image;
  const Setup setup;
  const Rules rules;
  const std::vector<Real> thresholds = light_thresholds<Real>(rules);  ///< light from which on the code is k + 1

  [[nodiscard]] bool missing(Real v) const {
    return rules.nodata && (v == Real(*rules.nodata) || (std::isnan(v) && std::isnan(*rules.nodata)));
  }

  /// Stored samples of one pixel to the value that is filtered.
  [[nodiscard]] Real decoded(const std::vector<Real>& pixel, int channel) const {
    Real v = pixel[std::size_t(channel)];
    if (rules.linear && channel != rules.alpha_channel) v = Real(light_of(double(v) / rules.in_max));
    if (!rules.premultiply) return v;
    const Real a = pixel.back() / Real(rules.in_max);
    return channel == rules.alpha_channel ? a : v * a;
  }

  [[nodiscard]] std::vector<Real> pixel_at(std::int64_t x, std::int64_t y) const {
    std::vector<Real> pixel;
    for (int c = 0; c < rules.channels; ++c) pixel.push_back(Real(sample_at(image, x, y, c)));
    return pixel;
  }

  /// Values of a channel, or ones where samples are missing.
  [[nodiscard]] Plane<Real> plane(int channel, bool mask) const {
    const bool masking = rules.nodata && !rules.copied;
    Plane<Real> plane{.width = image.info().width, .height = image.info().height};
    for (std::int64_t y = 0; y < plane.height; ++y)
      for (std::int64_t x = 0; x < plane.width; ++x) {
        const std::vector<Real> pixel = pixel_at(x, y);
        const bool gone = masking && missing(pixel[std::size_t(channel)]);
        plane.values.push_back(mask ? (gone ? Real(1) : Real(0)) : gone ? Real(0) : decoded(pixel, channel));
      }
    if (spec.border.kind == Border::constant) {
      const std::vector<Real> pixel(std::size_t(rules.channels), Real(spec.border.value));
      const bool gone = masking && missing(pixel[0]);
      plane.outside = mask ? (gone ? Real(1) : Real(0)) : gone ? Real(0) : decoded(pixel, channel);
    }
    if (spec.border.kind == Border::zero && mask) plane.outside = Real(1);
    return plane;
  }

  [[nodiscard]] Real code_of_light(Real light) const {
    if (std::isnan(light)) return Real(0);
    return Real(std::upper_bound(thresholds.begin(), thresholds.end(), light) - thresholds.begin());
  }

  [[nodiscard]] Real epilogue(Real v, int channel) const {
    const EpilogueRequest& request = spec.epilogue;
    const Real full = Real(rules.in_max);
    if (rules.range == ValueRange::unit) v = v / full;
    if (rules.range == ValueRange::signed_unit) v = v / full * 2 - Real(1);
    if (!rules.bias.empty()) v = v + Real(rules.bias[std::size_t(channel)]);
    if (request.activation == Activation::relu && !std::isnan(v) && !(v > Real(0))) v = Real(0);
    if (request.activation == Activation::lrelu && !(v > Real(0))) v = v * Real(request.slope);
    if (Real(request.activation_gain) != 1) v = v * Real(request.activation_gain);
    if (request.clamp && v > Real(*request.clamp)) v = Real(*request.clamp);
    if (request.clamp && v < -Real(*request.clamp)) v = -Real(*request.clamp);
    if (rules.range == ValueRange::unit) v = v * full;
    if (rules.range == ValueRange::signed_unit) v = (v + Real(1)) * Real(0.5) * full;
    return v;
  }

  /// A filtered value to the number that is rounded and stored. `beside` is the filtered alpha or mask.
  [[nodiscard]] Real finished(Real v, Real beside, int channel) const {
    const bool is_alpha = channel == rules.alpha_channel;
    bool gone = false;
    if (rules.nodata && rules.copied) gone = missing(v);
    if (rules.nodata && !rules.copied) {
      const Real den = Real(1) - beside;
      gone = den < Real(0.5);
      v = gone ? Real(*rules.nodata) : v / den;
    }
    if (rules.premultiply && is_alpha) v = v * Real(rules.in_max);
    if (rules.premultiply && !is_alpha) v = beside <= Real(0) ? Real(0) : v / beside;
    if (rules.linear && !is_alpha) return code_of_light(v);
    if (Real(rules.gain) != 1) v = v * Real(rules.gain);
    if (rules.epilogue && !gone && !is_alpha) v = epilogue(v, channel);
    if (rules.rescale && rules.out_max != 1.0) v = v * Real(rules.out_max);
    if (rules.rescale && rules.in_max != 1.0) v = v / Real(rules.in_max);
    return v;
  }
};

template <class T>
void put(std::byte* at, T sample) {
  std::memcpy(at, &sample, sizeof sample);
}

/// Bits of a half that `value` is.
std::uint16_t half_bits(double value) {
  if (std::isnan(value)) return 0x7e00;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::abs(value);
  if (std::isinf(magnitude)) return sign | 0x7c00;
  if (magnitude < std::ldexp(1.0, -14)) return std::uint16_t(sign | int(std::ldexp(magnitude, 24)));
  return std::uint16_t(sign | (((std::ilogb(magnitude) + 15) << 10) +
                               int(std::ldexp(magnitude, 10 - std::ilogb(magnitude))) - 1024));
}

void store(Image& image, std::int64_t x, std::int64_t y, int channel, double value) {
  const ImageInfo& info = image.info();
  const std::size_t bytes = info.pixel_bytes() / std::size_t(info.channels);
  std::byte* at = image.row(y) + std::size_t(x) * info.pixel_bytes() + std::size_t(channel) * bytes;
  const double rounded = rounded_to(info.type, value, double(info.maxval));
  const bool nan = std::isnan(value);
  switch (info.type) {
    case PixelType::u8:
      return put(at, std::uint8_t(rounded));
    case PixelType::u16:
      return put(at, std::uint16_t(rounded));
    case PixelType::s16:
      return put(at, std::int16_t(rounded));
    case PixelType::u32:
      return put(at, std::uint32_t(rounded));
    case PixelType::s32:
      return put(at, std::int32_t(rounded));
    case PixelType::f16:
      return put(at, half_bits(rounded));
    case PixelType::f32:
      return nan ? put(at, std::uint32_t(0x7fc00000u)) : put(at, float(value));
    case PixelType::f64:
      return nan ? put(at, std::uint64_t(0x7ff8000000000000u)) : put(at, value);
  }
}

/// Copies stored samples by index; outside stands the border's stored pixel.
template <class Real>
Image raw_copy(const Contract<Real>& contract) {
  const Setup& setup = contract.setup;
  Image out(setup.output);
  const double beyond = contract.spec.border.kind == Border::constant ? contract.spec.border.value : 0.0;
  for (std::int64_t y = 0; y < setup.y.out; ++y)
    for (std::int64_t x = 0; x < setup.x.out; ++x) {
      const auto ix = folded(setup.x.outputs[std::size_t(x)].first, setup.x.in, contract.spec.border.kind);
      const auto iy = folded(setup.y.outputs[std::size_t(y)].first, setup.y.in, contract.spec.border.kind);
      const std::size_t bytes = setup.output.pixel_bytes();
      std::byte* at = out.row(y) + std::size_t(x) * bytes;
      if (ix && iy)
        std::memcpy(at, contract.image.row(*iy) + std::size_t(*ix) * bytes, bytes);
      else
        for (int c = 0; c < setup.output.channels; ++c) store(out, x, y, c, double(Real(beyond)));
    }
  return out;
}

template <class Real>
Image emulate_in(const ResampleSpec& spec, const Image& whole) {
  const Image image = cropped(spec, whole);
  const Setup setup = resolve(spec, whole.info());
  const Contract<Real> contract{spec, image, setup, rules_of(spec, setup)};
  if (contract.rules.raw) return raw_copy(contract);
  const Rules& rules = contract.rules;
  std::vector<Plane<Real>> values, masks;
  for (int c = 0; c < rules.channels; ++c) {
    values.push_back(filtered<Real>(setup, spec.border.kind, contract.plane(c, false)));
    if (rules.nodata && !rules.copied)
      // A zero border counts as missing: its mask is 1 there.
      masks.push_back(filtered<Real>(setup, spec.border.kind, contract.plane(c, true)));
  }
  Image out(setup.output);
  for (std::int64_t y = 0; y < setup.y.out; ++y)
    for (std::int64_t x = 0; x < setup.x.out; ++x)
      for (int c = 0; c < rules.channels; ++c) {
        Real beside = 0;
        if (rules.premultiply) beside = values[std::size_t(rules.alpha_channel)].at(x, y);
        if (!masks.empty()) beside = masks[std::size_t(c)].at(x, y);
        store(out, x, y, c, double(contract.finished(values[std::size_t(c)].at(x, y), beside, c)));
      }
  return out;
}

}  // namespace

Image emulate(const ResampleSpec& spec, const Image& image) {
  const PixelType type = image.info().type;
  const bool wide = type == PixelType::u32 || type == PixelType::s32 || type == PixelType::f64;
  return wide ? emulate_in<double>(spec, image) : emulate_in<float>(spec, image);
}

}  // namespace upfirdn::oracle
