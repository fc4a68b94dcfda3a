#include <algorithm>
#include <cmath>
#include <cstring>

#include "oracle.hpp"
#include "oracle_rules.hpp"

namespace upfirdn::oracle {
namespace {

/// One filtered quantity: its samples, and the value of positions that have none (if they count at all).
struct Plane {
  std::int64_t width = 0, height = 0;
  std::vector<float> values{};
  std::optional<float> outside{};
  std::vector<float> outside_line{};  ///< after the first pass: that pass applied to a line of `outside`

  [[nodiscard]] float& at(std::int64_t x, std::int64_t y) { return values[std::size_t(y * width + x)]; }
  [[nodiscard]] float at(std::int64_t x, std::int64_t y) const { return values[std::size_t(y * width + x)]; }
};

/// Sums in runs of 64 from +0, then the sums in runs of 64, until one is left.
float sum_of_runs(std::vector<float> sums) {
  while (sums.size() > 1) {
    std::vector<float> next;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (i % 64 == 0) next.push_back(0.0f);
      next.back() += sums[i];
    }
    sums = next;
  }
  return sums.empty() ? 0.0f : sums[0];
}

/// The summation rule for taps whose samples `sample(k)` may be missing.
template <class Sample>
float fir(const std::vector<float>& taps, Sample&& sample) {
  std::vector<float> sums;
  for (std::size_t k = 0; k < taps.size(); ++k) {
    if (k % 64 == 0) sums.push_back(0.0f);
    const std::optional<float> value = sample(std::int64_t(k));
    if (value) sums.back() = std::fma(taps[k], *value, sums.back());
  }
  return sum_of_runs(sums);
}

/// One output of one axis; `line(i)` is the sample at index i, `beyond` stands outside.
template <class Line>
float axis_output(const AxisSetup& axis, std::int64_t o, const std::vector<float>& taps, Border border,
                  std::optional<float> beyond, Line&& line) {
  const std::int64_t first = axis.outputs[std::size_t(o)].first;
  const auto at = [&](std::int64_t position) -> std::optional<float> {
    const std::optional<std::int64_t> i = folded(position, axis.in, border);
    return i ? std::optional<float>(line(*i)) : beyond;
  };
  if (axis.copied) return at(first).value_or(0.0f);
  return fir(taps, [&](std::int64_t k) { return at(first + k); });
}

std::vector<float> float_taps(const AxisSetup& axis, std::int64_t o) {
  const std::vector<double>& taps = axis.outputs[std::size_t(o)].taps;
  return {taps.begin(), taps.end()};
}

/// The value outside that the other pass sees: this pass applied to a line of the value outside.
std::vector<float> filter_outside(const AxisSetup& axis, std::optional<float> outside) {
  std::vector<float> line;
  for (std::int64_t o = 0; outside && o < axis.out; ++o)
    line.push_back(axis_output(axis, o, float_taps(axis, o), Border::edge, outside,
                               [&](std::int64_t) { return *outside; }));
  return line;
}

std::optional<float> entry(const std::vector<float>& line, std::int64_t i) {
  return line.empty() ? std::nullopt : std::optional<float>(line[std::size_t(i)]);
}

Plane vertical(const AxisSetup& axis, Border border, const Plane& in, bool is_first) {
  Plane out{.width = in.width, .height = axis.out};
  for (std::int64_t y = 0; y < out.height; ++y) {
    const std::vector<float> taps = float_taps(axis, y);
    for (std::int64_t x = 0; x < out.width; ++x)
      out.values.push_back(axis_output(axis, y, taps, border,
                                       is_first ? in.outside : entry(in.outside_line, x),
                                       [&](std::int64_t i) { return in.at(x, i); }));
  }
  if (is_first) out.outside_line = filter_outside(axis, in.outside);
  return out;
}

Plane transposed(const Plane& in) {
  Plane out = in;
  out.width = in.height;
  out.height = in.width;
  for (std::int64_t y = 0; y < out.height; ++y)
    for (std::int64_t x = 0; x < out.width; ++x) out.at(x, y) = in.at(y, x);
  return out;
}

Plane horizontal(const AxisSetup& axis, Border border, const Plane& in, bool is_first) {
  return transposed(vertical(axis, border, transposed(in), is_first));
}

Plane direct(const Setup& setup, Border border, const Plane& in) {
  Plane out{.width = setup.x.out, .height = setup.y.out};
  const std::int64_t rows = std::int64_t(setup.y.prototype.size()),
                     columns = std::int64_t(setup.x.prototype.size());
  for (std::int64_t y = 0; y < out.height; ++y)
    for (std::int64_t x = 0; x < out.width; ++x) {
      const Weights& wy = setup.y.outputs[std::size_t(y)];
      const Weights& wx = setup.x.outputs[std::size_t(x)];
      std::vector<float> taps;
      std::vector<Pair<std::int64_t>> positions;
      for (std::int64_t jy = wy.j0, iy = wy.first; jy < rows; jy += setup.y.up, ++iy)
        for (std::int64_t jx = wx.j0, ix = wx.first; jx < columns; jx += setup.x.up, ++ix) {
          const std::int64_t row = setup.flip ? jy : rows - 1 - jy,
                             column = setup.flip ? jx : columns - 1 - jx;
          taps.push_back(float(setup.matrix[std::size_t(row * columns + column)]));
          positions.push_back({ix, iy});
        }
      out.values.push_back(fir(taps, [&](std::int64_t k) -> std::optional<float> {
        const auto [px, py] = positions[std::size_t(k)];
        const auto ix = folded(px, in.width, border), iy = folded(py, in.height, border);
        return ix && iy ? std::optional<float>(in.at(*ix, *iy)) : in.outside;
      }));
    }
  return out;
}

Plane filtered(const Setup& setup, Border border, const Plane& in) {
  if (!setup.matrix.empty()) return direct(setup, border, in);
  if (setup.vertical_first) return horizontal(setup.x, border, vertical(setup.y, border, in, true), false);
  return vertical(setup.y, border, horizontal(setup.x, border, in, true), false);
}

std::vector<float> light_thresholds(const Rules& rules) {
  std::vector<float> thresholds;
  for (int k = 1; rules.linear && k <= int(rules.out_max); ++k)
    thresholds.push_back(float(light_of((k - 0.5) / rules.out_max)));
  return thresholds;
}

/// Everything about one request and image that the sample steps need.
struct Contract {
  const ResampleSpec& spec;
  const Image& image;
  const Setup setup;
  const Rules rules;
  const std::vector<float> thresholds = light_thresholds(rules);  ///< light from which on the code is k + 1

