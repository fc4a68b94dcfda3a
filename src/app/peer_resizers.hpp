#pragma once
/// Other programs that resize images, for comparisons.

#include <string>
#include <vector>

#include "app/filter_quality.hpp"

namespace upfirdn {

struct PeerResizer {
  std::string name;  ///< "vips lanczos3"
  Resizer resizer;
};

/// Those of vips, GraphicsMagick, ImageMagick and Pillow that are installed, each with its Lanczos filter, and its cubic and
/// linear ones where it widens them. They exchange files in a temporary folder that is removed afterwards.
[[nodiscard]] std::vector<PeerResizer> installed_peers();

}  // namespace upfirdn
