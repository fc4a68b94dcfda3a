#include "core/error.hpp"
#include "resample/backend.hpp"
#include "resample/cuda_bench.hpp"

namespace upfirdn {

CudaStatus cuda_status() { return {.built = false, .problem = "this upfirdn was built without CUDA"}; }

std::unique_ptr<Backend> make_cuda_backend(int) {
  throw Error(ExitCode::device, "--device cuda: this upfirdn was built without CUDA; use --device cpu");
}

std::string bench_kernels(const KernelBenchOptions&, const std::function<void(const KernelTime&)>&) {
  (void)make_cuda_backend(0);
  return {};
}

}  // namespace upfirdn
