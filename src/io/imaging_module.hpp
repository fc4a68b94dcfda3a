#pragma once
/// The module `imaging` (OpenCV): loaded when a file first needs it, found relative to the program.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/image.hpp"
#include "io/drawing.hpp"

namespace upfirdn {

/// Decodes `file` into `image`, whose shape comes from the file's header. `name` is for messages.
/// Throws Error(image_failed): damaged, or the module can't be loaded.
void imaging_decode(const std::vector<std::byte>& file, Image& image, const std::string& name);

/// Encodes as ".bmp", ".webp" (`quality` 1 to 100) or ".jp2" (lossless). Throws Error(image_failed) naming
/// `name`.
[[nodiscard]] std::vector<std::byte> imaging_encode(const Image& image, const char* extension, int quality,
                                                    const std::string& name);

/// A colour PNG of width * height values, 0 (black) to `largest` (bright); NaN counts as the largest.
/// Throws Error(image_failed).
[[nodiscard]] std::vector<std::byte> heatmap_png(const float* values, std::int64_t width, std::int64_t height,
                                                 double largest);

/// The drawing as a PNG of two pixels a unit. Throws Error(image_failed).
[[nodiscard]] std::string drawing_png(const Drawing& drawing);

}  // namespace upfirdn
