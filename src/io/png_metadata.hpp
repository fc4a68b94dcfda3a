#pragma once
/// The chunks of a PNG that tell something beside samples. They are read without libpng, which sees those behind the image
/// data too late and refuses a picture for a damaged text.

#include <functional>
#include <memory>
#include <span>

#include "io/picture_metadata.hpp"

namespace upfirdn {

/// From the whole file, as far as it is a chain of chunks. Checksums are left to who decodes the file.
[[nodiscard]] std::shared_ptr<const PictureMetadata> read_png_metadata(const ByteSource& source);

/// Calls `chunk` for each chunk that tells of `told`, in an order that may stand before the image data.
void write_png_metadata(const PictureMetadata& told, const std::function<void(const char* type, std::span<const std::byte> data)>& chunk);

}  // namespace upfirdn
