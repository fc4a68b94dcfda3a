#pragma once
/// What lets one piece of arithmetic serve the CPU and CUDA with equal results.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#include <cuda_fp16.h>
#define UPFIRDN_HD __host__ __device__
#else
#define UPFIRDN_HD
#endif

namespace upfirdn {

/// Correctly rounded a * b + c: the only multiply-add of the arithmetic contract.
UPFIRDN_HD inline float fma_exact(float a, float b, float c) {
#ifdef __CUDA_ARCH__
  return __fmaf_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

UPFIRDN_HD inline double fma_exact(double a, double b, double c) {
#ifdef __CUDA_ARCH__
  return __fma_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

UPFIRDN_HD inline float float_from_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

UPFIRDN_HD inline std::uint32_t float_to_bits(float value) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(value);
#else
  return std::bit_cast<std::uint32_t>(value);
#endif
}

UPFIRDN_HD inline double double_from_bits(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return std::bit_cast<double>(bits);
#endif
}

/// Nearest integer, ties to even.
UPFIRDN_HD inline float round_half_even(float value) {
#ifdef __CUDA_ARCH__
  return rintf(value);
#else
  return std::nearbyint(value);
#endif
}
UPFIRDN_HD inline double round_half_even(double value) {
#ifdef __CUDA_ARCH__
  return rint(value);
#else
  return std::nearbyint(value);
#endif
}

}  // namespace upfirdn
