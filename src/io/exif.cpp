#include "io/exif.hpp"

#include <libexif/exif-data.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace upfirdn {
namespace {

struct Unref {
  void operator()(ExifData* data) const noexcept { exif_data_unref(data); }
  void operator()(ExifEntry* entry) const noexcept { exif_entry_unref(entry); }
};
using Data = std::unique_ptr<ExifData, Unref>;
using Entry = std::unique_ptr<ExifEntry, Unref>;

Data new_data() {
  Data data(exif_data_new());
  if (!data) throw std::bad_alloc();
  exif_data_unset_option(data.get(), EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS);
  exif_data_unset_option(data.get(), EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);
  return data;
}

/// Null if there is nothing that can be read.
Data parse(std::span<const std::byte> exif) {
  if (exif.size() < 8 || exif.size() > largest_exif) return nullptr;
  std::vector<unsigned char> marked(exif_mark.begin(), exif_mark.end());  // libexif wants it first
  for (std::byte byte : exif) marked.push_back(std::to_integer<unsigned char>(byte));
  Data data = new_data();
  exif_data_load_data(data.get(), marked.data(), unsigned(marked.size()));
  const bool holds = std::any_of(data->ifd, data->ifd + EXIF_IFD_COUNT, [](const ExifContent* ifd) { return ifd->count > 0; });
  return holds ? std::move(data) : nullptr;
}

Bytes serialise(ExifData& data) {
  unsigned char* bytes = nullptr;
  unsigned size = 0;
  exif_data_save_data(&data, &bytes, &size);
  const std::unique_ptr<unsigned char, decltype(&std::free)> owner(bytes, &std::free);
  if (bytes == nullptr || size <= exif_mark.size()) return {};
  const auto* begin = reinterpret_cast<const std::byte*>(bytes);
  return {begin + exif_mark.size(), begin + size};
}

/// A tag of a directory if its value has `components` numbers of `format`; null if not.
ExifEntry* find(ExifData& data, ExifIfd ifd, int tag, ExifFormat format) {
  ExifEntry* entry = exif_content_get_entry(data.ifd[ifd], ExifTag(tag));
  const bool fits = entry != nullptr && entry->format == format && entry->components == 1 && entry->size >= exif_format_get_size(format);
  return fits ? entry : nullptr;
}

/// The orientation in 16 bits, or in 32 as some programs store it; null if there is none.
ExifEntry* find_orientation(ExifData& data) {
  for (const ExifFormat format : {EXIF_FORMAT_SHORT, EXIF_FORMAT_SSHORT, EXIF_FORMAT_LONG, EXIF_FORMAT_SLONG})
    if (ExifEntry* entry = find(data, EXIF_IFD_0, EXIF_TAG_ORIENTATION, format)) return entry;
  return nullptr;
}

bool has_32_bits(const ExifEntry& entry) { return exif_format_get_size(entry.format) == 4; }

/// Sets a size of 16 or 32 bits that is there.
void set_size(ExifData& data, ExifIfd ifd, int tag, std::int64_t value) {
  const ExifByteOrder order = exif_data_get_byte_order(&data);
  if (ExifEntry* entry = find(data, ifd, tag, EXIF_FORMAT_LONG)) exif_set_long(entry->data, order, ExifLong(value));
  ExifEntry* entry = find(data, ifd, tag, EXIF_FORMAT_SHORT);
  if (entry == nullptr) return;
  if (value <= 0xffff) exif_set_short(entry->data, order, ExifShort(value));
  else exif_content_remove_entry(data.ifd[ifd], entry);
}

std::optional<Fraction> rational(ExifData& data, ExifIfd ifd, int tag) {
  const ExifEntry* entry = find(data, ifd, tag, EXIF_FORMAT_RATIONAL);
  if (entry == nullptr) return std::nullopt;
  const ExifRational value = exif_get_rational(entry->data, exif_data_get_byte_order(&data));
  if (value.numerator == 0 || value.denominator == 0) return std::nullopt;
  return make_fraction(value.numerator, value.denominator);
}

void scale(ExifData& data, ExifIfd ifd, int tag, const Fraction& factor) {
  const auto value = rational(data, ifd, tag);
  if (!value || factor == Fraction{1, 1}) return;
  const Fraction scaled = *value * factor;
  const Fraction fits = make_fraction(scaled.num, scaled.den, 31);
  exif_set_rational(find(data, ifd, tag, EXIF_FORMAT_RATIONAL)->data, exif_data_get_byte_order(&data),
                    {ExifLong(fits.num), ExifLong(fits.den)});
}

void exchange(ExifData& data, ExifIfd ifd, int first, int second) {
  ExifEntry* a = exif_content_get_entry(data.ifd[ifd], ExifTag(first));
  ExifEntry* b = exif_content_get_entry(data.ifd[ifd], ExifTag(second));
  if (a != nullptr) a->tag = ExifTag(second);
  if (b != nullptr) b->tag = ExifTag(first);
}

void drop_thumbnail(ExifData& data) {
  std::free(data.data);
  data.data = nullptr;
  data.size = 0;
  ExifContent* thumbnail = data.ifd[EXIF_IFD_1];
  while (thumbnail->count > 0) exif_content_remove_entry(thumbnail, thumbnail->entries[0]);
}

std::vector<TiffEntry> entries_of(ExifData& data, ExifIfd ifd) {
  std::vector<TiffEntry> entries;
  for (unsigned i = 0; i < data.ifd[ifd]->count; ++i) {
    const ExifEntry& entry = *data.ifd[ifd]->entries[i];
    if (entry.data == nullptr || entry.components == 0) continue;
    const auto* bytes = reinterpret_cast<const std::byte*>(entry.data);
    TiffEntry plain{std::uint16_t(entry.tag), std::uint16_t(entry.format), std::uint32_t(entry.components), {bytes, bytes + entry.size}};
    if (exif_data_get_byte_order(&data) == EXIF_BYTE_ORDER_MOTOROLA) swap_tiff_numbers(plain);
    entries.push_back(std::move(plain));
  }
  return entries;
}

void add_entries(ExifData& data, ExifIfd ifd, const std::vector<TiffEntry>& entries) {
  for (const TiffEntry& plain : entries) {
    if (plain.type < 1 || plain.type > 12 || plain.value.empty()) continue;
    const Entry entry(exif_entry_new());
    if (!entry) throw std::bad_alloc();
    entry->data = static_cast<unsigned char*>(std::malloc(plain.value.size()));
    if (entry->data == nullptr) throw std::bad_alloc();
    std::memcpy(entry->data, plain.value.data(), plain.value.size());
    entry->size = unsigned(plain.value.size());
    entry->tag = ExifTag(plain.tag);
    entry->format = ExifFormat(plain.type);
    entry->components = plain.count;
    exif_content_add_entry(data.ifd[ifd], entry.get());  // of several with one tag the directory takes the first
  }
}

}  // namespace

