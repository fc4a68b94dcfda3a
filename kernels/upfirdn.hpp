#pragma once
/// The face of the CUDA kernels: a planned operation on images in device memory. Plain C++.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "core/operation.hpp"
#include "kernels/cuda_resources.hpp"
#include "kernels/row_program.hpp"
#include "kernels/window_table.hpp"

namespace upfirdn::cuda {

/// Images of one shape in device memory: rows of interleaved samples, `stride_bytes` apart. Not owned. Rows whose addresses
/// are multiples of 16 bytes, their padding included, are filtered fastest.
struct DeviceImage {
  void* data = nullptr;
  std::int64_t width = 0, height = 0;  ///< pixels
  int channels = 0;
  PixelType type = PixelType::u8;
  std::size_t stride_bytes = 0;
  std::int64_t images = 1;             ///< of this shape, one after the other
  std::size_t image_stride_bytes = 0;  ///< from one image to the next; unused for one
};

/// The numbers of an operation in the arithmetic `Real`, float or double; arrays in device memory.
template <class Real>
struct DeviceNumbers {
  BasicAxisView<Real> x{}, y{};
  BasicSampleMath<Real> samples{};
  const Real* outside = nullptr;      ///< [planes]
  const Real* matrix_taps = nullptr;  ///< of a direct 2-D FIR
};

/// What kernels need of an operation, in the memory of one device. Reusable for other operations.
class DeviceOperation {
 public:
  /// Copies banks and tables of `operation` to the current device, in `stream`. `operation` must outlive the use.
  void prepare(const Operation& operation, cudaStream_t stream);
  [[nodiscard]] const Operation& operation() const { return *operation_; }
  /// `Real`: what the operation computes in.
  template <class Real>
  [[nodiscard]] const DeviceNumbers<Real>& numbers() const {
    if constexpr (std::is_same_v<Real, float>) return floats_;
    else return doubles_;
  }
  [[nodiscard]] const std::byte* outside_raw() const { return outside_raw_; }
  [[nodiscard]] const std::int64_t* matrix_offset() const { return matrix_offset_; }
  /// The vertical axis, row by row; null if it has no such program.
  [[nodiscard]] const RowProgram* row_program() const { return row_program_ ? &*row_program_ : nullptr; }
  [[nodiscard]] const int* row_entries() const { return row_entries_; }
  [[nodiscard]] const float* row_taps() const { return row_taps_; }
  /// The horizontal axis of a reduction, output by output; null if it has no such table.
  [[nodiscard]] const WindowTable* window_table() const { return window_table_ ? &*window_table_ : nullptr; }
  [[nodiscard]] const WindowEntry* windows() const { return windows_; }
  [[nodiscard]] const float* window_taps() const { return window_taps_; }

 private:
  const Operation* operation_ = nullptr;
  DeviceArrays arrays_;
  DeviceNumbers<float> floats_;
  DeviceNumbers<double> doubles_;
  const std::byte* outside_raw_ = nullptr;
  const std::int64_t* matrix_offset_ = nullptr;
  std::optional<RowProgram> row_program_;
  const int* row_entries_ = nullptr;
  const float* row_taps_ = nullptr;
  std::optional<WindowTable> window_table_;
  const WindowEntry* windows_ = nullptr;
  const float* window_taps_ = nullptr;
};

/// Launches the operation on all images in `stream`: one kernel (one an image where no strip kernel fits). `nan_samples` (device memory, may not be null) is increased by the NaN
/// that became 0. Works on the device that owns `input` and restores the caller's. Returns the kernel's name.
/// Throws std::invalid_argument naming the argument that is wrong: memory that is not on one device, rows shorter than a
/// row, a shape, a number of channels or a type other than planned; Error(device) if the launch fails.
std::string launch(const DeviceOperation& operation, const DeviceImage& input, const DeviceImage& output,
                   unsigned long long* nan_samples, cudaStream_t stream);

}  // namespace upfirdn::cuda
