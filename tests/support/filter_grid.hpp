#pragma once
/// Every named filter with every kind of factor, border and sample: the cases that a table of filters promises.

#include <cstdint>
#include <string>
#include <vector>

#include "support/random_cases.hpp"

namespace upfirdn {

/// The filters of the grid, each as a user writes it.
[[nodiscard]] const std::vector<std::string>& grid_filters();
/// Kinds of samples: "u16", "f32", "u8 RGBA", "u16 gray + alpha", "u8 linear light", "u16 nodata".
[[nodiscard]] const std::vector<std::string>& grid_samples();
/// Pairs of a factor and a border; case number `place` of filter and kind of samples.
[[nodiscard]] std::int64_t grid_places();
[[nodiscard]] RandomCase grid_case(std::size_t filter, std::size_t samples, std::int64_t place);

}  // namespace upfirdn
