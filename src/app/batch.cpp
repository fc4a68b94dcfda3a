#include "app/batch.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "app/backends.hpp"
#include "app/memory_budget.hpp"
#include "io/pending_file.hpp"

namespace upfirdn {
namespace {

/// 3 before 4 before 1 before 0; a fault found only with the file at hand is that file's.
int worse(int a, int b) {
  const auto rank = [](int code) { return code == int(ExitCode::device) ? 3 : code == int(ExitCode::mismatch) ? 2 : code != 0 ? 1 : 0; };
  return rank(b) > rank(a) ? b : a;
}

/// One that takes jobs. With `cuda` it works on the `device`-th of the devices asked for.
struct Worker {
  Worker(const RunOptions& all, SharedCpu& cpu, std::size_t number)
      : options(all), device(all.cuda_ordinals.empty() ? 0 : number % all.cuda_ordinals.size()) {
    if (!all.cuda_ordinals.empty()) options.cuda_ordinals = {all.cuda_ordinals[device]};
    backends = std::make_unique<Backends>(options, cpu, number < backends_for_each_device);
  }

  RunOptions options;
  std::size_t device;
  std::unique_ptr<Backends> backends;
};

/// Jobs that workers take in turn; their results are reported in the order of the jobs.
class JobQueue {
 public:
  JobQueue(const std::vector<Job>& jobs, const RunOptions& options, const std::function<void(const JobResult&)>& report)
      : jobs_(jobs), options_(options), report_(report), memory_(options.memory_bytes),
        lost_(std::max<std::size_t>(1, options.cuda_ordinals.size())) {}

  /// Takes jobs until none is left for this worker.
  void work(const ResampleSpec& spec, Worker& worker) {
    for (std::size_t number = 0; take(number, worker.device);) {
      const UnderWay mark(*this);
      JobResult result = convert_image(spec, worker.options, *worker.backends, memory_, jobs_[number]);
      const std::lock_guard lock(mutex_);
      if (!hand_over(number, worker.device, result)) done(number, std::move(result));
    }
  }

  /// After all workers: fails what no device was left for.
  void finish() {
    if (stopped_) return;
    const auto fail = [&](std::size_t number) {
      JobResult result{.job = &jobs_[number], .not_tried = true};
      result.fail(Error(ExitCode::device, "no CUDA device is left; use --device cpu or auto"));
      done(number, std::move(result));
    };
    for (const std::size_t number : returned_) fail(number);
    while (next_ < jobs_.size()) fail(next_++);
  }
  [[nodiscard]] int exit_code() const { return code_; }

 private:
  /// Tells those that wait when a job is no longer under way, also if a bug or the report ends this worker.
  class UnderWay {
   public:
    explicit UnderWay(JobQueue& queue) : queue_(queue) {}
    ~UnderWay() {
      const std::lock_guard lock(queue_.mutex_);
      --queue_.under_way_;
      queue_.changed_.notify_all();
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

   private:
    JobQueue& queue_;
  };

  /// Waits while jobs under way on other devices may come back.
  [[nodiscard]] bool take(std::size_t& number, std::size_t device) {
    std::unique_lock lock(mutex_);
    while (!stopped_ && !lost_[device]) {
      if (!returned_.empty()) {
        number = returned_.front();
        returned_.pop_front();
      } else if (next_ < jobs_.size()) {
        number = next_++;
      } else if (under_way_ == 0) {
        return false;
      } else {
        changed_.wait(lock);
        continue;
      }
      ++under_way_;
      return true;
    }
    return false;
  }

  /// True if another device shall do a job that this one failed at; then this one is dropped. The last device is dropped only if it
  /// is lost: an image that is too large for it says nothing about the next.
  [[nodiscard]] bool hand_over(std::size_t number, std::size_t device, const JobResult& result) {
    if (options_.device != Device::cuda || result.exit_code != int(ExitCode::device)) return false;
    const auto left = std::size_t(std::count(lost_.begin(), lost_.end(), false));
    const bool other_left = left > (lost_[device] ? 0u : 1u);
    if (other_left && !lost_[device]) losses_.emplace(number, *result.error + "; its images go to the other devices");
    lost_[device] = lost_[device] || other_left || result.device_lost;
    if (other_left) returned_.push_back(number);
    return other_left;
  }

  void done(std::size_t number, JobResult result) {
    if (const auto loss = losses_.find(number); loss != losses_.end()) result.warnings.push_back(loss->second);
    stopped_ = stopped_ || result.storage_failed || (options_.fail_fast && result.error);
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
  const RunOptions& options_;
  const std::function<void(const JobResult&)>& report_;
  MemoryBudget memory_;
  std::vector<bool> lost_;                     // of the devices
  std::deque<std::size_t> returned_;           // jobs that a device could not do
  std::map<std::size_t, std::string> losses_;  // job -> what it met on a device that was dropped then
  std::map<std::size_t, JobResult> waiting_;   // done before one of an earlier job
  std::size_t next_ = 0, reported_ = 0, under_way_ = 0;
  bool stopped_ = false;
  int code_ = int(ExitCode::ok);
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Images under way at once, so that some are read and written while others are resampled: two a thread; where CUDA resamples
/// or checks, one a thread, which reads them, and some for each device.
std::size_t images_in_flight(const RunOptions& options, std::size_t jobs) {
  std::size_t wanted = std::size_t(options.images_in_flight);
  if (wanted == 0 && (options.device == Device::cuda || options.verify))
    wanted = std::max(backends_for_each_device * std::max<std::size_t>(1, options.cuda_ordinals.size()), std::size_t(cpu_threads(options)));
  if (wanted == 0) wanted = 2 * std::size_t(cpu_threads(options));
  return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(jobs, 1));
}

}  // namespace

int run_jobs(const ResampleSpec& spec, const RunOptions& options, const std::vector<Job>& jobs,
             const std::function<void(const JobResult&)>& report) {
  const std::size_t count = images_in_flight(options, jobs.size());
  SharedCpu cpu(options);
  UnsyncedFolders folders;
  RunOptions shared = options;
  shared.unsynced = &folders;
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::size_t i = 0; i < count; ++i) workers.push_back(std::make_unique<Worker>(shared, cpu, i));
  JobQueue queue(jobs, options, report);
  std::vector<std::exception_ptr> faults(count);  // bugs: what is wrong with an image is a result
  const auto work = [&](std::size_t i) {
    try {
      queue.work(spec, *workers[i]);
    } catch (...) {
      faults[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work, i);
    work(0);
  }
  for (const std::exception_ptr& fault : faults)
    if (fault) std::rethrow_exception(fault);
  queue.finish();
  folders.sync();
  return queue.exit_code();
}

}  // namespace upfirdn
