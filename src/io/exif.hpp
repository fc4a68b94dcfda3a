#pragma once
/// EXIF data as bytes: a TIFF structure of its own. libexif takes it apart and puts it together.

#include <span>
#include <string_view>

#include "io/picture_metadata.hpp"
#include "io/tiff_entries.hpp"

namespace upfirdn {

/// More than this libexif does not read, and no JPEG can hold.
constexpr std::size_t largest_exif = 0xfff0;

/// Before the data in JPEG and wherever its bytes are taken from there.
inline constexpr std::string_view exif_mark("Exif\0\0", 6);

/// 1 to 8; 1 if the data does not tell.
[[nodiscard]] int exif_orientation(std::span<const std::byte> exif);
/// Of the main image, if the data tells it with a unit.
[[nodiscard]] std::optional<Resolution> exif_resolution(std::span<const std::byte> exif);

/// For an image whose rows were turned upright: orientation 1, and with `transposed` the axes of sizes and resolutions
/// exchanged. Empty if `exif` can't be read; so are the results below.
[[nodiscard]] Bytes upright_exif(std::span<const std::byte> exif, bool transposed);

/// For a resampled image: the sizes and, multiplied by `scale_x` and `scale_y`, the resolutions that `exif` tells;
/// thumbnails are dropped.
[[nodiscard]] Bytes resized_exif(std::span<const std::byte> exif, std::int64_t width, std::int64_t height,
                                 const Fraction& scale_x, const Fraction& scale_y);

/// The directories of EXIF data without pointers and thumbnail.
struct ExifDirectories {
  std::vector<TiffEntry> image, photo, gps, interoperability;
};
[[nodiscard]] ExifDirectories exif_directories(std::span<const std::byte> exif);
[[nodiscard]] Bytes exif_of(const ExifDirectories& directories);

}  // namespace upfirdn