int exif_orientation(std::span<const std::byte> exif) {
  const Data data = parse(exif);
  const ExifEntry* entry = data ? find_orientation(*data) : nullptr;
  if (entry == nullptr) return 1;
  const ExifByteOrder order = exif_data_get_byte_order(data.get());
  const ExifLong value = has_32_bits(*entry) ? exif_get_long(entry->data, order) : exif_get_short(entry->data, order);
  return value >= 1 && value <= 8 ? int(value) : 1;
}

std::optional<Resolution> exif_resolution(std::span<const std::byte> exif) {
  const Data data = parse(exif);
  if (!data) return std::nullopt;
  const auto x = rational(*data, EXIF_IFD_0, EXIF_TAG_X_RESOLUTION), y = rational(*data, EXIF_IFD_0, EXIF_TAG_Y_RESOLUTION);
  if (!x || !y) return std::nullopt;
  const ExifEntry* unit = find(*data, EXIF_IFD_0, EXIF_TAG_RESOLUTION_UNIT, EXIF_FORMAT_SHORT);
  const int number = unit == nullptr ? 2 : exif_get_short(unit->data, exif_data_get_byte_order(data.get()));
  if (number != 2 && number != 3) return std::nullopt;
  return Resolution{*x, *y, number == 2 ? Resolution::Unit::inch : Resolution::Unit::centimetre};
}

