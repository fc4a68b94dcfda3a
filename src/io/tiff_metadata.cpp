#include "io/tiff_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/exif.hpp"
#include "io/tiff_entries.hpp"

namespace upfirdn {
namespace {

/// Texts of a page and their keywords. Those without one are part of EXIF's main directory.
struct TextTag {
  std::uint32_t tag;
  const char* keyword;
};
constexpr TextTag text_tags[] = {{TIFFTAG_IMAGEDESCRIPTION, "Description"}, {TIFFTAG_DOCUMENTNAME, "Title"},
                                 {TIFFTAG_PAGENAME, "Page name"},           {TIFFTAG_MAKE, nullptr},
                                 {TIFFTAG_MODEL, nullptr},                  {TIFFTAG_SOFTWARE, nullptr},
                                 {TIFFTAG_DATETIME, nullptr},               {TIFFTAG_ARTIST, nullptr},
                                 {TIFFTAG_HOSTCOMPUTER, nullptr},           {TIFFTAG_COPYRIGHT, nullptr}};

constexpr std::uint16_t exif_interoperability = 0xa005;  // pointer in the EXIF directory
constexpr std::uint16_t ascii = 2;

Bytes bytes_tag(TIFF* tiff, std::uint32_t tag) {
  std::uint32_t count = 0;
  void* bytes = nullptr;
  if (TIFFGetField(tiff, tag, &count, &bytes) == 0 || count == 0) return {};
  const auto* begin = static_cast<const std::byte*>(bytes);
  return {begin, begin + count};
}

std::optional<Fraction> resolution_tag(TIFF* tiff, std::uint32_t tag) {
  float value = 0;
  if (TIFFGetField(tiff, tag, &value) == 0 || !(value >= 1e-3f && value < 1e7f)) return std::nullopt;
  return make_fraction(std::llround(double(value) * 1e6), 1000000);
}

/// libtiff gives floats: read to millionths.
std::optional<Resolution> read_resolution(TIFF* tiff) {
  const auto x = resolution_tag(tiff, TIFFTAG_XRESOLUTION), y = resolution_tag(tiff, TIFFTAG_YRESOLUTION);
  std::uint16_t unit = RESUNIT_INCH;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
  if (!x || !y) return std::nullopt;
  using Unit = Resolution::Unit;
  return Resolution{*x, *y, unit == RESUNIT_INCH ? Unit::inch : unit == RESUNIT_CENTIMETER ? Unit::centimetre : Unit::none};
}

std::optional<Chromaticities> read_chromaticities(TIFF* tiff) {
  float *white = nullptr, *primaries = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_WHITEPOINT, &white) == 0 || TIFFGetField(tiff, TIFFTAG_PRIMARYCHROMATICITIES, &primaries) == 0)
    return std::nullopt;
  Chromaticities result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float value = i < 2 ? white[i] : primaries[i - 2];
    if (!(value >= 0 && value < 10)) return std::nullopt;
    result[i] = std::llround(double(value) * 1e6);
  }
  return result;
}

/// The scheme as `--compression` names it; other ones become deflate.
std::string compression_name(TIFF* tiff) {
  std::uint16_t scheme = COMPRESSION_NONE;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &scheme);
  switch (scheme) {
    case COMPRESSION_NONE: return {};
    case COMPRESSION_LZW: return "lzw";
    case COMPRESSION_PACKBITS: return "packbits";
    case COMPRESSION_ZSTD: return "zstd";
    default: return "deflate";
  }
}

std::uint64_t pointer_of(const std::vector<TiffEntry>& entries, std::uint16_t tag) {
  std::uint64_t offset = 0;
  for (const TiffEntry& entry : entries) {
    if (entry.tag != tag || entry.count != 1) continue;
    for (std::size_t i = entry.value.size(); i-- > 0;) offset = offset << 8 | std::to_integer<std::uint64_t>(entry.value[i]);
  }
  return offset;
}

