#include "resample/row_window.hpp"

namespace upfirdn {
namespace {

/// Source rows of positions a .. b.
RowRange rows_of(std::int64_t a, std::int64_t b, std::int64_t n, Border border) {
  RowRange rows{n, -1};
  if (a > b) return rows;
  const std::int64_t inside_first = std::max<std::int64_t>(a, 0), inside_last = std::min(b, n - 1);
  if (inside_first <= inside_last) rows.include({inside_first, inside_last});
  // Beyond an end the rules repeat after 2n positions at most.
  const auto include_outside = [&](std::int64_t from, std::int64_t to) {
    to = std::min(to, from + 2 * n);
    for (std::int64_t i = from; i <= to; ++i) {
      const std::int64_t row = source_index(i, n, border);
      if (row >= 0) rows.include(row);
    }
  };
  if (border == Border::zero || border == Border::constant) return rows;
  if (a < 0) include_outside(a, std::min<std::int64_t>(b, -1));
  if (b >= n) include_outside(std::max(a, n), b);
  return rows;
}

}  // namespace

RowWindow::RowWindow(const AxisView& axis, Border border, std::int64_t strip) {
  for (std::int64_t o = 0; o < axis.out;) {
    RowRange rows{axis.in, -1};
    for (const std::int64_t end = std::min(o + strip, axis.out); o < end; ++o) {
      const TapRun run = axis.locate(o);
      rows.include(rows_of(run.first, run.first + run.count - 1, axis.in, border));
    }
    first_.push_back(rows.first);
    last_.push_back(std::max(rows.last, last_.empty() ? std::int64_t(-1) : last_.back()));
  }
  for (std::size_t s = first_.size(); s-- > 1;) first_[s - 1] = std::min(first_[s - 1], first_[s]);
  for (std::size_t s = 0; s < first_.size(); ++s) capacity_ = std::max(capacity_, last_[s] - first_[s] + 1);
}

}  // namespace upfirdn
