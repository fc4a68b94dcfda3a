#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace upfirdn::cli {
namespace {

/// Columns of the terminal; 80 where there is none.
std::size_t terminal_columns() {
  struct winsize size {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string minutes(double seconds) {
  const auto whole = std::int64_t(std::min(seconds, 1e8) + 0.5);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60) : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// "[####....] ", as wide as the rest of the line leaves room; empty if that is less than a bar of 10.
std::string bar(double part, std::size_t room) {
  if (room < 14) return "";
  const std::size_t width = std::min<std::size_t>(room - 4, 40), full = std::size_t(part * double(width));
  return fmt::format("[{}{}] ", std::string(full, '#'), std::string(width - full, '.'));
}

}  // namespace

Progress::Progress(ProgressMode mode, std::size_t images)
    : visible_(mode == ProgressMode::always || (mode == ProgressMode::automatic && images > 1 && ::isatty(STDERR_FILENO) == 1)), images_(images) {}

void Progress::show(std::size_t done, std::int64_t bytes) {
  const Clock::time_point now = Clock::now();
  if (!visible_ || (done < images_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  const double seconds = std::max(1e-3, std::chrono::duration<double>(now - start_).count());
  const std::string numbers = fmt::format("{}/{} images, {:.1f} images/s, {:.1f} MB/s, {} left", done, images_, double(done) / seconds,
                                          double(bytes) * 1e-6 / seconds, minutes(seconds / double(done) * double(images_ - done)));
  const std::size_t columns = terminal_columns();
  const std::string line = bar(double(done) / double(images_), columns - std::min(columns, numbers.size())) + numbers;
  fmt::print(stderr, "\r{}\x1b[K", line.substr(0, columns - 1));
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

}  // namespace upfirdn::cli
