#include "io/jpeg_metadata.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "io/exif.hpp"
#include "core/utf8.hpp"
#include "io/xmp.hpp"

namespace upfirdn {
namespace {

constexpr std::string_view long_xmp_mark("http://ns.adobe.com/xmp/extension/\0", 35), photoshop_mark("Photoshop 3.0\0", 14), pictures_mark("MPF\0", 4);
constexpr int app1 = JPEG_APP0 + 1, app2 = JPEG_APP0 + 2, app13 = JPEG_APP0 + 13;
constexpr std::size_t largest_marker = 65533;

void take_marker(PictureMetadata& told, int code, std::string_view data) {
  const auto leave_out = [&](const char* what) { told.left_out.emplace_back(what); };
  if (code == app1 && data.starts_with(exif_mark) && told.exif.empty()) {
    const auto bytes = std::as_bytes(std::span(data.substr(exif_mark.size())));
    told.exif.assign(bytes.begin(), bytes.end());
  } else if (code == app1 && data.starts_with(xmp_mark)) {
    told.xmp = data.substr(xmp_mark.size());
  } else if (code == app1 && data.starts_with(long_xmp_mark)) {
    leave_out("the extended part of XMP is left out");
  } else if (code == app13 && data.starts_with(photoshop_mark)) {
    leave_out("IPTC and Photoshop resources are left out");
  } else if (code == app2 && data.starts_with(pictures_mark)) {
    leave_out("the further pictures of a JPEG (MPF) are left out");
  } else if (code == JPEG_COM && !data.empty()) {
    const std::string text(data.substr(0, data.find('\0')));
    told.texts.push_back({"Comment", is_utf8(text) ? text : utf8_of_latin1(text)});
  }
}

std::optional<Resolution> jfif_resolution(const jpeg_decompress_struct& codec) {
  if (!codec.saw_JFIF_marker || codec.X_density == 0 || codec.Y_density == 0) return std::nullopt;
  using Unit = Resolution::Unit;
  if (codec.density_unit == 0 && codec.X_density == codec.Y_density) return std::nullopt;  // square pixels, no more
  return Resolution{{codec.X_density, 1}, {codec.Y_density, 1}, codec.density_unit == 1 ? Unit::inch : codec.density_unit == 2 ? Unit::centimetre : Unit::none};
}

Bytes joined(std::string_view mark, std::span<const std::byte> data) {
  const auto begin = std::as_bytes(std::span(mark));
  Bytes bytes(begin.begin(), begin.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

}  // namespace

void keep_metadata_markers(jpeg_decompress_struct& codec) {
  for (const int code : {app1, app2, app13, JPEG_COM}) jpeg_save_markers(&codec, code, 0xffff);
}

std::shared_ptr<PictureMetadata> read_jpeg_metadata(const jpeg_decompress_struct& codec, Bytes profile) {
  auto told = std::make_shared<PictureMetadata>();
  told->profile = std::move(profile);
  for (const jpeg_marker_struct* marker = codec.marker_list; marker != nullptr; marker = marker->next)
    take_marker(*told, marker->marker, {reinterpret_cast<const char*>(marker->data), marker->data_length});
  told->resolution = jfif_resolution(codec);
  if (told->exif.empty()) return told;
  told->orientation = exif_orientation(told->exif);
  if (!told->resolution) told->resolution = exif_resolution(told->exif);
  return told;
}

void set_jpeg_density(jpeg_compress_struct& codec, const PictureMetadata& told) {
  if (!told.resolution) return;
  using Unit = Resolution::Unit;
  const Resolution stored = told.resolution->unit == Unit::metre ? told.resolution->in(Unit::inch) : *told.resolution;
  const auto whole = [](const Fraction& value) { return UINT16(std::clamp(std::round(to_double(value)), 1.0, 65535.0)); };
  codec.density_unit = stored.unit == Unit::inch ? 1 : stored.unit == Unit::centimetre ? 2 : 0;
  codec.X_density = whole(stored.x);
  codec.Y_density = whole(stored.y);
}

std::vector<JpegMarker> jpeg_markers(PictureMetadata& told) {
  std::vector<JpegMarker> markers;
  const auto add = [&](int code, Bytes data, const char* what) {
    if (data.size() <= largest_marker) markers.push_back({code, std::move(data)});
    else told.left_out.push_back(std::string(what) + " longer than 64 KiB is left out: JPEG cannot hold it");
  };
  if (!told.exif.empty()) add(app1, joined(exif_mark, told.exif), "EXIF");
  if (!told.xmp.empty()) add(app1, joined(xmp_mark, std::as_bytes(std::span(told.xmp))), "XMP");
  for (const Text& text : told.texts)
    add(JPEG_COM, joined(text.keyword == "Comment" ? "" : text.keyword + ": ", std::as_bytes(std::span(text.text))), "a text");
  if ((told.gamma || told.chromaticities) && !told.srgb_intent && told.profile.empty())
    told.left_out.emplace_back("gamma and chromaticities are left out: JPEG cannot hold them");
  return markers;
}

}  // namespace upfirdn
