#pragma once
/// Times pieces of work in turn, so that whatever else the machine does slows all of them alike: compare ratios.

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace upfirdn {

/// One piece of work, and how long its runs took.
struct TimedWork {
  std::function<void()> run;
  std::function<void()> before = {};  ///< untimed, ahead of each run; may be missing
  std::vector<double> times_ms = {};
  std::vector<double> page_faults = {};  ///< of each run, those that needed no disk

  [[nodiscard]] double median_ms() const;
  [[nodiscard]] double median_page_faults() const;
};

/// Runs each once untimed, which warms its memory, then all of them `rounds` times in turn. Another call adds to the times.
void time_side_by_side(const std::vector<TimedWork*>& works, int rounds);

/// Threads that wait awake, so that nobody pays for waking them: what the machine can do at best.
class AwakeThreads {
 public:
  explicit AwakeThreads(int threads) : threads_(threads) {}
  /// Starts all but the caller's. They spin until `run`, and end after it.
  void start();
  /// Calls work(0) ... work(threads - 1), each on a thread of its own. `start` comes before each run.
  void run(const std::function<void(int)>& work);

 private:
  int threads_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<int> started_ = 0, finished_ = 0;
  std::atomic<bool> go_ = false;
  std::vector<std::jthread> others_;
};

/// Copies between memory of its own, which it has touched.
class WarmCopy {
 public:
  WarmCopy(std::size_t bytes, int threads);
  [[nodiscard]] TimedWork& work() { return work_; }
  [[nodiscard]] double median_ms() const { return work_.median_ms(); }

 private:
  void copy_pieces();

  std::vector<std::byte> from_, to_;
  AwakeThreads threads_;
  std::atomic<std::size_t> next_ = 0;
  TimedWork work_;
};

/// How fast `threads` threads move `bytes_in + bytes_out`: they copy half as many. The faster of one thread and of all counts,
/// as on a busy machine all wait for the one that is kept out.
class MemoryFloor {
 public:
  MemoryFloor(std::size_t bytes_in, std::size_t bytes_out, int threads);
  /// What takes turns with the work that is held against it.
  [[nodiscard]] std::vector<TimedWork*> works();
  [[nodiscard]] double median_ms() const;

 private:
  WarmCopy by_one_;
  std::optional<WarmCopy> by_all_;
};

}  // namespace upfirdn
