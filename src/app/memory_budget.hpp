#pragma once
/// Memory that images under way share.

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace upfirdn {

/// Whoever takes a share waits until it is free. A share larger than the budget is granted when no other is taken.
class MemoryBudget {
 public:
  /// `bytes`: in all; 0: half of the machine's memory.
  explicit MemoryBudget(std::int64_t bytes);

  class Share {
   public:
    Share(MemoryBudget& budget, std::int64_t bytes) : budget_(budget), bytes_(std::min(bytes, budget.bytes_)) {
      std::unique_lock lock(budget_.mutex_);
      budget_.freed_.wait(lock, [&] { return budget_.taken_ + bytes_ <= budget_.bytes_; });
      budget_.taken_ += bytes_;
    }
    ~Share() {
      {
        const std::lock_guard lock(budget_.mutex_);
        budget_.taken_ -= bytes_;
      }
      budget_.freed_.notify_all();
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    MemoryBudget& budget_;
    std::int64_t bytes_;
  };

 private:
  std::int64_t bytes_, taken_ = 0;
  std::mutex mutex_;
  std::condition_variable freed_;
};

}  // namespace upfirdn
