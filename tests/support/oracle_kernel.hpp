#pragma once
/// Named filters of the oracle: K(x), prototypes and the weights of one output.

#include <cstdint>
#include <vector>

#include "oracle.hpp"
#include "rational.hpp"

namespace upfirdn::oracle {

[[nodiscard]] Rational support_of(const FilterKernel& kernel);

/// K(x); 0 beyond the support.
[[nodiscard]] double kernel_value(const FilterKernel& kernel, Rational x);

/// Row of Pascal's triangle with n numbers.
[[nodiscard]] std::vector<double> pascal_row(int n);

/// h of the definition for the factors up and down, before any normalisation.
[[nodiscard]] std::vector<double> prototype_of(const FilterKernel& kernel, std::int64_t up,
                                               std::int64_t down);

/// Weights of output `output` of a resize with pitch `pitch`, before normalisation.
[[nodiscard]] Weights named_weights(const FilterKernel& kernel, Rational pitch, Rational shift,
                                    std::int64_t output);

/// Divides by the sum and drops what float32 rounds to 0 at both ends.
void normalize_phase(Weights& weights);

}  // namespace upfirdn::oracle
