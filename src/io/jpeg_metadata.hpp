#pragma once
/// Metadata in the markers of a JPEG: JFIF density, APP1 (EXIF, XMP), APP2 (ICC profile), COM.

#include <memory>

#include "io/jpeg_errors.hpp"
#include "io/picture_metadata.hpp"

namespace upfirdn {

/// Before jpeg_read_header: keeps the markers that the next function reads. To be called inside `attempt`.
void keep_metadata_markers(jpeg_decompress_struct& codec);

/// After jpeg_read_header. `profile` is what jpeg_read_icc_profile gave.
[[nodiscard]] std::shared_ptr<PictureMetadata> read_jpeg_metadata(const jpeg_decompress_struct& codec, Bytes profile);

/// Before jpeg_start_compress: the density of the JFIF header.
void set_jpeg_density(jpeg_compress_struct& codec, const PictureMetadata& told);

/// Markers to write after jpeg_start_compress.
struct JpegMarker {
  int code;
  Bytes data;
};
/// What no marker can hold is added to `told.left_out`. The profile is left to jpeg_write_icc_profile.
[[nodiscard]] std::vector<JpegMarker> jpeg_markers(PictureMetadata& told);

}  // namespace upfirdn
