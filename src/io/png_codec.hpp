#pragma once
/// The two halves of the PNG codec.

#include <memory>

#include "io/codec.hpp"

namespace upfirdn {

constexpr std::int64_t longest_png_side = 0x7fffffff;

[[nodiscard]] std::unique_ptr<ImageReader> open_png(std::unique_ptr<ByteSource> source);

/// Throws Error(usage) for a level that PNG doesn't have.
[[nodiscard]] std::unique_ptr<ImageWriter> create_png(std::unique_ptr<ByteSink> sink, const ImageInfo& info,
                                                      const CodecOptions& options);

}  // namespace upfirdn
