#include "resample/cpu_passes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/error.hpp"
#include "core/sample_math.hpp"
#include "resample/backend.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "resample/cpu_passes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace upfirdn::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// a * b + c, rounded once. Highway's MulAdd is that only where the target fuses it.
template <class V>
HWY_INLINE V fused_multiply_add(V a, V b, V c) {
#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  const hn::DFromV<V> d;
  alignas(16) float x[4], y[4], z[4];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) z[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(d, z);
#else
  return hn::MulAdd(a, b, c);
#endif
}

/// Sums finished runs as RunSums does, `n` values side by side.
class RunSumsTile {
 public:
  static constexpr int widest = 64;
  explicit RunSumsTile(std::int64_t n) : n_(n) {}
  void add(const float* run) {
    ++runs_;
    const float* carry = run;
    std::int64_t group = run_length;
    for (int i = 0; i < levels; ++i, group *= run_length) {
      for (std::int64_t k = 0; k < n_; ++k) level_[i][k] += carry[k];
      if (runs_ % group != 0) return;
      std::copy_n(level_[i], n_, finished_);
      std::fill_n(level_[i], n_, 0.0f);
      carry = finished_;
    }
  }
  void total(float* out) const {
    for (std::int64_t k = 0; k < n_; ++k) {
      float sum = level_[0][k];
      for (int i = 1; i < levels; ++i) sum = level_[i][k] + sum;
      out[k] = sum;
    }
  }

 private:
  static constexpr int levels = 6;
  std::int64_t n_, runs_ = 0;
  float level_[levels][widest] = {};
  float finished_[widest] = {};
};

/// Adds taps begin .. end to four vectors of sums from +0.
template <class D, class Source>
HWY_INLINE void sum_run4(D d, const Source& source, const float* taps, std::int64_t begin, std::int64_t end, float* out) {
  const std::size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (std::int64_t k = begin; k < end; ++k) {
    const float* HWY_RESTRICT row = source(k);
    const auto tap = hn::Set(d, taps[k]);
    s0 = fused_multiply_add(tap, hn::LoadU(d, row), s0);
    s1 = fused_multiply_add(tap, hn::LoadU(d, row + lanes), s1);
    s2 = fused_multiply_add(tap, hn::LoadU(d, row + 2 * lanes), s2);
    s3 = fused_multiply_add(tap, hn::LoadU(d, row + 3 * lanes), s3);
  }
  hn::StoreU(s0, d, out);
  hn::StoreU(s1, d, out + lanes);
  hn::StoreU(s2, d, out + 2 * lanes);
  hn::StoreU(s3, d, out + 3 * lanes);
}

template <class D, class Source>
HWY_INLINE void sum_run1(D d, const Source& source, const float* taps, std::int64_t begin, std::int64_t end, float* out) {
  auto sum = hn::Zero(d);
  for (std::int64_t k = begin; k < end; ++k)
    sum = fused_multiply_add(hn::Set(d, taps[k]), hn::LoadU(d, source(k)), sum);
  hn::StoreU(sum, d, out);
}

/// Sums of all taps for one tile of Vectors * Lanes(d) values.
template <int Vectors, class D, class Source>
HWY_INLINE void sum_tile(D d, const Source& source, const WeightedTaps& w, float* out) {
  const auto sum_run = [&](std::int64_t begin, std::int64_t end, float* to) {
    if constexpr (Vectors == 4) sum_run4(d, source, w.taps, begin, end, to);
    else sum_run1(d, source, w.taps, begin, end, to);
  };
  if (w.count <= run_length) return sum_run(w.span.begin, w.span.end, out);
  alignas(64) float run[RunSumsTile::widest];
  RunSumsTile sums(Vectors * std::int64_t(hn::Lanes(d)));
  for (std::int64_t first = 0; first < w.count; first += run_length) {
    sum_run(std::max(first, w.span.begin), std::min(first + run_length, w.span.end), run);
    sums.add(run);
  }
  sums.total(out);
}

template <class MakeSource>
HWY_INLINE void sum_all(const MakeSource& source_at, const WeightedTaps& w, std::int64_t n, float* out) {
  const hn::CappedTag<float, 16> wide;
  const hn::CappedTag<float, 4> narrow;
  const hn::CappedTag<float, 1> single;
  const std::int64_t lanes = std::int64_t(hn::Lanes(wide));
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) sum_tile<4>(wide, source_at(i), w, out + i);
  for (; i + lanes <= n; i += lanes) sum_tile<1>(wide, source_at(i), w, out + i);
  for (; i + std::int64_t(hn::Lanes(narrow)) <= n; i += std::int64_t(hn::Lanes(narrow))) sum_tile<1>(narrow, source_at(i), w, out + i);
  for (; i < n; ++i) sum_tile<1>(single, source_at(i), w, out + i);
}

void SumRows(const float* const* rows, const WeightedTaps& w, std::int64_t n, float* out) {
  sum_all([&](std::int64_t i) { return [rows, i](std::int64_t k) { return rows[k] + i; }; }, w, n, out);
}

void SumColumns(const float* block, const WeightedTaps& w, std::int64_t n, float* out) {
  const float* origin = block;
  const std::int64_t begin = w.span.begin;
  sum_all([&](std::int64_t i) { return [=](std::int64_t k) { return origin + (k - begin) * n + i; }; }, w, n, out);
}

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
      for (std::int64_t i = 0; i < n; ++i) out[i] = half_to_float(samples[i]);
      return;
    }
    case PixelType::f32: std::copy_n(reinterpret_cast<const float*>(bytes), n, out); return;
  }
}

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
    nan += lanes - std::int64_t(hn::CountTrue(d, number));
    v = hn::IfThenElseZero(number, v);
    v = hn::IfThenElse(hn::Lt(v, lowest), lowest, v);
    v = hn::IfThenElse(hn::Gt(v, highest), highest, v);
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
      for (std::int64_t i = 0; i < n; ++i) samples[i] = float_to_half(values[i]);
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

}  // namespace upfirdn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upfirdn {

HWY_EXPORT(SumRows);
HWY_EXPORT(SumColumns);
HWY_EXPORT(ToFloats);
HWY_EXPORT(FromFloats);

void sum_rows(const float* const* rows, const WeightedTaps& taps, std::int64_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(SumRows)(rows, taps, n, out);
}
void sum_columns(const float* block, const WeightedTaps& taps, std::int64_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(SumColumns)(block, taps, n, out);
}
void to_floats(PixelType type, const std::byte* samples, std::int64_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(ToFloats)(type, samples, n, out);
}
std::int64_t from_floats(const float* values, std::int64_t n, float low, float high, PixelType type, std::byte* samples) {
  return HWY_DYNAMIC_DISPATCH(FromFloats)(values, n, low, high, type, samples);
}

std::vector<std::string> cpu_targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

void force_cpu_target(const std::string& wanted) {
  hwy::SetSupportedTargetsForTest(0);
  std::string known;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string target_name = hwy::TargetName(target);
    if (target_name == wanted) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      return;
    }
    known += (known.empty() ? "" : ", ") + target_name;
  }
  throw Error(ExitCode::usage, "--cpu-target: '" + wanted + "' cannot run here; choose one of " + known);
}

}  // namespace upfirdn
#endif