  [[nodiscard]] bool missing(float v) const {
    return rules.nodata && (v == float(*rules.nodata) || (std::isnan(v) && std::isnan(*rules.nodata)));
  }

  /// Stored samples of one pixel to the value that is filtered.
  [[nodiscard]] float decoded(const std::vector<float>& pixel, int channel) const {
    float v = pixel[std::size_t(channel)];
    if (rules.linear && channel != rules.alpha_channel) v = float(light_of(double(v) / rules.in_max));
    if (!rules.premultiply) return v;
    const float a = pixel.back() / float(rules.in_max);
    return channel == rules.alpha_channel ? a : v * a;
  }

  [[nodiscard]] std::vector<float> pixel_at(std::int64_t x, std::int64_t y) const {
    std::vector<float> pixel;
    for (int c = 0; c < rules.channels; ++c) pixel.push_back(float(sample_at(image, x, y, c)));
    return pixel;
  }

  /// Values of a channel, or ones where samples are missing.
  [[nodiscard]] Plane plane(int channel, bool mask) const {
    const bool masking = rules.nodata && !rules.copied;
    Plane plane{.width = image.info().width, .height = image.info().height};
    for (std::int64_t y = 0; y < plane.height; ++y)
      for (std::int64_t x = 0; x < plane.width; ++x) {
        const std::vector<float> pixel = pixel_at(x, y);
        const bool gone = masking && missing(pixel[std::size_t(channel)]);
        plane.values.push_back(mask ? (gone ? 1.0f : 0.0f) : gone ? 0.0f : decoded(pixel, channel));
      }
    if (spec.border.kind == Border::constant) {
      const std::vector<float> pixel(std::size_t(rules.channels), float(spec.border.value));
      const bool gone = masking && missing(pixel[0]);
      plane.outside = mask ? (gone ? 1.0f : 0.0f) : gone ? 0.0f : decoded(pixel, channel);
    }
    if (spec.border.kind == Border::zero && mask) plane.outside = 1.0f;
    return plane;
  }

  [[nodiscard]] float code_of_light(float light) const {
    if (std::isnan(light)) return 0.0f;
    return float(std::upper_bound(thresholds.begin(), thresholds.end(), light) - thresholds.begin());
  }

  [[nodiscard]] float epilogue(float v, int channel) const {
    const EpilogueRequest& request = spec.epilogue;
    const float full = float(rules.in_max);
    if (rules.range == ValueRange::unit) v = v / full;
    if (rules.range == ValueRange::signed_unit) v = v / full * 2.0f - 1.0f;
    if (!rules.bias.empty()) v = v + float(rules.bias[std::size_t(channel)]);
    if (request.activation == Activation::relu && !std::isnan(v) && !(v > 0.0f)) v = 0.0f;
    if (request.activation == Activation::lrelu && !(v > 0.0f)) v = v * float(request.slope);
    if (request.activation_gain != 1.0) v = v * float(request.activation_gain);
    if (request.clamp && v > float(*request.clamp)) v = float(*request.clamp);
    if (request.clamp && v < -float(*request.clamp)) v = -float(*request.clamp);
    if (rules.range == ValueRange::unit) v = v * full;
    if (rules.range == ValueRange::signed_unit) v = (v + 1.0f) * 0.5f * full;
    return v;
  }

