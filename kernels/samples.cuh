#pragma once
/// Samples in device memory: what a kernel knows of an image and of the arithmetic around the filter.

#include "core/axis.hpp"
#include "core/operation.hpp"
#include "core/sample_math.hpp"
#include "kernels/upfirdn.hpp"

namespace upfirdn::cuda {

/// Parameters of a kernel that computes in `Real`.
template <class Real>
struct KernelOperation {
  BasicAxisView<Real> x, y;
  Border border;
  BasicSampleMath<Real> samples;
  const Real* outside;
  const std::byte* outside_raw;
  const std::int64_t* matrix_offset;
  const Real* matrix_taps;
  DeviceImage input, output;
  unsigned long long* nan_samples;
};

/// Value of plane `plane` of the pixel at (x, y), as it is filtered.
__device__ inline float load_plane(const KernelOperation<float>& op, std::int64_t x, std::int64_t y, int plane) {
  const auto* row = static_cast<const unsigned char*>(op.input.data) + std::size_t(y) * op.input.stride_bytes;
  const std::size_t first = std::size_t(x) * std::size_t(op.input.channels);
  switch (op.input.type) {
    case PixelType::u8: return op.samples.decode(reinterpret_cast<const std::uint8_t*>(row) + first, plane);
    case PixelType::u16: return op.samples.decode(reinterpret_cast<const std::uint16_t*>(row) + first, plane);
    case PixelType::s16: return op.samples.decode(reinterpret_cast<const std::int16_t*>(row) + first, plane);
    case PixelType::f16: return op.samples.decode(reinterpret_cast<const Half*>(row) + first, plane);
    case PixelType::f32: return op.samples.decode(reinterpret_cast<const float*>(row) + first, plane);
    case PixelType::u32:
    case PixelType::s32:
    case PixelType::f64: break;  // below
  }
  return 0.0f;
}
__device__ inline double load_plane(const KernelOperation<double>& op, std::int64_t x, std::int64_t y, int plane) {
  const auto* row = static_cast<const unsigned char*>(op.input.data) + std::size_t(y) * op.input.stride_bytes;
  const std::size_t first = std::size_t(x) * std::size_t(op.input.channels);
  if (op.input.type == PixelType::u32) return op.samples.decode(reinterpret_cast<const std::uint32_t*>(row) + first, plane);
  if (op.input.type == PixelType::s32) return op.samples.decode(reinterpret_cast<const std::int32_t*>(row) + first, plane);
  return op.samples.decode(reinterpret_cast<const double*>(row) + first, plane);
}

/// Rounds and stores one sample; counts a NaN that becomes 0.
template <class Real>
__device__ inline void store_sample(const KernelOperation<Real>& op, std::int64_t x, std::int64_t y, int channel, Real sum,
                                    Real companion) {
  auto* row = static_cast<unsigned char*>(op.output.data) + std::size_t(y) * op.output.stride_bytes;
  const std::size_t i = std::size_t(x) * std::size_t(op.output.channels) + std::size_t(channel);
  bool nan = false;
  const auto store = [&](auto type) {
    using Out = decltype(type);
    reinterpret_cast<Out*>(row)[i] = op.samples.template encode<Out>(sum, companion, channel, nan);
  };
  switch (op.output.type) {
    case PixelType::u8: store(std::uint8_t{}); break;
    case PixelType::u16: store(std::uint16_t{}); break;
    case PixelType::s16: store(std::int16_t{}); break;
    case PixelType::f16: store(Half{}); break;
    case PixelType::f32: store(float{}); break;
    case PixelType::u32:
    case PixelType::s32:
    case PixelType::f64:  // of the same type as the input
      if constexpr (std::is_same_v<Real, double>) {
        if (op.output.type == PixelType::u32) store(std::uint32_t{});
        else if (op.output.type == PixelType::s32) store(std::int32_t{});
        else store(double{});
      }
      break;
  }
  if (nan) atomicAdd(op.nan_samples, 1ull);
}

/// The planes of a pixel that one thread filters together: up to `channels` channels from `first_channel` on, and what their
/// encoding needs beside them (their masks, or alpha).
struct PlaneGroup {
  int first_channel, channels, planes;

  [[nodiscard]] __device__ int plane(const auto& s, int i) const {
    if (i < channels) return first_channel + i;
    return s.premultiply ? s.alpha_channel : s.channels + first_channel + (i - channels);
  }
  /// Index of the plane that encodes channel `i` of the group beside its own.
  [[nodiscard]] __device__ int companion(const auto& s, int i) const {
    if (s.premultiply) return planes - 1;
    return planes > channels ? channels + i : i;
  }
};

}  // namespace upfirdn::cuda
