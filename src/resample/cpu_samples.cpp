#include "resample/cpu_samples.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

// Included once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "resample/cpu_samples.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "resample/cpu_vectors-inl.hpp"

#ifndef UPFIRDN_CPU_SAMPLES_ONCE
#define UPFIRDN_CPU_SAMPLES_ONCE
namespace upfirdn {
constexpr std::int64_t usual_chunk = 1024;  // samples; some of them fit the first-level cache
/// Memory for the floats of a chunk, with room for a vector more. Not initialised.
class Chunk {
 public:
  explicit Chunk(const SampleSteps& s) {
    const std::int64_t n = s.chunk_pixels * s.math.channels;
    if (n > usual_chunk) large_ = std::make_unique_for_overwrite<float[]>(std::size_t(n + 16));
  }
  [[nodiscard]] float* get() { return large_ ? large_.get() : usual_; }

 private:
  float usual_[usual_chunk + 16];
  std::unique_ptr<float[]> large_;
};
}  // namespace upfirdn
#endif

HWY_BEFORE_NAMESPACE();
namespace upfirdn::HWY_NAMESPACE {

using Integers = hn::Rebind<std::int32_t, Floats>;
using Mask = hn::Mask<Floats>;

/// Samples of any type as floats, without further arithmetic.
template <class In>
HWY_INLINE void promote(const std::byte* bytes, std::int64_t n, float* out) {
  const In* samples = reinterpret_cast<const In*>(bytes);
  const hn::ScalableTag<float> d;
  const hn::Rebind<In, decltype(d)> from;
  const hn::Rebind<std::int32_t, decltype(d)> integer;
  const std::int64_t lanes = std::int64_t(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(integer, hn::LoadU(from, samples + i))), d, out + i);
  for (; i < n; ++i) out[i] = float(samples[i]);
}

void ToFloats(PixelType type, const std::byte* bytes, std::int64_t n, float* out) {
  switch (type) {
    case PixelType::u8: return promote<std::uint8_t>(bytes, n, out);
    case PixelType::u16: return promote<std::uint16_t>(bytes, n, out);
    case PixelType::s16: return promote<std::int16_t>(bytes, n, out);
    case PixelType::f16: {
      const Half* samples = reinterpret_cast<const Half*>(bytes);
      const Floats d;
      const std::int64_t lanes = std::int64_t(hn::Lanes(d));
      std::int64_t i = 0;
      for (; i + lanes <= n; i += lanes) hn::StoreU(load_floats(d, samples + i), d, out + i);
      for (; i < n; ++i) out[i] = half_to_float(samples[i]);
      return;
    }
    case PixelType::f32: std::copy_n(reinterpret_cast<const float*>(bytes), n, out); return;
    case PixelType::u32:
    case PixelType::s32:
    case PixelType::f64: return;  // DoubleRowSteps filters these
  }
}

/// Floats as samples: rounded half to even and clamped to [low, high], NaN as 0; returns how many.
template <class Out>
HWY_INLINE std::int64_t demote(const float* values, std::int64_t n, float low, float high, std::byte* bytes) {
  Out* samples = reinterpret_cast<Out*>(bytes);
  const hn::ScalableTag<float> d;
  const hn::Rebind<Out, decltype(d)> to;
  const auto lowest = hn::Set(d, low), highest = hn::Set(d, high);
  const std::int64_t lanes = std::int64_t(hn::Lanes(d));
  std::int64_t nan = 0, i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto v = hn::LoadU(d, values + i);
    const auto number = hn::Eq(v, v);
    if (HWY_UNLIKELY(!hn::AllTrue(d, number))) nan += lanes - std::int64_t(hn::CountTrue(d, number));
    v = hn::Min(hn::Max(hn::IfThenElseZero(number, v), lowest), highest);
    hn::StoreU(hn::DemoteTo(to, hn::NearestInt(v)), to, samples + i);
  }
  for (; i < n; ++i) {
    const float v = values[i];
    nan += v != v;
    samples[i] = v != v ? Out(0) : Out(std::nearbyint(std::clamp(v, low, high)));
  }
  return nan;
}

