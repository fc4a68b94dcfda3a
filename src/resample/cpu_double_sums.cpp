#include "resample/cpu_double_sums.hpp"

#include <algorithm>

#include "core/axis.hpp"

// Included once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "resample/cpu_double_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "resample/cpu_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace upfirdn::HWY_NAMESPACE {

using Doubles = hn::CappedTag<double, spare_doubles>;

/// Sums of `Vectors` vectors of columns, the first being `column`.
template <int Vectors>
HWY_INLINE void weigh_columns(const double* taps, const double* const* lines, std::int64_t count, std::int64_t column, double* sums) {
  const Doubles d;
  const std::int64_t lanes = std::int64_t(hn::Lanes(d));
  const auto weigh_run = [&](std::int64_t first) {
    hn::Vec<Doubles> sum[Vectors];
    for (auto& one : sum) one = hn::Zero(d);
    for (std::int64_t k = first; k < std::min(first + run_length, count); ++k) {
      if (lines[k] == nullptr) continue;
      const auto tap = hn::Set(d, taps[k]);
      for (int v = 0; v < Vectors; ++v) sum[v] = fused_multiply_add(tap, hn::LoadU(d, lines[k] + column + v * lanes), sum[v]);
    }
    for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[v], d, sums + column + v * lanes);
  };
  if (count <= run_length) return weigh_run(0);
  BasicRunSums<double> runs[Vectors * spare_doubles];
  for (std::int64_t first = 0; first < count; first += run_length) {
    weigh_run(first);
    for (std::int64_t i = 0; i < Vectors * lanes; ++i) runs[i].add(sums[column + i]);
  }
  for (std::int64_t i = 0; i < Vectors * lanes; ++i) sums[column + i] = runs[i].total();
}

void WeighLines(const double* taps, const double* const* lines, std::int64_t count, std::int64_t n, double* sums) {
  const std::int64_t lanes = std::int64_t(hn::Lanes(Doubles()));
  std::int64_t column = 0;
  for (; column + 4 * lanes <= n; column += 4 * lanes) weigh_columns<4>(taps, lines, count, column, sums);
  for (; column < n; column += lanes) weigh_columns<1>(taps, lines, count, column, sums);
}

}  // namespace upfirdn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upfirdn {

HWY_EXPORT(WeighLines);

void weigh_lines(const double* taps, const double* const* lines, std::int64_t count, std::int64_t n, double* sums) {
  HWY_DYNAMIC_DISPATCH(WeighLines)(taps, lines, count, n, sums);
}

}  // namespace upfirdn
#endif
