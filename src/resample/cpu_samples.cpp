#include "resample/cpu_samples.hpp"

#include <algorithm>
#include <cmath>

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
/// A chunk of floats, with room for a vector more.
using Chunk = std::vector<float>;
inline Chunk make_chunk(const SampleSteps& s) { return Chunk(std::size_t(s.chunk_pixels * s.math.channels + 16)); }
}
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
  }
}

template <class Out>
/// Floats as samples: rounded half to even and clamped to [low, high], NaN as 0; returns how many.
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

/// out[sample] = the value of plane `plane` of its pixel; every pixel has `Planes` (0: `planes`).
template <int Planes>
HWY_INLINE void spread_plane(const float* values, std::int64_t n, int planes, int plane, float* out) {
  const int count = Planes == 0 ? planes : Planes;
  for (std::int64_t i = 0; i < n; i += count)
    for (int p = 0; p < count; ++p) out[i + p] = values[i + plane];
}

void spread_alpha(const SampleMathView& math, const float* values, std::int64_t n, float* out) {
  if (math.channels == 4) return spread_plane<4>(values, n, 4, math.alpha_channel, out);
  if (math.channels == 2) return spread_plane<2>(values, n, 2, math.alpha_channel, out);
  spread_plane<0>(values, n, math.channels, math.alpha_channel, out);
}

/// Codes as light. Gray and colour are whole numbers here.
void to_light(const SampleSteps& s, float* values, std::int64_t n) {
  const Floats d;
  const auto highest = hn::Set(d, s.math.in_max);
  each_vector(n, [&](std::int64_t i) {
    const auto v = hn::LoadU(d, values + i);
    const auto light = hn::GatherIndex(d, s.math.decode_table, hn::ConvertTo(Integers(), hn::Min(v, highest)));
    hn::StoreU(hn::IfThenElse(alpha_lanes(s, i), v, light), d, values + i);
  });
}

/// Light as codes: see LightCodes. NaN gives 0.
void to_codes(const SampleSteps& s, float* values, std::int64_t n) {
  const Floats d;
  const Integers whole;
  const LightCodes& codes = *s.light;
  const auto lowest = hn::Set(d, codes.lowest()), highest = hn::Set(d, codes.highest());
  const auto first = hn::Set(whole, codes.first_bucket()), last = hn::Set(whole, codes.highest_code()), one = hn::Set(whole, 1);
  each_vector(n, [&](std::int64_t i) {
    const auto v = hn::LoadU(d, values + i);
    const auto light = hn::Min(hn::IfThenElseZero(hn::Eq(v, v), v), highest);
    const auto inside = hn::Max(light, lowest);
    const auto bits = hn::ShiftRight<LightCodes::bucket_shift>(hn::BitCast(whole, inside));
    const auto bucket = hn::Sub(bits, first);
    const auto begin = hn::BitCast(d, hn::ShiftLeft<LightCodes::bucket_shift>(bits));
    const auto rise = hn::Mul(hn::GatherIndex(d, codes.slope(), bucket), hn::Sub(inside, begin));
    auto code = hn::Min(hn::ConvertTo(whole, hn::Add(hn::GatherIndex(d, codes.base(), bucket), rise)), last);
    for (;;) {
      const auto high = hn::Ge(light, hn::GatherIndex(d, codes.thresholds() + 1, code));
      const auto low = hn::Lt(light, hn::GatherIndex(d, codes.thresholds(), code));
      if (HWY_LIKELY(hn::AllFalse(d, hn::Or(high, low)))) break;
      code = hn::Add(code, hn::IfThenElseZero(hn::RebindMask(whole, high), one));
      code = hn::Sub(code, hn::IfThenElseZero(hn::RebindMask(whole, low), one));
    }
    hn::StoreU(hn::IfThenElse(alpha_lanes(s, i), v, hn::ConvertTo(d, code)), d, values + i);
  });
}

void premultiply(const SampleSteps& s, float* values, std::int64_t n, float* alphas) {
  const Floats d;
  const auto full = hn::Set(d, s.math.in_max);
  spread_alpha(s.math, values, n, alphas);
  each_vector(n, [&](std::int64_t i) {
    const auto alpha = hn::Div(hn::LoadU(d, alphas + i), full);
    hn::StoreU(hn::IfThenElse(alpha_lanes(s, i), alpha, hn::Mul(hn::LoadU(d, values + i), alpha)), d, values + i);
  });
}

