#pragma once
/// Metadata of TIFF pages: libtiff's tags and the EXIF directories that they point to.

#include <memory>

#include "io/picture_metadata.hpp"
#include "io/tiff_stream.hpp"

namespace upfirdn {

/// Of the current page of `stream`, the file of `source`. Short texts of a camera or a program become EXIF, descriptions and titles
/// texts.
[[nodiscard]] std::shared_ptr<const PictureMetadata> read_tiff_metadata(TiffStream& stream, const ByteSource& source);

/// EXIF directories that were appended to a file: their offsets there, 0 if there is none.
struct ExifOffsets {
  std::uint64_t photo = 0, gps = 0;
};
/// Appends the EXIF directories of `exif` at the end of `sink`, before libtiff writes there.
[[nodiscard]] ExifOffsets append_exif(ByteSink& sink, const Bytes& exif, bool big);

/// Sets the tags of the page that is begun. What TIFF has no tag for is added to `told.left_out`.
void set_tiff_metadata(TIFF* tiff, PictureMetadata& told, const ExifOffsets& exif);

}  // namespace upfirdn
