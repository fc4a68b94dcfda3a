#pragma once
/// Launches strip kernels of one sample type. Each type is compiled on its own.

#include <cuda_runtime_api.h>

#include "core/operation.hpp"
#include "kernels/strip_operation.hpp"
#include "kernels/window_table.hpp"

namespace upfirdn::cuda {

template <class S>
struct StripLauncher {
  /// Row `row` of a table of tuning.hpp on `images` images; false if the sides of the image are too near for its strips.
  static bool launch(int row, const StripOperation& op, const Operation& planned, int images, cudaStream_t stream);
  static bool launch_reduce_ratio(int row, const StripOperation& op, const Operation& planned, const WindowTable& table, int images,
                                  cudaStream_t stream);
  static bool launch_enlarge_ratio(int row, const StripOperation& op, const Operation& planned, int images, cudaStream_t stream);
};

}  // namespace upfirdn::cuda
