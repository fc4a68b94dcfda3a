#pragma once
/// Pixel types and the one place where an enumerator becomes a C++ type.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/host_device.hpp"

namespace upfirdn {

/// Sample types in memory, native byte order.
enum class PixelType : std::uint8_t { u8, u16, s16, f16, f32, u32, s32, f64 };

/// In what samples are filtered.
enum class Arithmetic : std::uint8_t {
  float32,
  float64,  ///< those that float32 does not hold: u32, s32, f64
};

/// IEEE binary16 as stored. Arithmetic happens in float.
struct Half {
  std::uint16_t bits;
  friend bool operator==(Half, Half) = default;
};

/// Exact value of a half.
UPFIRDN_HD inline float half_to_float(Half half) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(half.bits));
#else
  const std::uint32_t sign = std::uint32_t(half.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (half.bits >> 10) & 31u;
  std::uint32_t mantissa = half.bits & 0x3ffu;
  if (exponent == 31) return float_from_bits(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float magnitude = float(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return float_from_bits(sign | ((exponent + 112u) << 23) | (mantissa << 13));
#endif
}

/// Nearest half, ties to even; overflow gives infinity and every NaN the bits 0x7e00.
UPFIRDN_HD inline Half float_to_half(float value) {
  if (value != value) return {0x7e00};
#ifdef __CUDA_ARCH__
  return {__half_as_ushort(__float2half_rn(value))};
#else
  const std::uint32_t bits = float_to_bits(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x47800000u) return {std::uint16_t(sign | 0x7c00u)};  // 65536 and above
  if (magnitude < 0x38800000u) {  // subnormal half: adding 0.5 lets the FPU round at 2^-24
    const float shifted = float_from_bits(magnitude) + 0.5f;
    return {std::uint16_t(sign | (float_to_bits(shifted) - 0x3f000000u))};
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return {std::uint16_t(sign | ((rounded - 0x38000000u) >> 13))};
#endif
}

/// Nearest half of a double, rounded once.
UPFIRDN_HD inline Half double_to_half(double value) {
  if (value != value) return {0x7e00};
  // Towards zero, then to an odd last bit where something was cut off: floats have bits enough for that to decide the second
  // rounding as the first would.
  std::uint32_t bits = float_to_bits(float(value));
  const double nearest = double(float_from_bits(bits));
  if (nearest != value) {
    const double magnitude = value < 0 ? -value : value;
    if ((nearest < 0 ? -nearest : nearest) > magnitude) --bits;
    bits |= 1u;
  }
  return float_to_half(float_from_bits(bits));
}

/// Calls `f(T{})` with the C++ type of `type`: std::uint8_t, std::uint16_t, std::int16_t, Half, float, std::uint32_t,
/// std::int32_t or double.
template <class F>
decltype(auto) visit_pixel_type(PixelType type, F&& f) {
  switch (type) {
    case PixelType::u8: return std::forward<F>(f)(std::uint8_t{});
    case PixelType::u16: return std::forward<F>(f)(std::uint16_t{});
    case PixelType::s16: return std::forward<F>(f)(std::int16_t{});
    case PixelType::f16: return std::forward<F>(f)(Half{});
    case PixelType::f32: return std::forward<F>(f)(float{});
    case PixelType::u32: return std::forward<F>(f)(std::uint32_t{});
    case PixelType::s32: return std::forward<F>(f)(std::int32_t{});
    case PixelType::f64: return std::forward<F>(f)(double{});
  }
  throw std::logic_error("pixel type out of range");
}

/// The same for types that are filtered in `Real`, float or double.
template <class Real, class F>
decltype(auto) visit_filtered_type(PixelType type, F&& f) {
  if constexpr (std::is_same_v<Real, float>) {
    switch (type) {
      case PixelType::u8: return std::forward<F>(f)(std::uint8_t{});
      case PixelType::u16: return std::forward<F>(f)(std::uint16_t{});
      case PixelType::s16: return std::forward<F>(f)(std::int16_t{});
      case PixelType::f16: return std::forward<F>(f)(Half{});
      case PixelType::f32: return std::forward<F>(f)(float{});
      case PixelType::u32:
      case PixelType::s32:
      case PixelType::f64: break;
    }
  } else {
    switch (type) {
      case PixelType::u32: return std::forward<F>(f)(std::uint32_t{});
      case PixelType::s32: return std::forward<F>(f)(std::int32_t{});
      case PixelType::f64: return std::forward<F>(f)(double{});
      case PixelType::u8:
      case PixelType::u16:
      case PixelType::s16:
      case PixelType::f16:
      case PixelType::f32: break;
    }
  }
  throw std::logic_error("samples are not filtered in this arithmetic");
}

[[nodiscard]] inline std::size_t size_bytes(PixelType type) {
  return visit_pixel_type(type, [](auto sample) { return sizeof(sample); });
}
[[nodiscard]] inline bool is_float(PixelType type) {
  return type == PixelType::f16 || type == PixelType::f32 || type == PixelType::f64;
}
[[nodiscard]] inline bool is_signed_integer(PixelType type) { return type == PixelType::s16 || type == PixelType::s32; }
[[nodiscard]] inline Arithmetic arithmetic_of(PixelType type) {
  const bool wide = type == PixelType::u32 || type == PixelType::s32 || type == PixelType::f64;
  return wide ? Arithmetic::float64 : Arithmetic::float32;
}
/// `value` as a number of the arithmetic.
[[nodiscard]] inline double rounded_to(Arithmetic arithmetic, double value) {
  return arithmetic == Arithmetic::float32 ? double(float(value)) : value;
}

/// The unsigned integer as wide as a signed one; other types stay.
[[nodiscard]] inline PixelType without_sign(PixelType type) {
  return type == PixelType::s16 ? PixelType::u16 : type == PixelType::s32 ? PixelType::u32 : type;
}

/// "u8", "u16", "s16", "f16", "f32", "u32", "s32", "f64".
[[nodiscard]] inline std::string_view name(PixelType type) {
  switch (type) {
    case PixelType::u8: return "u8";
    case PixelType::u16: return "u16";
    case PixelType::s16: return "s16";
    case PixelType::f16: return "f16";
    case PixelType::f32: return "f32";
    case PixelType::u32: return "u32";
    case PixelType::s32: return "s32";
    case PixelType::f64: return "f64";
  }
  throw std::logic_error("pixel type out of range");
}

/// Full scale of a type: 255, 65535, 32767, 2^32 - 1, 2^31 - 1, and 1 for floats.
[[nodiscard]] inline std::uint32_t full_scale(PixelType type) {
  switch (type) {
    case PixelType::u8: return 255;
    case PixelType::u16: return 65535;
    case PixelType::s16: return 32767;
    case PixelType::u32: return 0xffffffffu;
    case PixelType::s32: return 0x7fffffffu;
    case PixelType::f16:
    case PixelType::f32:
    case PixelType::f64: return 1;
  }
  throw std::logic_error("pixel type out of range");
}

}  // namespace upfirdn
