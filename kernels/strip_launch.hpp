#pragma once
/// Launches strip kernels of one sample type. Each type is compiled on its own.

#include <cuda_runtime_api.h>

#include "core/operation.hpp"
#include "kernels/strip_operation.hpp"

namespace upfirdn::cuda {

template <class S>
struct StripLauncher {
  /// Row `row` of the table of compile-time or run-time factors on `images` images; false if the sides of the image are too
  /// near for its strips.
  static bool launch_ratio(int row, const StripOperation& op, const Operation& planned, int images, cudaStream_t stream);
  static bool launch(int row, const StripOperation& op, const Operation& planned, int images, cudaStream_t stream);
};

}  // namespace upfirdn::cuda
