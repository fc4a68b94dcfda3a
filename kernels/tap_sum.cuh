#pragma once
/// The summation rule (SEMANTICS 5), tap by tap.

#include <type_traits>

#include "core/axis.hpp"
#include "core/sample_math.hpp"

namespace upfirdn::cuda {

/// Sum of a run of taps in contract order, taken tap by tap. `Long`: a phase may have more than 64 taps.
template <bool Long, class Real = float>
class TapSum {
 public:
  __device__ void add(Real tap, Real value) { run_ = fma_exact(tap, value, run_); }
  /// After the tap `k` of the phase, used or not.
  __device__ void passed(std::int64_t k) {
    if constexpr (Long) {
      if ((k + 1) % run_length == 0) sums_.add(run_), run_ = 0;
    }
  }
  __device__ Real total(std::int64_t count) {
    if constexpr (Long) {
      if (count % run_length != 0) sums_.add(run_), run_ = 0;
      return sums_.total();
    }
    return run_;
  }

 private:
  struct Nothing {};
  Real run_ = 0;
  std::conditional_t<Long, BasicRunSums<Real>, Nothing> sums_;
};

}  // namespace upfirdn::cuda
