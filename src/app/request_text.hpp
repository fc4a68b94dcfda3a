#pragma once
/// A request as text: the same for equal requests, whatever the images are.

#include <string>

#include "app/value_mapping.hpp"
#include "resample/spec.hpp"

namespace upfirdn {

/// "upfirdn 0.1.0 resize size=512x filter=gaussian border=edge". Everything that pixels depend on is in it.
[[nodiscard]] std::string describe(const ResampleSpec& spec, const ValueRequest& values);

/// "gaussian:sigma=0.5", or the taps.
[[nodiscard]] std::string describe_filter(const FilterChoice& filter);

}  // namespace upfirdn
