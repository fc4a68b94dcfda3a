#pragma once
/// The loop over samples in float64, compiled for every instruction set and chosen at run time.

#include <cstdint>

namespace upfirdn {

inline constexpr std::int64_t spare_doubles = 8;  ///< room that lines and sums have beyond their end

/// sums[i] = the sum over k of taps[k] * lines[k][i], i < n, by the summation rule (SEMANTICS 5). Lines that are null are
/// skipped: nothing is there. Up to `spare_doubles` more are read of each line and written to `sums`.
void weigh_lines(const double* taps, const double* const* lines, std::int64_t count, std::int64_t n, double* sums);

}  // namespace upfirdn
