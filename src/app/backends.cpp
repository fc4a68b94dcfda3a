#include "app/backends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/error.hpp"

namespace upfirdn {

int cpu_threads(const RunOptions& options) {
  return options.threads > 0 ? options.threads : int(std::max(1u, std::thread::hardware_concurrency()));
}

Backends::Backends(const RunOptions& options, SharedCpu& cpu, bool may_use_cuda) : options_(options), cpu_(cpu) {
  if (options.device == Device::cuda) (void)cuda();
  if (!may_use_cuda) cuda_usable_ = false;
}

Backend& Backends::cuda() {
  if (!cuda_) cuda_ = options_.make_cuda(options_.cuda_ordinals.empty() ? 0 : options_.cuda_ordinals.front());
  return *cuda_;
}

Backend& Backends::choose(const Plan& plan, std::vector<std::string>& warnings) {
  if (options_.device == Device::cuda) return cuda();
  if (options_.device == Device::cpu || !worth_cuda(plan) || !cuda_works(warnings)) return cpu();
  return cuda();
}

Backend* Backends::other(const Backend& used) {
  if (&used != &cpu()) return &cpu();
  return cuda_status().devices.empty() ? nullptr : &cuda();
}

bool Backends::worth_cuda(const Plan& plan) {
  // One thread did 3e6 taps a ms (61 taps, u16, Zen 5); the start of CUDA is an estimate.
  constexpr double taps_per_ms = 3e6, cuda_start_ms = 400;
  const Operation& op = plan.operation;
  const double passes = double(op.output.height) * double(op.input.width) * double(op.y.longest_phase()) +
                        double(op.output.height) * double(op.output.width) * double(op.x.longest_phase());
  cpu_.work_ms += passes * op.input.channels / taps_per_ms / cpu_threads(options_);
  return cpu_.work_ms > cuda_start_ms;
}

bool Backends::cuda_works(std::vector<std::string>& warnings) {
  if (!cuda_usable_) {
    const CudaStatus status = cuda_status();
    cuda_usable_ = !status.devices.empty();
    try {
      if (*cuda_usable_) (void)cuda();
    } catch (const Error& error) {
      cuda_usable_ = false;
      warnings.push_back(fmt::format("{}; the CPU is used", error.what()));
    }
  }
  return *cuda_usable_;
}

}  // namespace upfirdn