std::int64_t FromFloats(const float* values, std::int64_t n, float low, float high, PixelType type, std::byte* bytes) {
  switch (type) {
    case PixelType::u8: return demote<std::uint8_t>(values, n, low, high, bytes);
    case PixelType::u16: return demote<std::uint16_t>(values, n, low, high, bytes);
    case PixelType::s16: return demote<std::int16_t>(values, n, low, high, bytes);
    case PixelType::f16: {
      Half* samples = reinterpret_cast<Half*>(bytes);
      std::int64_t i = 0;
      if constexpr (converts_half) {
        const Floats d;
        const hn::Rebind<hwy::float16_t, Floats> half;
        const std::int64_t lanes = std::int64_t(hn::Lanes(d));
        const auto nan = hn::Set(d, float_from_bits(0x7fc00000u));
        for (; i + lanes <= n; i += lanes) {
          const auto v = hn::LoadU(d, values + i);
          hn::StoreU(hn::DemoteTo(half, hn::IfThenElse(hn::Eq(v, v), v, nan)), half, reinterpret_cast<hwy::float16_t*>(samples + i));
        }
      }
      for (; i < n; ++i) samples[i] = float_to_half(values[i]);
      return 0;
    }
    case PixelType::f32: {
      float* samples = reinterpret_cast<float*>(bytes);
      for (std::int64_t i = 0; i < n; ++i) samples[i] = values[i] != values[i] ? float_from_bits(0x7fc00000u) : values[i];
      return 0;
    }
    case PixelType::u32:
    case PixelType::s32:
    case PixelType::f64: break;  // DoubleRowSteps filters these
  }
  return 0;
}

/// Calls f(i) for the begins of vectors that cover `n` samples of a chunk, the last one perhaps beyond it.
template <class F>
HWY_INLINE void each_vector(std::int64_t n, const F& f) {
  for (std::int64_t i = 0; i < n; i += std::int64_t(hn::Lanes(Floats()))) f(i);
}

HWY_INLINE Mask alpha_lanes(const SampleSteps& s, std::int64_t i) {
  return hn::RebindMask(Floats(), hn::Ne(hn::LoadU(Integers(), s.is_alpha + i), hn::Zero(Integers())));
}

HWY_INLINE Mask is_nodata(const SampleMathView& math, Vector v) {
  const auto equal = hn::Eq(v, hn::Set(Floats(), math.nodata_value));
  return math.nodata_value != math.nodata_value ? hn::Not(hn::Eq(v, v)) : equal;
}

/// out[sample] = the value of channel `channel` of its pixel.
void spread_channel(const float* values, std::int64_t n, int channels, int channel, float* out) {
  for (std::int64_t i = 0; i < n; i += channels) std::fill_n(out + i, channels, values[i + channel]);
}

/// Calls f(i, values, their pixels' alphas) for the vectors of a chunk. `beside`: memory for a chunk.
template <class F>
HWY_INLINE void each_with_alpha(const SampleMathView& math, const float* values, std::int64_t n, float* beside, const F& f) {
  const Floats d;
  const int lanes = int(hn::Lanes(d));
  if (lanes % math.channels != 0) {
    spread_channel(values, n, math.channels, math.alpha_channel, beside);
    return each_vector(n, [&](std::int64_t i) { f(i, hn::LoadU(d, values + i), hn::LoadU(d, beside + i)); });
  }
  alignas(64) std::int32_t from[16];  // no pixel lies in two vectors
  for (int i = 0; i < lanes; ++i) from[i] = i / math.channels * math.channels + math.alpha_channel;
  const auto indices = hn::SetTableIndices(d, from);
  each_vector(n, [&](std::int64_t i) {
    const auto v = hn::LoadU(d, values + i);
    f(i, v, hn::TableLookupLanes(v, indices));
  });
}

void premultiply(const SampleSteps& s, float* values, std::int64_t n, float* beside) {
  const Floats d;
  const auto full = hn::Set(d, s.math.in_max);
  each_with_alpha(s.math, values, n, beside, [&](std::int64_t i, Vector v, Vector stored_alpha) {
    const auto alpha = hn::Div(stored_alpha, full);
    hn::StoreU(hn::IfThenElse(alpha_lanes(s, i), alpha, hn::Mul(v, alpha)), d, values + i);
  });
}

void divide_by_alpha(const SampleSteps& s, float* values, std::int64_t n, float* beside) {
  const Floats d;
  const auto full = hn::Set(d, s.math.in_max);
  each_with_alpha(s.math, values, n, beside, [&](std::int64_t i, Vector v, Vector alpha) {
    const auto colour = hn::IfThenZeroElse(hn::Le(alpha, hn::Zero(d)), hn::Div(v, alpha));
    hn::StoreU(hn::IfThenElse(alpha_lanes(s, i), hn::Mul(v, full), colour), d, values + i);
  });
}