/// EXIF of the page: the short texts of its own directory, and the directories that it points to.
void read_exif(TIFF* tiff, const ByteSource& source, ExifDirectories directories, PictureMetadata& told) {
  const auto follow = [&](std::uint32_t tag) {
    std::uint64_t offset = 0;
    return TIFFGetField(tiff, tag, &offset) == 0 ? std::vector<TiffEntry>() : read_tiff_entries(source, offset, largest_exif);
  };
  directories.photo = follow(TIFFTAG_EXIFIFD);
  directories.gps = follow(TIFFTAG_GPSIFD);
  directories.interoperability = read_tiff_entries(source, pointer_of(directories.photo, exif_interoperability), largest_exif);
  std::erase_if(directories.photo, [](const TiffEntry& entry) { return entry.tag == exif_interoperability; });
  if (directories.image.empty() && directories.photo.empty() && directories.gps.empty()) return;
  told.exif = exif_of(directories);
  if (told.exif.empty()) told.left_out.emplace_back("EXIF longer than 64 KiB is left out");
}

void set_text(TIFF* tiff, std::uint32_t tag, const std::string& text) { TIFFSetField(tiff, tag, text.c_str()); }

/// Tags of EXIF's main directory that the page has on its own.
bool tells_of_pixels(std::uint16_t tag) {
  constexpr std::uint32_t tags[] = {TIFFTAG_IMAGEWIDTH,  TIFFTAG_IMAGELENGTH,    TIFFTAG_BITSPERSAMPLE,    TIFFTAG_COMPRESSION,
                                    TIFFTAG_PHOTOMETRIC, TIFFTAG_ORIENTATION,    TIFFTAG_SAMPLESPERPIXEL,  TIFFTAG_XRESOLUTION,
                                    TIFFTAG_YRESOLUTION, TIFFTAG_RESOLUTIONUNIT, TIFFTAG_YCBCRPOSITIONING, TIFFTAG_YCBCRCOEFFICIENTS};
  return std::ranges::find(tags, tag) != std::end(tags);
}

void set_texts(TIFF* tiff, PictureMetadata& told) {
  bool all = true;
  for (const TiffEntry& entry : exif_directories(told.exif).image) {
    const bool is_text = entry.type == ascii && std::ranges::any_of(text_tags, [&](const TextTag& t) { return t.tag == entry.tag; });
    if (is_text) set_text(tiff, entry.tag, std::string(reinterpret_cast<const char*>(entry.value.data()), entry.value.size()));
    else all = all && tells_of_pixels(entry.tag);
  }
  if (!all) told.left_out.emplace_back("EXIF tags of the main directory that TIFF does not know are left out");
  std::string others;
  for (const Text& text : told.texts) {
    const auto* known = std::ranges::find_if(text_tags, [&](const TextTag& t) { return t.keyword != nullptr && text.keyword == t.keyword; });
    if (known != std::end(text_tags)) set_text(tiff, known->tag, text.text);
    else others += (others.empty() ? "" : "\n") + (text.keyword == "Comment" ? text.text : text.keyword + ": " + text.text);
  }
  char* description = nullptr;
  if (others.empty()) return;
  if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &description) != 0) others = std::string(description) + "\n" + others;
  set_text(tiff, TIFFTAG_IMAGEDESCRIPTION, others);
}

void set_resolution(TIFF* tiff, const Resolution& told) {
  using Unit = Resolution::Unit;
  const Resolution stored = told.unit == Unit::metre ? told.in(Unit::centimetre) : told;
  TIFFSetField(tiff, TIFFTAG_XRESOLUTION, to_double(stored.x));
  TIFFSetField(tiff, TIFFTAG_YRESOLUTION, to_double(stored.y));
  const int unit = stored.unit == Unit::inch ? RESUNIT_INCH : stored.unit == Unit::centimetre ? RESUNIT_CENTIMETER : RESUNIT_NONE;
  TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, unit);
}

void set_chromaticities(TIFF* tiff, const Chromaticities& told) {
  std::array<float, 8> values{};
  std::ranges::transform(told, values.begin(), [](std::int64_t millionths) { return float(double(millionths) / 1e6); });
  TIFFSetField(tiff, TIFFTAG_WHITEPOINT, values.data());
  TIFFSetField(tiff, TIFFTAG_PRIMARYCHROMATICITIES, values.data() + 2);
}

}  // namespace

