#include "io/dicom/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace upfirdn::dicom {
namespace {

__extension__ using Number = unsigned __int128;

constexpr std::string_view secondary_capture = "1.2.840.10008.5.1.4.1.1.7";

DataSet code(std::string_view value, std::string_view meaning) {
  DataSet item;
  item.set_text(0x00080100, vr("SH"), value);
  item.set_text(0x00080102, vr("SH"), "DCM");
  item.set_text(0x00080104, vr("LO"), meaning);
  return item;
}

/// UID of the source; of a data set without one, made from its elements.
std::string source_uid(const DataSet& data) {
  std::string uid = data.text(tag::instance_uid);
  if (!uid.empty()) return uid;
  std::vector<std::byte> bytes;
  append_elements(bytes, data);
  return hashed_uid({std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
}

DataSet source_reference(const DataSet& data, const Origin& origin) {
  DataSet item;
  const std::string own_class = data.text(tag::class_uid), known_class = own_class.empty() ? std::string(secondary_capture) : own_class;
  item.set_text(0x00081150, vr("UI"), known_class);
  item.set_text(0x00081155, vr("UI"), source_uid(data));
  const bool has_frames = data.integer(tag::frames).value_or(1) > 1 && known_class != secondary_capture;  // a class of single frames
  if (origin.page && has_frames) item.set_text(0x00081160, vr("IS"), std::to_string(*origin.page));
  item.set_items(0x0040a170, {code("121322", "Source image for image processing operation")});
  return item;
}

/// The first value of ImageType, or of FrameType.
void mark_derived(DataSet& data, Tag type) {
  std::vector<std::string> values = split_values(data.text(type));
  if (values.empty()) values = {"", "PRIMARY"};
  values[0] = "DERIVED";
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : "\\") + value;
  data.set_text(type, vr("CS"), text);
}

void mark_frames_derived(DataSet& data, Tag sequence) {
  Element* groups = data.find(sequence);
  if (groups == nullptr) return;
  for (DataSet& group : groups->items)
    for (Element& element : group.elements)
      for (DataSet& item : element.items)
        if (item.has(tag::frame_type)) mark_derived(item, tag::frame_type);
}

void set_identity(DataSet& data, const DataSet& source, const Origin& origin, const ImageInfo& output, const std::string& transfer_syntax) {
  constexpr std::size_t most_text = 1024;
  const std::string page = origin.page ? std::to_string(*origin.page) : "all";
  const std::string series = source.text(tag::series_uid).empty() ? source_uid(source) : source.text(tag::series_uid);
  const std::string size = fmt::format("{}x{}", output.width, output.height);
  if (data.text(tag::class_uid).empty()) data.set_text(tag::class_uid, vr("UI"), secondary_capture);
  data.set_text(tag::instance_uid, vr("UI"), hashed_uid({"image", source_uid(source), origin.request, size, page, transfer_syntax}));
  data.set_text(tag::series_uid, vr("UI"), hashed_uid({"series", series, origin.request}));
  mark_derived(data, tag::image_type);
  for (const Tag groups : {tag::shared_groups, tag::frame_groups}) mark_frames_derived(data, groups);

  std::string text = source.text(0x00082111);
  if (!text.empty()) text += "; ";
  text += fmt::format("resampled from {}x{} to {}: {}", origin.input.width, origin.input.height, size, origin.request);
  data.set_text(0x00082111, vr("ST"), std::string_view(text).substr(0, most_text));
  const Element* codes = source.find(0x00089215);
  std::vector<DataSet> derivations = codes != nullptr ? codes->items : std::vector<DataSet>();
  derivations.push_back(code("113085", "Spatial resampling"));
  data.set_items(0x00089215, std::move(derivations));
  data.set_items(0x00082112, {source_reference(source, origin)});
}

void set_pixels(DataSet& data, const PixelLayout& layout, const ImageInfo& output, std::int64_t images, std::string_view transfer_syntax) {
  const bool is_signed = is_signed_integer(output.type), colour = output.channels == 3;
  const int bits = int(std::bit_width(output.maxval)) + (is_signed ? 1 : 0);
  const int allocated = layout.allocated == 1 && output.maxval == 1 ? 1 : 8 * int(size_bytes(output.type));
  data.set_numbers(tag::rows, vr("US"), {double(output.height)});
  data.set_numbers(tag::columns, vr("US"), {double(output.width)});
  data.set_numbers(tag::samples, vr("US"), {double(output.channels)});
  data.set_numbers(tag::allocated, vr("US"), {double(allocated)});
  data.set_numbers(tag::stored, vr("US"), {double(bits)});
  data.set_numbers(tag::high_bit, vr("US"), {double(bits - 1)});
  data.set_numbers(tag::sign, vr("US"), {is_signed ? 1.0 : 0.0});
  if (data.has(tag::frames) || images > 1) data.set_numbers(tag::frames, vr("IS"), {double(images)});
  const bool white_is_low = layout.photometric == Photometric::monochrome1;
  const bool reversible = transfer_syntax == uid::jpeg2000;  // its encoder makes luma and chroma of colours
  data.set_text(tag::photometric, vr("CS"), colour ? reversible ? "YBR_RCT" : "RGB" : white_is_low ? "MONOCHROME1" : "MONOCHROME2");
  if (colour) data.set_numbers(tag::planar, vr("US"), {0});
  else data.erase(tag::planar);
  for (const Tag found : {tag::smallest, tag::largest}) {
    if (allocated > 16) data.erase(found);  // it holds 16 bits
    if (data.has(found)) data.set_numbers(found, is_signed ? vr("SS") : vr("US"), {0});
  }
}

/// Removes elements for which `goes` is true; true if there were any.
template <class Goes>
bool remove(DataSet& data, Goes&& goes) {
  return std::erase_if(data.elements, [&](const Element& element) { return goes(element.tag); }) > 0;
}

bool is_one_of(Tag tag, std::initializer_list<Tag> list) { return std::find(list.begin(), list.end(), tag) != list.end(); }

/// That pixels were compressed with losses is told by the old transfer syntax at least; the new one does not tell.
void keep_losses(DataSet& data, std::string_view source_syntax) {
  const bool lossy = source_syntax == uid::jpeg_baseline || source_syntax == uid::jpeg_extended || source_syntax == uid::jpeg_ls_near;
  if (lossy && data.text(0x00282110).empty()) data.set_text(0x00282110, vr("CS"), "01");
}

/// What does not hold for the new pixels.
void leave_out(DataSet& data, const PixelLayout& layout, std::vector<std::string>& notes) {
  const auto group_is = [](Tag tag, unsigned group) { return (group_of(tag) & 0xff00u) == group && group_of(tag) % 2 == 0; };
  if (remove(data, [&](Tag tag) { return group_is(tag, 0x6000); })) notes.emplace_back("overlays are left out");
  if (remove(data, [&](Tag tag) { return group_is(tag, 0x5000); })) notes.emplace_back("curves are left out");
  if (data.erase(0x00880200)) notes.emplace_back("the icon is left out");
  if (remove(data, [](Tag tag) { return is_one_of(tag, {0x4ffe0001, 0xfffafffa}); }))
    notes.emplace_back("digital signatures are left out; they hold for the source only");
  if (remove(data, [](Tag tag) { return is_one_of(tag, {0x00280108, 0x00280109, 0x00280110, 0x00280111}); }))
    notes.emplace_back("ranges of the pixel values of the series are left out");
  if (remove(data, [](Tag tag) { return is_one_of(tag, {0x00700001, 0x0070005a}); }))
    notes.emplace_back("drawings and displayed areas are left out");
  // The table of offsets, the time of creation, padding of the file.
  remove(data, [](Tag tag) { return is_one_of(tag, {0x7fe00001, 0x7fe00002, 0x7fe00003, 0x00080012, 0x00080013, 0xfffcfffc}); });
  if (layout.palette) {
    remove(data, [](Tag tag) { return (tag >= 0x00281100 && tag <= 0x0028122f) || tag == tag::padding || tag == tag::padding_limit; });
    notes.emplace_back("palette colours became RGB");
  }
}

/// Of an element with a value for each of `frames`, the one of `page`, which counts from 0.
void keep_value(DataSet& data, Tag tag, std::size_t frames, std::size_t page) {
  Element* element = data.find(tag);
  if (element == nullptr) return;
  const auto unit = std::size_t(unit_bytes(element->vr));
  if (unit == 1) {
    const std::vector<std::string> values = split_values(data.text(tag));
    if (values.size() == frames) data.set_text(tag, element->vr, values[page]);
  } else if (element->value.size() == unit * frames) {
    const auto begin = element->value.begin() + std::ptrdiff_t(unit * page);
    element->value = std::vector<std::byte>(begin, begin + std::ptrdiff_t(unit));
  }
}

/// Of what is told frame by frame, that of the only one; numbers of frames go.
void keep_page(DataSet& data, std::size_t frames, std::size_t page) {
  if (Element* groups = data.find(tag::frame_groups); groups != nullptr && page < groups->items.size())
    groups->items = {groups->items[page]};
  // FrameTimeVector, vectors of pages, labels, angles and locations, GridFrameOffsetVector, and what the pointer names.
  std::vector<Tag> vectors = {0x00181065, 0x00182001, 0x00182002, 0x00182003, 0x00182004, 0x00182005, 0x00182006, 0x3004000c};
  if (const Element* pointer = data.find(0x00280009))
    for (std::size_t at = 0; at + 4 <= pointer->value.size(); at += 4) {
      std::uint16_t words[2];
      std::memcpy(words, pointer->value.data() + at, sizeof words);
      vectors.push_back(Tag(words[0]) << 16 | words[1]);
    }
  for (const Tag tag : vectors) keep_value(data, tag, frames, page);
  // StartTrim, StopTrim, RepresentativeFrameNumber, frames of interest, MaskSubtractionSequence.
  remove(data, [](Tag tag) { return is_one_of(tag, {0x00082142, 0x00082143, 0x00286010, 0x00286020, 0x00286022, 0x00286023, 0x00286100}); });
}

DataSet make_meta(const DataSet& data, const std::string& transfer_syntax) {
  DataSet meta;
  meta.set({0x00020001, vr("OB"), {std::byte(0), std::byte(1)}});
  meta.set_text(0x00020002, vr("UI"), data.text(tag::class_uid));
  meta.set_text(0x00020003, vr("UI"), data.text(tag::instance_uid));
  meta.set_text(tag::transfer_syntax, vr("UI"), transfer_syntax);
  meta.set_text(0x00020012, vr("UI"), hashed_uid({"implementation", "upfirdn"}));
  meta.set_text(0x00020013, vr("SH"), "UPFIRDN");
  return meta;
}

}  // namespace

std::string hashed_uid(const std::vector<std::string>& texts) {
  // FNV-1a of 128 bits, marked as a UUID of version 8 (one's own making).
  Number hash = Number(0x6c62272e07bb0142u) << 64 | 0x62b821756295c58du;
  const Number prime = Number(1) << 88 | 0x13bu;
  for (const std::string& text : texts)
    for (const char c : text + '\n') hash = (hash ^ std::uint8_t(c)) * prime;
  hash = (hash & ~(Number(0xf000) << 64)) | Number(0x8000) << 64;
  hash = (hash & ~(Number(3) << 62)) | Number(2) << 62;
  std::string digits;
  for (; hash != 0; hash /= 10) digits.insert(digits.begin(), char('0' + int(hash % 10)));
  return "2.25." + digits;
}

Derived derive(const DicomMetadata& source, const Origin& origin, const ImageInfo& output, std::int64_t images,
               const std::string& transfer_syntax) {
  Derived derived{.data = source.file->data};
  DataSet& data = derived.data;
  leave_out(data, source.layout, derived.notes);
  if (origin.page && source.layout.frames > 1) keep_page(data, std::size_t(source.layout.frames), std::size_t(*origin.page - 1));
  set_identity(data, source.file->data, origin, output, transfer_syntax);
  set_pixels(data, source.layout, output, images, transfer_syntax);
  keep_losses(data, source.file->transfer_syntax);
  for (std::string& note : move_geometry(data, origin)) derived.notes.push_back(std::move(note));
  derived.meta = make_meta(data, transfer_syntax);
  return derived;
}

}  // namespace upfirdn::dicom
