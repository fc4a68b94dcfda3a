#include "core/error.hpp"
#include "resample/backend.hpp"

namespace upfirdn {

CudaStatus cuda_status() { return {.built = false, .problem = "this upfirdn was built without CUDA"}; }

std::unique_ptr<Backend> make_cuda_backend(int) {
  throw Error(ExitCode::device, "--device cuda: this upfirdn was built without CUDA; use --device cpu");
}

}  // namespace upfirdn
