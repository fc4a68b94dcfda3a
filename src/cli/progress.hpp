#pragma once
/// A line on the terminal that says how far a run is.

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace upfirdn::cli {

/// `automatic`: if stderr is a terminal and there is more than one image.
enum class ProgressMode { automatic, always, never };

class Progress {
 public:
  Progress(ProgressMode mode, std::size_t images);

  /// Draws the line anew, at most ten times a second. `bytes` are those of the inputs that are done.
  void show(std::size_t done, std::int64_t bytes);
  /// Takes the line away, for other messages.
  void clear();
  [[nodiscard]] bool visible() const { return visible_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool visible_, drawn_ = false;
  std::size_t images_;
  Clock::time_point start_ = Clock::now(), last_{};
};

}  // namespace upfirdn::cli
