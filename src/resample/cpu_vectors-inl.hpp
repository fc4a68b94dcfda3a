/// What the loops of every instruction set share. Included once a target, after hwy/highway.h.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/pixel.hpp"

#if defined(UPFIRDN_CPU_VECTORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPFIRDN_CPU_VECTORS_INL
#undef UPFIRDN_CPU_VECTORS_INL
#else
#define UPFIRDN_CPU_VECTORS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace upfirdn::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// a * b + c, rounded once. Highway's MulAdd is that only where the target fuses it.
template <class V>
HWY_INLINE V fused_multiply_add(V a, V b, V c) {
#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  const hn::DFromV<V> d;
  alignas(16) hn::TFromV<V> x[4], y[4], z[4];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) z[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(d, z);
#else
  return hn::MulAdd(a, b, c);
#endif
}

using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_NEON
constexpr bool many_registers = true;  // 32
#else
constexpr bool many_registers = false;  // 16
#endif
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_NEON
constexpr bool converts_half = true;
#else
constexpr bool converts_half = false;
#endif

/// A vector of samples as floats.
template <class T>
HWY_INLINE Vector load_floats(Floats d, const T* samples) {
  if constexpr (std::is_same_v<T, float>) {
    return hn::LoadU(d, samples);
  } else if constexpr (std::is_same_v<T, Half>) {
    if constexpr (converts_half) {
      const hn::Rebind<hwy::float16_t, Floats> half;
      return hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(samples)));
    } else {
      alignas(64) float values[16];
      for (std::size_t i = 0; i < hn::Lanes(d); ++i) values[i] = half_to_float(samples[i]);
      return hn::Load(d, values);
    }
  } else {
    const hn::Rebind<T, Floats> from;
    const hn::Rebind<std::int32_t, Floats> integer;
    return hn::ConvertTo(d, hn::PromoteTo(integer, hn::LoadU(from, samples)));
  }
}

}  // namespace upfirdn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
