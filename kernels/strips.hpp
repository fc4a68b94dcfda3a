#pragma once
/// Chooses a strip kernel for an operation and launches it.

#include <optional>
#include <string>

#include "kernels/upfirdn.hpp"

namespace upfirdn::cuda {

/// Launches the first row of the tuning table that fits the operation; nullopt if none does. Returns the row's name.
[[nodiscard]] std::optional<std::string> launch_strips(const DeviceOperation& operation, const DeviceImage& input,
                                                       const DeviceImage& output, unsigned long long* nan_samples,
                                                       cudaStream_t stream);

/// Rows of the tuning table, "reduce 1/2, 4 taps, u16" and so on, for tests.
[[nodiscard]] std::vector<std::string> strip_kernel_names();

}  // namespace upfirdn::cuda
