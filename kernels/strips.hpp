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

}  // namespace upfirdn::cuda
