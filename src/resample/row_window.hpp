#pragma once
/// Which source rows an output row needs, and how many rows have to be kept while outputs are made in order.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/axis.hpp"

namespace upfirdn {

/// Source rows first .. last; first > last: none.
struct RowRange {
  std::int64_t first, last;
  void include(std::int64_t row) { first = std::min(first, row), last = std::max(last, row); }
  void include(const RowRange& other) { first = std::min(first, other.first), last = std::max(last, other.last); }
};

/// Taps of a run that fall on something: all, but for those outside a `zero` border.
struct TapSpan {
  std::int64_t begin, end;
};
[[nodiscard]] inline TapSpan existing_taps(const TapRun& run, std::int64_t n, Border border) {
  if (border != Border::zero) return {0, run.count};
  const std::int64_t begin = std::clamp<std::int64_t>(-run.first, 0, run.count);
  return {begin, std::clamp<std::int64_t>(n - run.first, begin, run.count)};
}

/// Needs of strips of `strip` consecutive outputs along the vertical axis.
class RowWindow {
 public:
  RowWindow(const AxisView& axis, Border border, std::int64_t strip);
  /// Rows that must have been read before strip `s` is made.
  [[nodiscard]] std::int64_t last_needed(std::int64_t s) const { return last_[std::size_t(s)]; }
  /// Rows below this one are not needed from strip `s` on.
  [[nodiscard]] std::int64_t first_needed(std::int64_t s) const { return first_[std::size_t(s)]; }
  /// Largest number of rows held at once.
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }
  [[nodiscard]] std::int64_t strips() const { return std::int64_t(first_.size()); }

 private:
  std::vector<std::int64_t> first_, last_;
  std::int64_t capacity_ = 0;
};

}  // namespace upfirdn
