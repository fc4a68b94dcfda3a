#pragma once
/// What an EXR file tells beside its samples.

#include <memory>

#include "io/exr/exr_picture.hpp"
#include "io/exr/exr_windows.hpp"
#include "io/picture_metadata.hpp"

namespace upfirdn::exr {

/// In the terms that all formats share, and as it goes from one EXR file to another.
struct ExrMetadata final : PictureMetadata {
  std::vector<Attribute> attributes;  ///< but those that follow from the samples and from `resolution`
  Windows windows;
  std::vector<std::string> channels;
  std::uint8_t exr_compression = 0;
  std::vector<std::string> left_out_always;  ///< what is not read; `left_out` is what other formats can't hold

  [[nodiscard]] std::vector<std::string> kinds() const override;
};

[[nodiscard]] std::shared_ptr<const ExrMetadata> read_metadata(const Part& part, const Picture& picture);

/// What a writer needs beside the samples.
struct Header {
  std::vector<Attribute> attributes;  ///< all but the channels
  std::vector<std::string> channels;
  std::vector<std::string> notes;     ///< what was left out
};

/// The header of an output. Throws Error(usage) for an unknown compression.
[[nodiscard]] Header outgoing_header(const CodecOptions& options, const ImageInfo& output);

}  // namespace upfirdn::exr
