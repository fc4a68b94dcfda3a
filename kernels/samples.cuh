#pragma once
/// Samples in device memory: what a kernel knows of an image and of the arithmetic around the filter.

#include "core/axis.hpp"
#include "core/operation.hpp"
#include "core/sample_math.hpp"
#include "kernels/upfirdn.hpp"

namespace upfirdn::cuda {

/// Parameters of a kernel.
struct KernelOperation {
  AxisView x, y;
  Border border;
  SampleMathView samples;
  const float* outside;
  const std::byte* outside_raw;
  const std::int64_t* matrix_offset;
  const float* matrix_taps;
  DeviceImage input, output;
  unsigned long long* nan_samples;
};

/// Value of plane `plane` of the pixel at (x, y), as it is filtered.
__device__ inline float load_plane(const KernelOperation& op, std::int64_t x, std::int64_t y, int plane) {
  const auto* row = static_cast<const unsigned char*>(op.input.data) + std::size_t(y) * op.input.stride_bytes;
  const std::size_t first = std::size_t(x) * std::size_t(op.input.channels);
  switch (op.input.type) {
    case PixelType::u8: return op.samples.decode(reinterpret_cast<const std::uint8_t*>(row) + first, plane);
    case PixelType::u16: return op.samples.decode(reinterpret_cast<const std::uint16_t*>(row) + first, plane);
    case PixelType::s16: return op.samples.decode(reinterpret_cast<const std::int16_t*>(row) + first, plane);
    case PixelType::f16: return op.samples.decode(reinterpret_cast<const Half*>(row) + first, plane);
    case PixelType::f32: return op.samples.decode(reinterpret_cast<const float*>(row) + first, plane);
  }
  return 0.0f;
}

/// Rounds and stores one sample; counts a NaN that becomes 0.
__device__ inline void store_sample(const KernelOperation& op, std::int64_t x, std::int64_t y, int channel, float sum,
                                    float companion) {
  auto* row = static_cast<unsigned char*>(op.output.data) + std::size_t(y) * op.output.stride_bytes;
  const std::size_t i = std::size_t(x) * std::size_t(op.output.channels) + std::size_t(channel);
  bool nan = false;
  switch (op.output.type) {
    case PixelType::u8:
      reinterpret_cast<std::uint8_t*>(row)[i] = op.samples.encode<std::uint8_t>(sum, companion, channel, nan);
      break;
    case PixelType::u16:
      reinterpret_cast<std::uint16_t*>(row)[i] = op.samples.encode<std::uint16_t>(sum, companion, channel, nan);
      break;
    case PixelType::s16:
      reinterpret_cast<std::int16_t*>(row)[i] = op.samples.encode<std::int16_t>(sum, companion, channel, nan);
      break;
    case PixelType::f16: reinterpret_cast<Half*>(row)[i] = op.samples.encode<Half>(sum, companion, channel, nan); break;
    case PixelType::f32: reinterpret_cast<float*>(row)[i] = op.samples.encode<float>(sum, companion, channel, nan); break;
  }
  if (nan) atomicAdd(op.nan_samples, 1ull);
}

/// The planes of a pixel that one thread filters together: up to `channels` channels from `first_channel` on, and what their
/// encoding needs beside them (their masks, or alpha).
struct PlaneGroup {
  int first_channel, channels, planes;

  [[nodiscard]] __device__ int plane(const SampleMathView& s, int i) const {
    if (i < channels) return first_channel + i;
    return s.premultiply ? s.alpha_channel : s.channels + first_channel + (i - channels);
  }
  /// Index of the plane that encodes channel `i` of the group beside its own.
  [[nodiscard]] __device__ int companion(const SampleMathView& s, int i) const {
    if (s.premultiply) return planes - 1;
    return planes > channels ? channels + i : i;
  }
};

}  // namespace upfirdn::cuda
