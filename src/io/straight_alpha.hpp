#pragma once
/// Premultiplied images in formats that know straight alpha only, and the other way round.

#include <memory>

#include "io/codec.hpp"

namespace upfirdn {

/// Writes rows of an image `info` of associated alpha through `writer`, which takes straight alpha: each
/// colour is divided by its alpha, rounded to nearest (halves to even) and limited to the range; 0 where
/// alpha is 0.
[[nodiscard]] std::unique_ptr<ImageWriter> with_straight_alpha(std::unique_ptr<ImageWriter> writer,
                                                               const ImageInfo& info);

/// Writes rows of an image `info` of straight alpha through `writer`, which takes associated alpha: each colour is multiplied by
/// its alpha, rounded in the same way.
[[nodiscard]] std::unique_ptr<ImageWriter> with_premultiplied_alpha(std::unique_ptr<ImageWriter> writer, const ImageInfo& info);

}  // namespace upfirdn
