#pragma once
/// The face of the CUDA kernels: a planned operation on images in device memory. Plain C++.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/operation.hpp"
#include "kernels/cuda_resources.hpp"

namespace upfirdn::cuda {

/// An image in device memory: rows of interleaved samples, `stride_bytes` apart. Not owned.
struct DeviceImage {
  void* data = nullptr;
  std::int64_t width = 0, height = 0;  ///< pixels
  int channels = 0;
  PixelType type = PixelType::u8;
  std::size_t stride_bytes = 0;
};

/// What kernels need of an operation, in the memory of one device. Reusable for other operations.
class DeviceOperation {
 public:
  /// Copies banks and tables of `operation` to the current device, in `stream`. `operation` must outlive the use.
  void prepare(const Operation& operation, cudaStream_t stream);
  [[nodiscard]] const Operation& operation() const { return *operation_; }
  [[nodiscard]] const AxisView& x() const { return x_; }
  [[nodiscard]] const AxisView& y() const { return y_; }
  [[nodiscard]] const SampleMathView& samples() const { return samples_; }
  [[nodiscard]] const float* outside() const { return outside_; }
  [[nodiscard]] const std::byte* outside_raw() const { return outside_raw_; }
  [[nodiscard]] const std::int64_t* matrix_offset() const { return matrix_offset_; }
  [[nodiscard]] const float* matrix_taps() const { return matrix_taps_; }

 private:
  const Operation* operation_ = nullptr;
  DeviceArrays arrays_;
  AxisView x_{}, y_{};
  SampleMathView samples_{};
  const float* outside_ = nullptr;
  const std::byte* outside_raw_ = nullptr;
  const std::int64_t* matrix_offset_ = nullptr;
  const float* matrix_taps_ = nullptr;
};

/// Launches the operation in `stream`: one kernel. `nan_samples` (device memory, may not be null) is increased by the NaN
/// that became 0. Works on the device that owns `input` and restores the caller's. Returns the kernel's name.
/// Throws std::invalid_argument naming the argument that is wrong: memory that is not on one device, rows shorter than a
/// row, a shape, a number of channels or a type other than planned; Error(device) if the launch fails.
std::string launch(const DeviceOperation& operation, const DeviceImage& input, const DeviceImage& output,
                   unsigned long long* nan_samples, cudaStream_t stream);

}  // namespace upfirdn::cuda
