#pragma once
/// Times pieces of work in turn, so that whatever else the machine does slows all of them alike: compare ratios.

#include <cstddef>
#include <functional>
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

/// The memory floor: `bytes_in + bytes_out` moved by copying half as many between warm buffers.
class WarmCopy {
 public:
  WarmCopy(std::size_t bytes_in, std::size_t bytes_out);
  /// Copies once with at most `threads` threads.
  void run(int threads);

 private:
  std::vector<std::byte> from_, to_;
};

}  // namespace upfirdn
