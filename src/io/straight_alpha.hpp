#pragma once
/// Premultiplied images in formats that know straight alpha only.

#include <memory>

#include "io/codec.hpp"

namespace upfirdn {

/// Writes rows of an image `info` of associated alpha through `writer`, which takes straight alpha: each
/// colour is divided by its alpha, rounded to nearest (halves to even) and limited to the range; 0 where
/// alpha is 0.
[[nodiscard]] std::unique_ptr<ImageWriter> with_straight_alpha(std::unique_ptr<ImageWriter> writer,
                                                               const ImageInfo& info);

}  // namespace upfirdn
