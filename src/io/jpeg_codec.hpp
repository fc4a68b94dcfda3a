#pragma once
/// The two halves of the JPEG codec.

#include <memory>

#include "io/codec.hpp"

namespace upfirdn {

/// `shrink`: see CodecOptions; the resolution follows.
[[nodiscard]] std::unique_ptr<ImageReader> open_jpeg(std::unique_ptr<ByteSource> source, int shrink);

/// Throws Error(usage) for a quality that JPEG doesn't have.
[[nodiscard]] std::unique_ptr<ImageWriter> create_jpeg(std::unique_ptr<ByteSink> sink, const ImageInfo& info,
                                                       const CodecOptions& options);

}  // namespace upfirdn
