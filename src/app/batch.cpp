#include "app/batch.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "app/backends.hpp"
#include "app/memory_budget.hpp"

namespace upfirdn {
namespace {

/// 3 before 4 before 1 before 0; a fault found only with the file at hand is that file's.
int worse(int a, int b) {
  const auto rank = [](int code) { return code == int(ExitCode::device) ? 3 : code == int(ExitCode::mismatch) ? 2 : code != 0 ? 1 : 0; };
  return rank(b) > rank(a) ? b : a;
}

/// Jobs that threads take in turn; their results are reported in the order of the jobs.
class JobQueue {
 public:
  JobQueue(const std::vector<Job>& jobs, const RunOptions& options, const std::function<void(const JobResult&)>& report)
      : jobs_(jobs), fail_fast_(options.fail_fast), report_(report), memory_(options.memory_bytes) {}

  /// Takes jobs until none is left.
  void work(const ResampleSpec& spec, const RunOptions& options, Backends& backends) {
    for (std::size_t number = 0; take(number);) done(number, convert_image(spec, options, backends, memory_, jobs_[number]));
  }
  [[nodiscard]] int exit_code() const { return code_; }

 private:
  [[nodiscard]] bool take(std::size_t& number) {
    const std::lock_guard lock(mutex_);
    if (stopped_ || next_ == jobs_.size()) return false;
    number = next_++;
    return true;
  }

  void done(std::size_t number, JobResult result) {
    const std::lock_guard lock(mutex_);
    stopped_ = stopped_ || result.storage_failed || (fail_fast_ && result.error);
    waiting_.emplace(number, std::move(result));
    for (; !waiting_.empty() && waiting_.begin()->first == reported_; ++reported_) {
      tell(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
  }

  void tell(const JobResult& result) {
    const bool usage = result.exit_code == int(ExitCode::usage);
    code_ = worse(code_, usage ? int(ExitCode::image_failed) : result.exit_code);
    report_(result);
  }

  const std::vector<Job>& jobs_;
  const bool fail_fast_;
  const std::function<void(const JobResult&)>& report_;
  MemoryBudget memory_;
  std::map<std::size_t, JobResult> waiting_;  // done before one of an earlier job
  std::size_t next_ = 0, reported_ = 0;
  bool stopped_ = false;
  int code_ = int(ExitCode::ok);
  std::mutex mutex_;
};

/// Images under way at once, so that some are read and written while others are resampled: two a thread; where CUDA resamples
/// or checks, some for each device.
std::size_t images_in_flight(const RunOptions& options, std::size_t jobs) {
  std::size_t wanted = std::size_t(options.images_in_flight);
  if (wanted == 0 && (options.device == Device::cuda || options.verify))
    wanted = backends_for_each_device * std::max<std::size_t>(1, options.cuda_ordinals.size());
  if (wanted == 0) wanted = 2 * std::size_t(cpu_threads(options));
  return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(jobs, 1));
}

}  // namespace

int run_jobs(const ResampleSpec& spec, const RunOptions& options, const std::vector<Job>& jobs,
             const std::function<void(const JobResult&)>& report) {
  const std::size_t workers = images_in_flight(options, jobs.size());
  std::vector<RunOptions> shares(workers, options);
  SharedCpu cpu(options);
  std::vector<std::unique_ptr<Backends>> backends;
  for (std::size_t i = 0; i < workers; ++i) {
    if (!options.cuda_ordinals.empty()) shares[i].cuda_ordinals = {options.cuda_ordinals[i % options.cuda_ordinals.size()]};
    backends.push_back(std::make_unique<Backends>(shares[i], cpu, i < backends_for_each_device));
  }
  JobQueue queue(jobs, options, report);
  std::vector<std::exception_ptr> faults(workers);  // bugs: what is wrong with an image is a result
  const auto work = [&](std::size_t i) {
    try {
      queue.work(spec, shares[i], *backends[i]);
    } catch (...) {
      faults[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(work, i);
    work(0);
  }
  for (const std::exception_ptr& fault : faults)
    if (fault) std::rethrow_exception(fault);
  return queue.exit_code();
}

}  // namespace upfirdn