/// Codes as light. Scalar loads, as gathers are slower where the table is not in the first-level cache.
template <class T>
HWY_INLINE void look_up(const SampleMathView& math, const std::byte* stored, std::int64_t n, float* values) {
  const T* samples = reinterpret_cast<const T*>(stored);
  const std::uint32_t highest = std::uint32_t(math.in_max);
  for (std::int64_t i = 0; i < n; ++i) values[i] = math.decode_table[std::min<std::uint32_t>(samples[i], highest)];
  if (math.alpha_channel < 0) return;
  for (std::int64_t i = math.alpha_channel; i < n; i += math.channels) values[i] = float(samples[i]);
}

/// About log2 of positive numbers, to 3e-6.
HWY_INLINE Vector log2_guess(Vector v) {
  const Floats d;
  const Integers whole;
  const auto bits = hn::BitCast(whole, v);
  const auto exponent = hn::ConvertTo(d, hn::Sub(hn::ShiftRight<23>(bits), hn::Set(whole, 127)));
  const auto m = hn::Sub(hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(whole, 0x7fffff)), hn::Set(whole, 0x3f800000))), hn::Set(d, 1.0f));
  auto sum = hn::Set(d, -0.025123203f);  // Chebyshev interpolation of log2(1 + m)
  for (const float c : {0.11929823f, -0.27462324f, 0.4555271f, -0.71755785f, 1.4424753f, 2.1237408e-06f}) sum = hn::MulAdd(sum, m, hn::Set(d, c));
  return hn::Add(exponent, sum);
}

/// About 2^v for |v| < 126, to 1e-7.
HWY_INLINE Vector exp2_guess(Vector v) {
  const Floats d;
  const auto n = hn::NearestInt(v);
  const auto f = hn::Sub(v, hn::ConvertTo(d, n));
  auto sum = hn::Set(d, 0.00134004f);  // Chebyshev interpolation
  for (const float c : {0.009676037f, 0.05550327f, 0.24022107f, 0.6931472f, 1.0f}) sum = hn::MulAdd(sum, f, hn::Set(d, c));
  return hn::BitCast(d, hn::Add(hn::BitCast(Integers(), sum), hn::ShiftLeft<23>(n)));
}

/// Light as the codes of the sRGB curve: the nearest threshold between codes is guessed, and a comparison with it decides.
/// The guess is off by at most a tenth of a code (0.5 would do). NaN gives 0.
void to_codes(const SampleSteps& s, float* values, std::int64_t n) {
  const Floats d;
  const Integers whole;
  const auto one = hn::Set(whole, 1), most = hn::Set(whole, s.math.encode_max);
  const auto scale = hn::Set(d, float(s.math.encode_max)), half = hn::Set(d, 0.5f);
  each_vector(n, [&](std::int64_t i) {
    const auto v = hn::LoadU(d, values + i);
    const auto light = hn::Min(hn::IfThenElseZero(hn::Eq(v, v), v), hn::Set(d, 1.0f));
    const auto power = exp2_guess(hn::Mul(log2_guess(hn::Max(light, hn::Set(d, 0.001f))), hn::Set(d, 1.0f / 2.4f)));
    const auto curve = hn::MulAdd(power, hn::Set(d, 1.055f), hn::Set(d, -0.055f));
    const auto unit = hn::IfThenElse(hn::Le(light, hn::Set(d, 0.0031308f)), hn::Mul(hn::Max(light, hn::Zero(d)), hn::Set(d, 12.92f)), curve);
    const auto threshold = hn::Min(hn::Max(hn::NearestInt(hn::MulAdd(unit, scale, half)), one), most);  // the one below this code
    const auto below = hn::Sub(threshold, one);
    const auto reached = hn::Ge(light, hn::GatherIndex(d, s.math.encode_thresholds, below));
    const auto code = hn::ConvertTo(d, hn::IfThenElse(hn::RebindMask(whole, reached), threshold, below));
    hn::StoreU(hn::IfThenElse(alpha_lanes(s, i), v, code), d, values + i);
  });
}

