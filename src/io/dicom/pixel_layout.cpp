#include "io/dicom/pixel_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/dicom/palette.hpp"
#include "io/header_bytes.hpp"

namespace upfirdn::dicom {
namespace {

Photometric parse_photometric(const std::string& text, const ByteSource& source) {
  if (text == "MONOCHROME1") return Photometric::monochrome1;
  if (text == "MONOCHROME2" || text.empty()) return Photometric::monochrome2;
  if (text == "PALETTE COLOR") return Photometric::palette;
  if (text == "RGB") return Photometric::rgb;
  if (text == "YBR_FULL") return Photometric::ybr_full;
  if (text == "YBR_FULL_422") return Photometric::ybr_full_422;
  if (text == "YBR_PARTIAL_422" || text == "YBR_PARTIAL_420") return Photometric::ybr_partial;
  if (text == "YBR_ICT" || text == "YBR_RCT") return Photometric::ybr_wavelet;
  throw unsupported(source, fmt::format("photometric interpretation '{}'", printable(text)));
}

std::int64_t required(const DataSet& data, Tag tag, const char* name, const ByteSource& source) {
  const auto value = data.integer(tag);
  if (!value) throw damaged(source, fmt::format("{} is missing", name));
  return *value;
}

void check(const PixelLayout& l, const ByteSource& source) {
  if (l.rows < 1 || l.columns < 1) throw damaged(source, fmt::format("the image is {}x{}", l.columns, l.rows));
  if (l.frames < 1) throw damaged(source, fmt::format("NumberOfFrames is {}", l.frames));
  const bool gray = l.is_gray() || l.photometric == Photometric::palette;
  if (l.samples != (gray ? 1 : 3)) throw damaged(source, fmt::format("{} samples a pixel do not fit the photometric interpretation", l.samples));
  if (l.is_float) return;
  if (l.allocated != 1 && l.allocated != 8 && l.allocated != 16 && l.allocated != 32) throw unsupported(source, fmt::format("{} bits allocated", l.allocated));
  if (l.stored < 1 || l.stored > l.allocated || l.high_bit < l.stored - 1 || l.high_bit >= l.allocated)
    throw damaged(source, fmt::format("{} bits of {} up to bit {} are impossible", l.stored, l.allocated, l.high_bit));
}

}  // namespace

std::uint64_t PixelLayout::frame_bits() const {
  // Sides are of 16 bits, so this can't overflow.
  const std::uint64_t pixels = std::uint64_t(rows) * std::uint64_t(columns);
  if (photometric == Photometric::ybr_full_422 || photometric == Photometric::ybr_partial)
    return std::uint64_t(rows) * std::uint64_t((columns + 1) / 2) * 4 * std::uint64_t(allocated);
  return pixels * std::uint64_t(samples) * std::uint64_t(allocated);
}

PixelLayout read_layout(const DicomFile& file) {
  const ByteSource& source = *file.source;
  const DataSet& data = file.data;
  if (file.pixels.tag == 0) throw image_error(source.name(), "holds no image (no pixel data); leave it out");
  PixelLayout l;
  l.rows = required(data, tag::rows, "Rows", source);
  l.columns = required(data, tag::columns, "Columns", source);
  l.frames = data.integer(tag::frames).value_or(1);
  if (l.frames == 0) l.frames = 1;  // some writers say so of one
  l.samples = int(data.integer(tag::samples).value_or(1));
  l.photometric = parse_photometric(data.text(tag::photometric), source);
  l.planar = data.integer(tag::planar).value_or(0) == 1 && l.samples > 1;
  l.allocated = int(required(data, tag::allocated, "BitsAllocated", source));
  l.stored = int(data.integer(tag::stored).value_or(l.allocated));
  l.high_bit = int(data.integer(tag::high_bit).value_or(l.stored - 1));
  l.is_signed = data.integer(tag::sign).value_or(0) == 1 && l.samples == 1;
  l.is_float = file.pixels.tag != tag::pixels;
  if (l.is_float) l.allocated = file.pixels.tag == tag::double_pixels ? 64 : 32;
  check(l, source);
  if (l.photometric == Photometric::palette) l.palette = read_palette(data, source);
  return l;
}

ImageInfo image_info(const PixelLayout& l, const DataSet& data) {
  ImageInfo info{.width = l.columns, .height = l.rows, .channels = l.palette ? 3 : l.samples};
  if (l.is_float) {
    info.type = l.allocated == 64 ? PixelType::f64 : PixelType::f32;
    info.maxval = 1;
  } else if (l.palette) {
    info.type = l.palette->maxval > 255 ? PixelType::u16 : PixelType::u8;
    info.maxval = l.palette->maxval;
  } else {
    if (l.cell_bytes() == 4) info.type = l.is_signed ? PixelType::s32 : PixelType::u32;
    else if (l.is_signed) info.type = PixelType::s16;
    else info.type = l.cell_bytes() == 1 ? PixelType::u8 : PixelType::u16;
    info.maxval = std::uint32_t((std::uint64_t(1) << (l.is_signed ? l.stored - 1 : l.stored)) - 1);
    if (info.maxval == 0) info.maxval = 1;  // signed samples of one bit
  }
  info.values_as_stored = true;
  info.spacing = read_spacing(data);
  if (const auto padding = read_padding(l, data)) info.nodata = padding->value;
  return info;
}

std::optional<ValueMeaning::Padding> read_padding(const PixelLayout& l, const DataSet& data) {
  const auto stored = [&](double value) { return l.is_signed && l.allocated <= 16 && value > 32767 ? value - 65536 : value; };
  const auto value = data.number(tag::padding);
  if (!value || !l.is_gray() || l.is_float) return std::nullopt;
  const double first = stored(*value), limit = stored(data.number(tag::padding_limit).value_or(*value));
  const double highest = std::ldexp(1.0, l.is_signed ? l.stored - 1 : l.stored) - 1, lowest = l.is_signed ? -highest - 1 : 0;
  if (first < lowest || first > highest) return std::nullopt;
  return ValueMeaning::Padding{first, std::min(first, limit), std::max(first, limit)};
}

std::optional<Spacing> read_spacing(const DataSet& data) {
  for (const Tag tag : {tag::pixel_spacing, tag::imager_spacing, tag::scanned_spacing, tag::receptor_spacing}) {
    const std::vector<std::string> parts = split_values(data.text(tag));
    if (parts.size() != 2) continue;
    const auto row = parse_fraction(parts[0]), column = parse_fraction(parts[1]);
    if (row && column && row->num > 0 && column->num > 0) return Spacing{*column, *row};
  }
  for (const Tag groups : {tag::frame_groups, tag::shared_groups})
    if (const DataSet* group = data.item(groups))
      if (const DataSet* measures = group->item(tag::pixel_measures)) return read_spacing(*measures);
  return std::nullopt;
}

}  // namespace upfirdn::dicom
