#pragma once
/// What resamples the images of a run, and who may use CUDA.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/convert.hpp"
#include "resample/plan.hpp"

namespace upfirdn {

/// Threads of the CPU in all: those asked for, or one a core.
[[nodiscard]] int cpu_threads(const RunOptions& options);

/// What all that take jobs share: the threads of the CPU, and how long it would take for what was asked so far.
struct SharedCpu {
  explicit SharedCpu(const RunOptions& options) : backend(make_cpu_backend(options.threads)) {}
  std::unique_ptr<Backend> backend;
  std::atomic<double> work_ms = 0;
};

/// Each of them needs memory on the device and page-locked memory.
constexpr std::size_t backends_for_each_device = 4;

/// The backends of one that takes jobs: the CPU's and one of CUDA, made when it is first needed. `automatic` leaves CUDA alone
/// if not `may_use_cuda`.
class Backends {
 public:
  /// Throws Error(device) if `options` insist on a device that can't be used.
  Backends(const RunOptions& options, SharedCpu& cpu, bool may_use_cuda);

  [[nodiscard]] Backend& cpu() { return *cpu_.backend; }
  [[nodiscard]] Backend& cuda();
  /// The backend for a plan. `automatic` takes CUDA where the CPU would take longer than starting CUDA does; `warnings` takes
  /// why it could not.
  [[nodiscard]] Backend& choose(const Plan& plan, std::vector<std::string>& warnings);
  /// The backend that checks the result of another; null where there is none.
  [[nodiscard]] Backend* other(const Backend& used);
  /// After CUDA failed under `automatic`: do not try it again.
  void give_up_cuda() { cuda_usable_ = false; }

 private:
  [[nodiscard]] bool worth_cuda(const Plan& plan);
  [[nodiscard]] bool cuda_works(std::vector<std::string>& warnings);

  const RunOptions& options_;
  SharedCpu& cpu_;
  std::unique_ptr<Backend> cuda_;
  std::optional<bool> cuda_usable_;
};

}  // namespace upfirdn