/// [pixel][values, then masks] from the values of a chunk.
void split_nodata(const SampleMathView& math, float* values, std::int64_t n, float* masks, float* planes) {
  const Floats d;
  each_vector(n, [&](std::int64_t i) {
    const auto v = hn::LoadU(d, values + i);
    const auto missing = is_nodata(math, v);
    hn::StoreU(hn::IfThenZeroElse(missing, v), d, values + i);
    hn::StoreU(hn::IfThenElseZero(missing, hn::Set(d, 1.0f)), d, masks + i);
  });
  if (math.channels == 1) {
    const std::int64_t lanes = std::int64_t(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreInterleaved2(hn::LoadU(d, values + i), hn::LoadU(d, masks + i), d, planes + 2 * i);
    for (; i < n; ++i) planes[2 * i] = values[i], planes[2 * i + 1] = masks[i];
    return;
  }
  for (std::int64_t i = 0; i < n; i += math.channels, planes += 2 * math.channels)
    for (int c = 0; c < math.channels; ++c) planes[c] = values[i + c], planes[math.channels + c] = masks[i + c];
}

/// Values of a chunk from planes, renormalised; masks[sample] becomes 0 where they are there, and else 1.
void join_nodata(const SampleMathView& math, const float* planes, std::int64_t n, float* values, float* masks) {
  const Floats d;
  if (math.channels == 1) {
    const std::int64_t lanes = std::int64_t(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      Vector value, mask;
      hn::LoadInterleaved2(d, planes + 2 * i, value, mask);
      hn::StoreU(value, d, values + i), hn::StoreU(mask, d, masks + i);
    }
    for (; i < n; ++i) values[i] = planes[2 * i], masks[i] = planes[2 * i + 1];
  } else {
    for (std::int64_t i = 0; i < n; i += math.channels, planes += 2 * math.channels)
      for (int c = 0; c < math.channels; ++c) values[i + c] = planes[c], masks[i + c] = planes[math.channels + c];
  }
  const auto one = hn::Set(d, 1.0f), nothing = hn::Set(d, math.nodata_value);
  each_vector(n, [&](std::int64_t i) {
    const auto weight = hn::Sub(one, hn::LoadU(d, masks + i));
    const auto gone = hn::Lt(weight, hn::Set(d, 0.5f));
    hn::StoreU(hn::IfThenElse(gone, nothing, hn::Div(hn::LoadU(d, values + i), weight)), d, values + i);
    hn::StoreU(hn::IfThenElseZero(gone, one), d, masks + i);
  });
}

HWY_INLINE Vector apply_epilogue(const SampleSteps& s, Vector value, std::int64_t i) {
  const Floats d;
  const SampleMathView& math = s.math;
  const auto full = hn::Set(d, math.in_max), one = hn::Set(d, 1.0f), zero = hn::Zero(d);
  if (math.range == ValueRange::unit) value = hn::Div(value, full);
  if (math.range == ValueRange::signed_unit) value = hn::Sub(hn::Mul(hn::Div(value, full), hn::Set(d, 2.0f)), one);
  if (math.bias != nullptr) value = hn::Add(value, hn::LoadU(d, s.bias + i));
  if (math.activation == Activation::relu) value = hn::IfThenElse(hn::Le(value, zero), zero, value);
  if (math.activation == Activation::lrelu) value = hn::IfThenElse(hn::Gt(value, zero), value, hn::Mul(value, hn::Set(d, math.slope)));
  if (math.activation_gain != 1.0f) value = hn::Mul(value, hn::Set(d, math.activation_gain));
  if (math.clamp) {
    const auto most = hn::Set(d, math.clamp_limit), least = hn::Set(d, -math.clamp_limit);
    value = hn::IfThenElse(hn::Gt(value, most), most, hn::IfThenElse(hn::Lt(value, least), least, value));
  }
  if (math.range == ValueRange::unit) value = hn::Mul(value, full);
  if (math.range == ValueRange::signed_unit) value = hn::Mul(hn::Mul(hn::Add(value, one), hn::Set(d, 0.5f)), full);
  return value;
}

/// Gain, epilogue (not where `missing`, if that is given, nor on alpha) and depth. Codes of light are those of the output already.
void scale(const SampleSteps& s, float* values, std::int64_t n, const float* missing) {
  const Floats d;
  const SampleMathView& math = s.math;
  each_vector(n, [&](std::int64_t i) {
    const auto unscaled = hn::LoadU(d, values + i);
    auto v = unscaled;
    if (math.gain != 1.0f) v = hn::Mul(v, hn::Set(d, math.gain));
    if (math.epilogue) {
      auto left_alone = alpha_lanes(s, i);
      if (missing != nullptr) left_alone = hn::Or(left_alone, hn::Ne(hn::LoadU(d, missing + i), hn::Zero(d)));
      v = hn::IfThenElse(left_alone, v, apply_epilogue(s, v, i));
    }
    if (math.depth_multiplier != 1.0f) v = hn::Mul(v, hn::Set(d, math.depth_multiplier));
    if (math.depth_divisor != 1.0f) v = hn::Div(v, hn::Set(d, math.depth_divisor));
    if (math.linear) v = hn::IfThenElse(alpha_lanes(s, i), v, unscaled);
    hn::StoreU(v, d, values + i);
  });
}

void DecodeRow(const SampleSteps& s, const std::byte* stored, std::int64_t pixels, float* planes) {
  const SampleMathView& math = s.math;
  const bool splits = math.planes > math.channels;
  Chunk values(s), beside(s);
  for (std::int64_t first = 0; first < pixels; first += s.chunk_pixels) {
    const std::int64_t count = std::min(s.chunk_pixels, pixels - first), n = count * math.channels;
    const std::byte* const from = stored + std::size_t(first * math.channels) * size_bytes(s.input);
    float* const out = planes + first * math.planes;
    float* const to = splits ? values.get() : out;
    if (math.linear && s.input == PixelType::u8) look_up<std::uint8_t>(math, from, n, to);
    else if (math.linear) look_up<std::uint16_t>(math, from, n, to);
    else ToFloats(s.input, from, n, to);
    if (math.premultiply) premultiply(s, to, n, beside.get());
    if (splits) split_nodata(math, to, n, beside.get(), out);
  }
}

std::int64_t EncodeRow(const SampleSteps& s, const float* planes, std::int64_t pixels, std::byte* stored) {
  const Floats d;
  const SampleMathView& math = s.math;
  Chunk values(s), beside(s);
  std::int64_t nan = 0;
  for (std::int64_t first = 0; first < pixels; first += s.chunk_pixels) {
    const std::int64_t count = std::min(s.chunk_pixels, pixels - first), n = count * math.channels;
    const float* const from = planes + first * math.planes;
    if (math.planes > math.channels) join_nodata(math, from, n, values.get(), beside.get());
    else std::copy_n(from, n, values.get());
    std::fill_n(values.get() + n, 16, 0.0f);
    if (math.nodata && math.gathered)
      each_vector(n, [&](std::int64_t i) { hn::StoreU(hn::IfThenElseZero(is_nodata(math, hn::LoadU(d, values.get() + i)), hn::Set(d, 1.0f)), d, beside.get() + i); });
    if (math.premultiply) divide_by_alpha(s, values.get(), n, beside.get());
    if (math.linear) to_codes(s, values.get(), n);
    if (!math.linear || math.alpha_channel >= 0) scale(s, values.get(), n, math.nodata ? beside.get() : nullptr);
    nan += FromFloats(values.get(), n, math.out_min, math.out_max, s.output, stored + std::size_t(first * math.channels) * size_bytes(s.output));
  }
  return nan;
}

}  // namespace upfirdn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upfirdn {

