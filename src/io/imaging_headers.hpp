#pragma once
/// What BMP, WebP and JPEG 2000 files say of themselves. OpenCV decodes what is left of a cut file without an
/// error, and allocates whatever a header asks for; so headers and lengths are checked here, before it sees a
/// byte.

#include <span>

#include "core/image.hpp"
#include "io/codec.hpp"

namespace upfirdn {

/// Each reads the shape from a complete file; throws Error(image_failed) if the file is cut short, damaged,
/// or of a kind that OpenCV would decode wrongly.
[[nodiscard]] ImageInfo read_bmp_header(const ByteSource& source);
[[nodiscard]] ImageInfo read_webp_header(const ByteSource& source);
[[nodiscard]] ImageInfo read_jpeg2000_header(const ByteSource& source);

}  // namespace upfirdn