void divide_by_alpha(const SampleSteps& s, float* values, std::int64_t n, float* alphas) {
  const Floats d;
  const auto full = hn::Set(d, s.math.in_max);
  spread_alpha(s.math, values, n, alphas);
  each_vector(n, [&](std::int64_t i) {
    const auto alpha = hn::LoadU(d, alphas + i), v = hn::LoadU(d, values + i);
    const auto colour = hn::IfThenZeroElse(hn::Le(alpha, hn::Zero(d)), hn::Div(v, alpha));
    hn::StoreU(hn::IfThenElse(alpha_lanes(s, i), hn::Mul(v, full), colour), d, values + i);
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
    for (std::int64_t i = 0; i < n; ++i) planes[2 * i] = values[i], planes[2 * i + 1] = masks[i];
    return;
  }
  for (std::int64_t i = 0; i < n; i += math.channels, planes += 2 * math.channels)
    for (int c = 0; c < math.channels; ++c) planes[c] = values[i + c], planes[math.channels + c] = masks[i + c];
}

/// Values of a chunk from planes, renormalised; masks[sample] becomes 0 where they are there, and else 1.
void join_nodata(const SampleMathView& math, const float* planes, std::int64_t n, float* values, float* masks) {
  const Floats d;
  if (math.channels == 1) {
    for (std::int64_t i = 0; i < n; ++i) values[i] = planes[2 * i], masks[i] = planes[2 * i + 1];
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
  Chunk values = make_chunk(s), beside = make_chunk(s);
  for (std::int64_t first = 0; first < pixels; first += s.chunk_pixels) {
    const std::int64_t count = std::min(s.chunk_pixels, pixels - first), n = count * math.channels;
    ToFloats(s.input, stored + std::size_t(first * math.channels) * size_bytes(s.input), n, values.data());
    std::fill_n(values.data() + n, 16, 0.0f);
    float* const to = planes + first * math.planes;
    if (math.planes > math.channels) {
      split_nodata(math, values.data(), n, beside.data(), to);
      continue;
    }
    if (math.linear) to_light(s, values.data(), n);
    if (math.premultiply) premultiply(s, values.data(), n, beside.data());
    std::copy_n(values.data(), n, to);
  }
}

std::int64_t EncodeRow(const SampleSteps& s, const float* planes, std::int64_t pixels, std::byte* stored) {
  const Floats d;
  const SampleMathView& math = s.math;
  Chunk values = make_chunk(s), beside = make_chunk(s);
  std::int64_t nan = 0;
  for (std::int64_t first = 0; first < pixels; first += s.chunk_pixels) {
    const std::int64_t count = std::min(s.chunk_pixels, pixels - first), n = count * math.channels;
    const float* const from = planes + first * math.planes;
    if (math.planes > math.channels) join_nodata(math, from, n, values.data(), beside.data());
    else std::copy_n(from, n, values.data());
    std::fill_n(values.data() + n, 16, 0.0f);
    if (math.nodata && math.gathered)
      each_vector(n, [&](std::int64_t i) { hn::StoreU(hn::IfThenElseZero(is_nodata(math, hn::LoadU(d, values.data() + i)), hn::Set(d, 1.0f)), d, beside.data() + i); });
    if (math.premultiply) divide_by_alpha(s, values.data(), n, beside.data());
    if (math.linear) to_codes(s, values.data(), n);
    if (!math.linear || math.alpha_channel >= 0) scale(s, values.data(), n, math.nodata ? beside.data() : nullptr);
    nan += FromFloats(values.data(), n, math.out_min, math.out_max, s.output, stored + std::size_t(first * math.channels) * size_bytes(s.output));
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
    : steps_{operation.input.type, operation.output.type, operation.samples.view(), 0, nullptr, nullptr, &light_} {
  const SampleMathView& math = steps_.math;
  plain_ = !math.linear && !math.premultiply && math.planes == math.channels;
  stores_plainly_ = plain_ && !math.nodata && math.gain == 1.0f && !math.epilogue && math.depth_multiplier == 1.0f && math.depth_divisor == 1.0f;
  if (math.linear) light_ = LightCodes(operation.samples.encode_thresholds);
  steps_.chunk_pixels = std::max<std::int64_t>(1, usual_chunk / math.channels);
  for (std::int64_t pixel = 0; pixel < steps_.chunk_pixels; ++pixel)
    for (int c = 0; c < math.channels; ++c) {
      is_alpha_.push_back(c == math.alpha_channel ? 1 : 0);
      bias_.push_back(math.bias != nullptr ? math.bias[c] : 0.0f);
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