HWY_EXPORT(ToFloats);
HWY_EXPORT(FromFloats);
HWY_EXPORT(DecodeRow);
HWY_EXPORT(EncodeRow);

void to_floats(PixelType type, const std::byte* samples, std::int64_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(ToFloats)(type, samples, n, out);
}

SampleRows::SampleRows(const Operation& operation)
    : steps_{operation.input.type, operation.output.type, operation.samples.view(), 0, nullptr, nullptr} {
  const SampleMathView& math = steps_.math;
  plain_ = !math.linear && !math.premultiply && math.planes == math.channels;
  stores_plainly_ = plain_ && !math.nodata && math.gain == 1.0f && !math.epilogue && math.depth_multiplier == 1.0f && math.depth_divisor == 1.0f;
  steps_.chunk_pixels = std::max<std::int64_t>(1, usual_chunk / math.channels);
  for (std::int64_t pixel = 0; pixel < steps_.chunk_pixels; ++pixel)
    for (int c = 0; c < math.channels; ++c) {
      is_alpha_.push_back(c == math.alpha_channel ? 1 : 0);
      bias_.push_back(math.bias != nullptr ? float(math.bias[c]) : 0.0f);
    }
  is_alpha_.resize(is_alpha_.size() + 16), bias_.resize(bias_.size() + 16);
  steps_.is_alpha = is_alpha_.data(), steps_.bias = bias_.data();
}

void SampleRows::decode(const std::byte* stored, std::int64_t pixels, float* planes) const {
  if (plain_) return to_floats(steps_.input, stored, pixels * steps_.math.channels, planes);
  HWY_DYNAMIC_DISPATCH(DecodeRow)(steps_, stored, pixels, planes);
}

std::int64_t SampleRows::encode(const float* planes, std::int64_t pixels, std::byte* stored) const {
  if (stores_plainly_)
    return HWY_DYNAMIC_DISPATCH(FromFloats)(planes, pixels * steps_.math.channels, steps_.math.out_min, steps_.math.out_max, steps_.output, stored);
  return HWY_DYNAMIC_DISPATCH(EncodeRow)(steps_, planes, pixels, stored);
}

}  // namespace upfirdn
#endif