std::shared_ptr<const PictureMetadata> read_tiff_metadata(TiffStream& stream, const ByteSource& source) {
  TIFF* tiff = stream.get();
  auto told = std::make_shared<PictureMetadata>();
  told->profile = bytes_tag(tiff, TIFFTAG_ICCPROFILE);
  const Bytes xmp = bytes_tag(tiff, TIFFTAG_XMLPACKET);
  told->xmp.assign(reinterpret_cast<const char*>(xmp.data()), xmp.size());
  ExifDirectories exif;
  for (const TextTag& known : text_tags) {
    char* text = nullptr;
    if (TIFFGetField(tiff, known.tag, &text) == 0 || text == nullptr || *text == '\0') continue;
    if (known.keyword != nullptr) {
      told->texts.push_back({known.keyword, text});
      continue;
    }
    const std::span<const char> value(text, std::min<std::size_t>(std::string_view(text).size(), 4096) + 1);
    const auto bytes = std::as_bytes(value);
    exif.image.push_back({std::uint16_t(known.tag), ascii, std::uint32_t(value.size()), {bytes.begin(), bytes.end()}});
  }
  read_exif(tiff, source, std::move(exif), *told);
  told->resolution = read_resolution(tiff);
  told->chromaticities = read_chromaticities(tiff);
  told->compression = compression_name(tiff);
  std::uint16_t number = ORIENTATION_TOPLEFT;
  if (TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &number) != 0 && number >= 1 && number <= 8) told->orientation = number;
  if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &number) != 0) told->white_is_zero = number == PHOTOMETRIC_MINISWHITE;
  for (const std::uint32_t tag : {TIFFTAG_PHOTOSHOP, TIFFTAG_RICHTIFFIPTC})
    if (!bytes_tag(tiff, tag).empty()) told->left_out.emplace_back("IPTC and Photoshop resources are left out");
  return told;
}

ExifOffsets append_exif(ByteSink& sink, const Bytes& exif, bool big) {
  ExifDirectories directories = exif_directories(exif);
  ExifOffsets offsets;
  const std::uint64_t base = sink.size() + sink.size() % 2;
  Bytes bytes;
  if (!directories.interoperability.empty()) {
    TiffEntry pointer{exif_interoperability, 4, 1, Bytes(4)};
    const std::uint64_t offset = append_tiff_directory(bytes, base, std::move(directories.interoperability), big);
    for (std::size_t i = 0; i < 4; ++i) pointer.value[i] = std::byte(offset >> 8 * i);
    directories.photo.push_back(std::move(pointer));
  }
  if (!directories.photo.empty()) offsets.photo = append_tiff_directory(bytes, base, std::move(directories.photo), big);
  if (!directories.gps.empty()) offsets.gps = append_tiff_directory(bytes, base, std::move(directories.gps), big);
  if (!bytes.empty()) sink.write_at(base, bytes);
  return offsets;
}

void set_tiff_metadata(TIFF* tiff, PictureMetadata& told, const ExifOffsets& exif) {
  if (!told.profile.empty()) TIFFSetField(tiff, TIFFTAG_ICCPROFILE, std::uint32_t(told.profile.size()), told.profile.data());
  if (!told.xmp.empty()) TIFFSetField(tiff, TIFFTAG_XMLPACKET, std::uint32_t(told.xmp.size()), told.xmp.data());
  if (told.resolution) set_resolution(tiff, *told.resolution);
  if (told.chromaticities) set_chromaticities(tiff, *told.chromaticities);
  set_texts(tiff, told);
  if (exif.photo != 0) TIFFSetField(tiff, TIFFTAG_EXIFIFD, exif.photo);
  if (exif.gps != 0) TIFFSetField(tiff, TIFFTAG_GPSIFD, exif.gps);
  if (told.gamma && !told.srgb_intent && told.profile.empty())
    told.left_out.emplace_back("the gamma of the samples is left out: TIFF has no tag for it");
}

}  // namespace upfirdn
