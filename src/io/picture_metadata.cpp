#include "io/picture_metadata.hpp"

#include <fmt/format.h>

#include <string_view>

#include "io/exif.hpp"
#include "io/xmp.hpp"

namespace upfirdn {
namespace {

/// Tenths of a millimetre in a unit.
Int128 tenths_of_mm(Resolution::Unit unit) {
  switch (unit) {
    case Resolution::Unit::none: return 0;
    case Resolution::Unit::inch: return 254;
    case Resolution::Unit::centimetre: return 100;
    case Resolution::Unit::metre: return 10000;
  }
  throw std::logic_error("unit out of range");
}

/// The colour space of a profile's data: "RGB ", "GRAY", "CMYK".
std::string_view colour_space(const Bytes& profile) {
  return profile.size() < 128 ? "" : std::string_view(reinterpret_cast<const char*>(profile.data()) + 16, 4);
}

bool profile_fits(const Bytes& profile, const ImageInfo& image) {
  return colour_space(profile) == (image.channels >= 3 ? "RGB " : "GRAY");
}

/// Resolution of the output in the unit of the input.
std::optional<Resolution> scaled_resolution(const Origin& origin, std::optional<Resolution> own, bool keep) {
  using Unit = Resolution::Unit;
  if (!own && origin.input.spacing) {
    const Fraction mm_a_metre{1000, 1};
    own = Resolution{mm_a_metre / origin.input.spacing->x, mm_a_metre / origin.input.spacing->y, Unit::metre};
  }
  if (!own || keep) return own;
  return Resolution{own->x / origin.x.pitch, own->y / origin.y.pitch, own->unit};
}

void drop_profile_that_does_not_fit(PictureMetadata& picture, const ImageInfo& output) {
  if (picture.profile.empty() || profile_fits(picture.profile, output)) return;
  picture.profile.clear();
  picture.left_out.emplace_back("the colour profile is left out: it is not for the colours of the output");
}

}  // namespace

Resolution Resolution::in(Unit wanted) const {
  if (unit == Unit::none || wanted == Unit::none || unit == wanted) return {x, y, wanted};
  const Fraction factor = make_fraction(tenths_of_mm(wanted), tenths_of_mm(unit));
  return {x * factor, y * factor, wanted};
}

std::optional<Spacing> Resolution::spacing() const {
  if (unit == Unit::none || x.num <= 0 || y.num <= 0) return std::nullopt;
  const Fraction mm = make_fraction(tenths_of_mm(unit), 10);
  return Spacing{mm / x, mm / y};
}

std::vector<std::string> PictureMetadata::kinds() const {
  std::vector<std::string> kinds;
  if (!profile.empty()) kinds.push_back(fmt::format("ICC profile ({})", colour_space(profile).substr(0, colour_space(profile).find(' '))));
  if (!exif.empty()) kinds.emplace_back("EXIF");
  if (!xmp.empty()) kinds.emplace_back("XMP");
  if (!texts.empty()) kinds.emplace_back("text");
  return kinds;
}

PictureMetadata outgoing_metadata(const CodecOptions& options, const ImageInfo& output) {
  PictureMetadata out;
  if (options.origin == nullptr) return out;
  const Origin& origin = *options.origin;
  const auto* told = dynamic_cast<const PictureMetadata*>(origin.metadata.get());
  if (options.strip) {
    if (told != nullptr) out.compression = told->compression, out.white_is_zero = told->white_is_zero;
    return out;
  }
  if (told != nullptr) out = *told;
  const Fraction one{1, 1};
  const Fraction pitch_x = options.keep_dpi ? one : origin.x.pitch, pitch_y = options.keep_dpi ? one : origin.y.pitch;
  out.resolution = scaled_resolution(origin, out.resolution, options.keep_dpi);
  drop_profile_that_does_not_fit(out, output);
  if (!out.exif.empty()) {
    out.exif = resized_exif(out.exif, output.width, output.height, one / pitch_x, one / pitch_y);
    if (out.exif.empty()) out.left_out.emplace_back("EXIF that is damaged or longer than 64 KiB is left out");
  }
  if (!out.xmp.empty()) out.xmp = resized_xmp(out.xmp, output.width, output.height, one / pitch_x, one / pitch_y);
  return out;
}

}  // namespace upfirdn
