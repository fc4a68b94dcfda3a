#pragma once
/// Which channels of a part are its picture.

#include <string>
#include <vector>

#include "io/exr/exr_header.hpp"

namespace upfirdn::exr {

struct Picture {
  ImageInfo info;
  std::vector<std::string> channels;  ///< in the order of `info`: R, G, B or Y, then A; or the only one, of any name
  std::vector<std::string> others;    ///< that are not read
};

/// The default layer of `part`. Throws Error(image_failed): deep, luminance with chroma, subsampled, integers, or other channels
/// only, which it lists.
[[nodiscard]] Picture picture_of(const Part& part, const ByteSource& source);

/// Names of the channels that a picture without names of its own has.
[[nodiscard]] std::vector<std::string> usual_channels(const ImageInfo& info);

/// "R, G, B" for messages; long lists are cut.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

}  // namespace upfirdn::exr