  /// A filtered value to the number that is rounded and stored. `beside` is the filtered alpha or mask.
  [[nodiscard]] float finished(float v, float beside, int channel) const {
    const bool is_alpha = channel == rules.alpha_channel;
    bool gone = false;
    if (rules.nodata && rules.copied) gone = missing(v);
    if (rules.nodata && !rules.copied) {
      const float den = 1.0f - beside;
      gone = den < 0.5f;
      v = gone ? float(*rules.nodata) : v / den;
    }
    if (rules.premultiply && is_alpha) v = v * float(rules.in_max);
    if (rules.premultiply && !is_alpha) v = beside <= 0.0f ? 0.0f : v / beside;
    if (rules.linear && !is_alpha) return code_of_light(v);
    if (rules.gain != 1.0) v = v * float(rules.gain);
    if (rules.epilogue && !gone && !is_alpha) v = epilogue(v, channel);
    if (rules.rescale && rules.out_max != 1.0) v = v * float(rules.out_max);
    if (rules.rescale && rules.in_max != 1.0) v = v / float(rules.in_max);
    return v;
  }
};

void store(Image& image, std::int64_t x, std::int64_t y, int channel, float value) {
  const ImageInfo& info = image.info();
  const std::size_t bytes = info.pixel_bytes() / std::size_t(info.channels);
  std::byte* at = image.row(y) + std::size_t(x) * info.pixel_bytes() + std::size_t(channel) * bytes;
  const double rounded = rounded_to(info.type, double(value), double(info.maxval));
  if (info.type == PixelType::f32) {
    const std::uint32_t nan = 0x7fc00000u;
    if (std::isnan(value))
      std::memcpy(at, &nan, 4);
    else
      std::memcpy(at, &value, 4);
    return;
  }
  std::uint16_t bits = 0;
  if (info.type != PixelType::f16)
    bits = std::uint16_t(std::int32_t(rounded));
  else if (std::isnan(rounded))
    bits = 0x7e00;
  else {
    const std::uint16_t sign = std::signbit(rounded) ? 0x8000 : 0;
    const double magnitude = std::abs(rounded);
    if (std::isinf(magnitude))
      bits = 0x7c00;
    else if (magnitude < std::ldexp(1.0, -14))
      bits = std::uint16_t(std::ldexp(magnitude, 24));
    else
      bits = std::uint16_t(((std::ilogb(magnitude) + 15) << 10) +
                           int(std::ldexp(magnitude, 10 - std::ilogb(magnitude))) - 1024);
    bits = std::uint16_t(bits | sign);
  }
  std::memcpy(at, &bits, bytes);
}

/// Copies stored samples by index; outside stands the border's stored pixel.
Image raw_copy(const Contract& contract) {
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
        for (int c = 0; c < setup.output.channels; ++c) store(out, x, y, c, float(beyond));
    }
  return out;
}

}  // namespace

Image emulate(const ResampleSpec& spec, const Image& whole) {
  const Image image = cropped(spec, whole);
  const Setup setup = resolve(spec, whole.info());
  const Contract contract{spec, image, setup, rules_of(spec, setup)};
  if (contract.rules.raw) return raw_copy(contract);
  const Rules& rules = contract.rules;
  std::vector<Plane> values, masks;
  for (int c = 0; c < rules.channels; ++c) {
    values.push_back(filtered(setup, spec.border.kind, contract.plane(c, false)));
    if (rules.nodata && !rules.copied)
      // A zero border counts as missing: its mask is 1 there.
      masks.push_back(filtered(setup, spec.border.kind, contract.plane(c, true)));
  }
  Image out(setup.output);
  for (std::int64_t y = 0; y < setup.y.out; ++y)
    for (std::int64_t x = 0; x < setup.x.out; ++x)
      for (int c = 0; c < rules.channels; ++c) {
        float beside = 0.0f;
        if (rules.premultiply) beside = values[std::size_t(rules.alpha_channel)].at(x, y);
        if (!masks.empty()) beside = masks[std::size_t(c)].at(x, y);
        store(out, x, y, c, contract.finished(values[std::size_t(c)].at(x, y), beside, c));
      }
  return out;
}

}  // namespace upfirdn::oracle
