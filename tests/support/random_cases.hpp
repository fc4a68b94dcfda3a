#pragma once
/// Random requests and images for tests that compare implementations. The same seed gives the same case
/// everywhere.

#include <cstdint>
#include <string>

#include "core/image.hpp"
#include "resample/spec.hpp"

namespace upfirdn {

struct RandomCase {
  ResampleSpec spec;
  Image image;
  std::string description;  ///< one line: seed, kind, type, sizes, factors, taps, border, steps
  bool has_epilogue = false;
  bool has_specials = false;  ///< NaN, infinities and negative zeros among float samples
};

/// Case number `seed`: always valid, a few million multiply-adds at most. Each pixel type meets each border
/// once in 30 consecutive seeds; about one in six has more than 64 taps in a phase, a third an epilogue.
[[nodiscard]] RandomCase random_case(std::uint64_t seed);

/// Noise, ramps, flat areas and extremes in the stored range of `info`.
[[nodiscard]] Image random_image(const ImageInfo& info, std::uint64_t seed);

}  // namespace upfirdn