Bytes upright_exif(std::span<const std::byte> exif, bool transposed) {
  const Data data = parse(exif);
  if (!data) return {};
  if (const ExifEntry* entry = find_orientation(*data)) {
    const ExifByteOrder order = exif_data_get_byte_order(data.get());
    if (has_32_bits(*entry)) exif_set_long(entry->data, order, 1);
    else exif_set_short(entry->data, order, 1);
  }
  if (transposed) {
    exchange(*data, EXIF_IFD_0, EXIF_TAG_IMAGE_WIDTH, EXIF_TAG_IMAGE_LENGTH);
    exchange(*data, EXIF_IFD_0, EXIF_TAG_X_RESOLUTION, EXIF_TAG_Y_RESOLUTION);
    exchange(*data, EXIF_IFD_EXIF, EXIF_TAG_PIXEL_X_DIMENSION, EXIF_TAG_PIXEL_Y_DIMENSION);
    exchange(*data, EXIF_IFD_EXIF, EXIF_TAG_FOCAL_PLANE_X_RESOLUTION, EXIF_TAG_FOCAL_PLANE_Y_RESOLUTION);
  }
  return serialise(*data);
}

Bytes resized_exif(std::span<const std::byte> exif, std::int64_t width, std::int64_t height, const Fraction& scale_x,
                   const Fraction& scale_y) {
  const Data data = parse(exif);
  if (!data) return {};
  drop_thumbnail(*data);
  set_size(*data, EXIF_IFD_0, EXIF_TAG_IMAGE_WIDTH, width);
  set_size(*data, EXIF_IFD_0, EXIF_TAG_IMAGE_LENGTH, height);
  set_size(*data, EXIF_IFD_EXIF, EXIF_TAG_PIXEL_X_DIMENSION, width);
  set_size(*data, EXIF_IFD_EXIF, EXIF_TAG_PIXEL_Y_DIMENSION, height);
  scale(*data, EXIF_IFD_0, EXIF_TAG_X_RESOLUTION, scale_x);
  scale(*data, EXIF_IFD_0, EXIF_TAG_Y_RESOLUTION, scale_y);
  scale(*data, EXIF_IFD_EXIF, EXIF_TAG_FOCAL_PLANE_X_RESOLUTION, scale_x);
  scale(*data, EXIF_IFD_EXIF, EXIF_TAG_FOCAL_PLANE_Y_RESOLUTION, scale_y);
  return serialise(*data);
}

ExifDirectories exif_directories(std::span<const std::byte> exif) {
  const Data data = parse(exif);
  if (!data) return {};
  return {entries_of(*data, EXIF_IFD_0), entries_of(*data, EXIF_IFD_EXIF), entries_of(*data, EXIF_IFD_GPS),
          entries_of(*data, EXIF_IFD_INTEROPERABILITY)};
}

Bytes exif_of(const ExifDirectories& directories) {
  const Data data = new_data();
  exif_data_set_byte_order(data.get(), EXIF_BYTE_ORDER_INTEL);
  add_entries(*data, EXIF_IFD_0, directories.image);
  add_entries(*data, EXIF_IFD_EXIF, directories.photo);
  add_entries(*data, EXIF_IFD_GPS, directories.gps);
  add_entries(*data, EXIF_IFD_INTEROPERABILITY, directories.interoperability);
  const Bytes bytes = serialise(*data);
  return bytes.size() > largest_exif ? Bytes{} : bytes;
}

}  // namespace upfirdn
