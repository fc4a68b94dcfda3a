#include "resample/side_by_side.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace upfirdn {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double minor_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_minflt);
}

void time_once(TimedWork& work) {
  if (work.before) work.before();
  const double faults = minor_faults();
  const auto start = std::chrono::steady_clock::now();
  work.run();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  work.times_ms.push_back(time.count());
  work.page_faults.push_back(minor_faults() - faults);
}

}  // namespace

double TimedWork::median_ms() const { return median(times_ms); }
double TimedWork::median_page_faults() const { return median(page_faults); }

void time_side_by_side(const std::vector<TimedWork*>& works, int rounds) {
  for (TimedWork* work : works) {
    if (work->before) work->before();
    work->run();
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < works.size(); ++i)  // another one begins each round: what runs before matters to caches
      time_once(*works[(i + std::size_t(round)) % works.size()]);
  }
}

void AwakeThreads::start() {
  others_.clear();
  go_ = false;
  started_ = finished_ = 0;
  for (int i = 1; i < threads_; ++i) {
    others_.emplace_back([this, i] {
      ++started_;
      while (!go_) {}
      (*work_)(i);
      ++finished_;
    });
  }
  while (started_ < threads_ - 1) {}
}

void AwakeThreads::run(const std::function<void(int)>& work) {
  work_ = &work;
  go_ = true;
  work(0);
  while (finished_ < threads_ - 1) {}
}

WarmCopy::WarmCopy(std::size_t bytes, int threads)
    : from_(bytes, std::byte{1}), to_(bytes), threads_(threads),
      work_{.run = [this] { threads_.run([this](int) { copy_pieces(); }); },
            .before = [this] {
              next_ = 0;
              threads_.start();
            }} {}

void WarmCopy::copy_pieces() {
  constexpr std::size_t piece = std::size_t(256) << 10;  // as fast as one call for all
  for (std::size_t at = piece * next_++; at < from_.size(); at = piece * next_++)
    std::memcpy(to_.data() + at, from_.data() + at, std::min(piece, from_.size() - at));
}

MemoryFloor::MemoryFloor(std::size_t bytes_in, std::size_t bytes_out, int threads) : by_one_((bytes_in + bytes_out) / 2, 1) {
  if (threads > 1) by_all_.emplace((bytes_in + bytes_out) / 2, threads);
}

std::vector<TimedWork*> MemoryFloor::works() {
  std::vector<TimedWork*> works{&by_one_.work()};
  if (by_all_) works.push_back(&by_all_->work());
  return works;
}

double MemoryFloor::median_ms() const {
  return by_all_ ? std::min(by_one_.median_ms(), by_all_->median_ms()) : by_one_.median_ms();
}

}  // namespace upfirdn
