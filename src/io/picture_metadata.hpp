#pragma once
/// What files of photographs and scans (PNG, TIFF, JPEG, EXR) tell beside their samples.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/codec.hpp"

namespace upfirdn {

using Bytes = std::vector<std::byte>;

/// Pixels a unit of length along each axis.
struct Resolution {
  enum class Unit : std::uint8_t { none, inch, centimetre, metre };  ///< none: only the ratio of the axes counts
  Fraction x, y;
  Unit unit = Unit::inch;

  /// The same in another unit. From or to `none` the numbers stay.
  [[nodiscard]] Resolution in(Unit wanted) const;
  /// Nothing without a unit.
  [[nodiscard]] std::optional<Spacing> spacing() const;
};

/// A text and what it is about (PNG's keywords: "Description", "Comment"), UTF-8.
struct Text {
  std::string keyword, text;
};

/// Chromaticities of white, red, green and blue, x then y each, in millionths.
using Chromaticities = std::array<std::int64_t, 8>;

/// In the terms that the formats share. Each codec fills it from its own chunks, tags or markers.
struct PictureMetadata : Metadata {
  Bytes profile;      ///< ICC; empty: none
  Bytes exif;         ///< a TIFF structure ("II*" or "MM" first); empty: none
  std::string xmp;    ///< a packet; empty: none
  std::vector<Text> texts;
  std::optional<Resolution> resolution;
  std::optional<std::uint8_t> srgb_intent;  ///< samples are sRGB
  std::optional<std::uint32_t> gamma;       ///< of the samples, in 1/100000
  std::optional<Chromaticities> chromaticities;
  int orientation = 1;  ///< of the stored rows, 1 (upright) to 8 as in TIFF and EXIF
  std::string compression;     ///< of a TIFF, as `--compression` names it; empty: none
  bool white_is_zero = false;  ///< a TIFF that stores white as 0; readers deliver black as 0
  std::vector<std::string> left_out;  ///< what the file has and this does not hold, a line each

  [[nodiscard]] std::vector<std::string> kinds() const override;
};

/// The metadata of an input as the writer of `output` should store it: resolution and sizes follow the new pixels, and what
/// does not fit any more is in `left_out`. Under `--strip` it is empty, but for `compression` and `white_is_zero`: how samples are stored.
[[nodiscard]] PictureMetadata outgoing_metadata(const CodecOptions& options, const ImageInfo& output);

}  // namespace upfirdn
