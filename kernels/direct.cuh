#pragma once
/// Kernels without an intermediate axis: a 2-D FIR that is not of rank 1, and samples that are copied.

#include "kernels/fused.cuh"

namespace upfirdn::cuda {

inline constexpr int direct_threads = 256;

/// Sum of one plane of one output of a 2-D FIR, in row-major order.
template <class Real>
__device__ inline Real matrix_sum(const KernelOperation<Real>& op, std::int64_t x_phases, const BasicTapRun<Real>& down,
                                  const BasicTapRun<Real>& right, int plane) {
  const Real* tap = op.matrix_taps + op.matrix_offset[down.phase * x_phases + right.phase];
  TapSum<true, Real> sum;
  std::int64_t index = 0;
  for (std::int64_t r = 0; r < down.count; ++r) {
    const std::int64_t y = source_index(down.first + r, op.y.in, op.border);
    for (std::int64_t c = 0; c < right.count; ++c, ++index) {
      const std::int64_t x = source_index(right.first + c, op.x.in, op.border);
      const bool outside = x < 0 || y < 0;
      if (!outside || op.border != Border::zero) sum.add(tap[index], outside ? op.outside[plane] : load_plane(op, x, y, plane));
      sum.passed(index);
    }
  }
  return sum.total(index);
}

/// One thread a sample.
template <class Real>
__global__ void __launch_bounds__(direct_threads) matrix_kernel(const KernelOperation<Real> op, std::int64_t x_phases) {
  const std::int64_t samples = op.x.out * op.y.out * op.samples.channels;
  const std::int64_t step = std::int64_t(gridDim.x) * direct_threads;
  for (std::int64_t i = std::int64_t(blockIdx.x) * direct_threads + threadIdx.x; i < samples; i += step) {
    const int channel = int(i % op.samples.channels);
    const std::int64_t pixel = i / op.samples.channels, x = pixel % op.x.out, y = pixel / op.x.out;
    const Real sum = matrix_sum(op, x_phases, op.y.locate(y), op.x.locate(x), channel);
    store_sample(op, x, y, channel, sum, sum);
  }
}

/// One thread a sample of `Sample` bytes' width; bits are kept.
template <class Sample, class Real>
__global__ void __launch_bounds__(direct_threads) copy_kernel(const KernelOperation<Real> op) {
  const int channels = op.input.channels;
  const std::int64_t samples = op.x.out * op.y.out * channels;
  const std::int64_t step = std::int64_t(gridDim.x) * direct_threads;
  for (std::int64_t i = std::int64_t(blockIdx.x) * direct_threads + threadIdx.x; i < samples; i += step) {
    const int channel = int(i % channels);
    const std::int64_t pixel = i / channels, x = pixel % op.x.out, y = pixel / op.x.out;
    const std::int64_t from_x = source_index(op.x.locate(x).first, op.x.in, op.border);
    const std::int64_t from_y = source_index(op.y.locate(y).first, op.y.in, op.border);
    const auto* in = static_cast<const unsigned char*>(op.input.data) + std::size_t(from_y) * op.input.stride_bytes;
    auto* out = static_cast<unsigned char*>(op.output.data) + std::size_t(y) * op.output.stride_bytes;
    const bool outside = from_x < 0 || from_y < 0;
    reinterpret_cast<Sample*>(out)[x * channels + channel] =
        outside ? reinterpret_cast<const Sample*>(op.outside_raw)[channel]
                : reinterpret_cast<const Sample*>(in)[from_x * channels + channel];
  }
}

}  // namespace upfirdn::cuda
