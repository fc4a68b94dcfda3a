#pragma once
/// Requests as text for the messages of failed tests.

#include <string>

#include "core/image.hpp"
#include "resample/spec.hpp"

namespace upfirdn {

/// One line: what is done to an image of shape `info`.
[[nodiscard]] std::string describe(const ResampleSpec& spec, const ImageInfo& info);

[[nodiscard]] const char* name(Border border);

}  // namespace upfirdn
