#pragma once
/// Runs a request through the product: plan, crop, backend.

#include <string>

#include "core/image.hpp"
#include "resample/backend.hpp"
#include "resample/plan.hpp"
#include "resample/spec.hpp"

namespace upfirdn {

/// Plan of `spec` for an image that is written in the depth the request asks for.
[[nodiscard]] Plan plan_case(const ResampleSpec& spec, const ImageInfo& info);

/// The picture that `backend` gives, before a letterbox. `result`, if not null, receives what the run
/// reports.
[[nodiscard]] Image run_case(const ResampleSpec& spec, const Image& image, Backend& backend,
                             RunResult* result = nullptr);

/// Where two images differ first, as text with the values; empty if they have the same header and the same
/// bytes.
[[nodiscard]] std::string byte_difference(const Image& expected, const Image& actual);

}  // namespace upfirdn
