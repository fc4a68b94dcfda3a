#pragma once
/// Fills in the arithmetic around the filter: alpha, light, nodata, epilogue, depth (SEMANTICS 3, 5, 6).

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/axis.hpp"
#include "core/image.hpp"
#include "core/operation.hpp"
#include "resample/spec.hpp"

namespace upfirdn {

/// True if some step of the epilogue does something in the arithmetic.
[[nodiscard]] bool has_epilogue(const EpilogueRequest& request, Arithmetic arithmetic = Arithmetic::float32);

/// Sample arithmetic of `spec` between an input and an output. `gathered`: neither axis is filtered. Throws
/// Error(image_failed) where the request does not fit this image (number of biases, light of floats, nodata value).
[[nodiscard]] SampleMath plan_samples(const ResampleSpec& spec, const ImageInfo& input, const ImageInfo& output, bool gathered);

/// What lies beyond the border: the rule that the passes follow, and the values of a constant one.
struct Surroundings {
  Border border;
  std::vector<double> values;     ///< [planes]
  std::vector<std::byte> pixel;   ///< one stored pixel
};
[[nodiscard]] Surroundings plan_surroundings(const BorderRule& rule, const SampleMath& samples, const ImageInfo& input);

/// One pixel of `value` in every channel, rounded and clamped as a stored sample.
[[nodiscard]] std::vector<std::byte> stored_pixel(double value, const ImageInfo& info);

}  // namespace upfirdn
