#pragma once
/// XMP packets: the few properties that tell how pixels are stored. They are attributes or elements of one name.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/fraction.hpp"

namespace upfirdn {

/// Before a packet in JPEG and wherever its bytes are taken from there.
inline constexpr std::string_view xmp_mark("http://ns.adobe.com/xap/1.0/\0", 29);

/// For an image whose rows were turned upright: tiff:Orientation 1, and with `transposed` the resolutions exchanged.
[[nodiscard]] std::string upright_xmp(std::string packet, bool transposed);

/// For a resampled image: the sizes and, multiplied by `scale_x` and `scale_y`, the resolutions that the packet tells;
/// thumbnails are dropped.
[[nodiscard]] std::string resized_xmp(std::string packet, std::int64_t width, std::int64_t height, const Fraction& scale_x,
                                      const Fraction& scale_y);

}  // namespace upfirdn
