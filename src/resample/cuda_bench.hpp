#pragma once
/// Times the CUDA kernels against the card's own copy speed and arithmetic.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace upfirdn {

/// One case measured. Times in microseconds.
struct KernelTime {
  std::string name, type, shape, kernel;
  double us, copy_us, arithmetic_us;  ///< of the launch; of a copy that moves as many bytes; of the arithmetic
  double peak_copy_us;                ///< bytes over the speed of a large copy
  [[nodiscard]] double ratio() const { return us / (copy_us > arithmetic_us ? copy_us : arithmetic_us); }
  bool equal;                         ///< first and last plane hold the CPU's bytes
};

struct KernelBenchOptions {
  bool check_bytes = true;
  std::string only;        ///< part of a case's name; empty: all
  std::string only_type;   ///< a type's name; empty: all
  std::string only_shape;  ///< part of a shape's name; empty: all
  bool gray_only = false;  ///< leave out 3 channels
  int rounds = 30;
};

/// A table of them.
[[nodiscard]] std::string kernel_time_heading();
[[nodiscard]] std::string kernel_time_line(const KernelTime& time);

/// Runs the cases on the current device and reports each; prints nothing. Throws Error(device) without a device.
/// Returns what the arithmetic probes found, as one line.
std::string bench_kernels(const KernelBenchOptions& options, const std::function<void(const KernelTime&)>& report);

}  // namespace upfirdn
