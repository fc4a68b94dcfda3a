#pragma once
/// Where the pixels of an output lie in the plane that an EXR file shares with others.

#include "io/exr/exr_header.hpp"

namespace upfirdn::exr {

/// The data window: pixels that there are. The display window: those that are meant to be seen.
struct Windows {
  Window data, display;
  bool exact = true;  ///< false: the data window is up to half a pixel beside its place
};

/// The windows of an output. The plane is scaled as the pixels were, from its origin 0,0 on:
///  - where both windows are one, as in most files, they stay one, of the size of the output, wherever it was cut out;
///  - otherwise the display window is scaled (sides to the nearest whole number), and the data window begins where the first
///    output pixel lies in relation to it, rounded to a whole pixel.
[[nodiscard]] Windows placed(const Windows& input, const Origin& origin, const ImageInfo& output);

}  // namespace upfirdn::exr
