#pragma once
/// Images whose rows are stored turned or mirrored, as their EXIF or TIFF orientation says.

#include <memory>

#include "io/codec.hpp"

namespace upfirdn {

/// The images of `reader` as they are to be seen, with metadata that says so. Images that are not upright are held in memory
/// whole, but for those that are mirrored left to right.
[[nodiscard]] std::unique_ptr<ImageReader> upright(std::unique_ptr<ImageReader> reader);

}  // namespace upfirdn
