#pragma once
/// The two halves of the TIFF codec.

#include <memory>

#include "io/codec.hpp"

namespace upfirdn {

[[nodiscard]] std::unique_ptr<ImageReader> open_tiff(std::unique_ptr<ByteSource> source);

/// Writes `images` pages of strips, little-endian. Throws Error(usage) for an unknown compression or level.
[[nodiscard]] std::unique_ptr<ImageWriter> create_tiff(std::unique_ptr<ByteSink> sink, const ImageInfo& info,
                                                       std::int64_t images, const CodecOptions& options);

}  // namespace upfirdn
