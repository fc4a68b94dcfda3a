#pragma once
/// Writes derived DICOM images.

#include <memory>

#include "io/codec.hpp"

namespace upfirdn::dicom {

/// Throws Error(image_failed) if `options.origin` is no DICOM file or the values would change their meaning.
[[nodiscard]] std::unique_ptr<ImageWriter> make_writer(std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t images,
                                                       const CodecOptions& options);

}  // namespace upfirdn::dicom
