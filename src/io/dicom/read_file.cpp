#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "io/byte_files.hpp"
#include "io/dicom/dicom_file.hpp"
#include "io/header_bytes.hpp"
#include "io/inflate.hpp"

namespace upfirdn::dicom {
namespace {

constexpr std::uint32_t undefined = 0xffffffffu;
constexpr int deepest = 64;  // sequences within sequences
constexpr std::uint64_t most_inflated = std::uint64_t(1) << 28;

bool is_letter(int c) { return c >= 'A' && c <= 'Z'; }

bool is_pixel_tag(Tag tag) { return tag == tag::pixels || tag == tag::float_pixels || tag == tag::double_pixels; }

struct Encoding {
  bool has_vr = true, big_endian = false;
};

/// Reverses the units of a value in place.
void swap_units(std::vector<std::byte>& value, int unit) {
  if (unit < 2) return;
  for (std::size_t i = 0; i + std::size_t(unit) <= value.size(); i += std::size_t(unit))
    std::reverse(value.begin() + std::ptrdiff_t(i), value.begin() + std::ptrdiff_t(i) + unit);
}

/// Sorts elements that are not in ascending order; of several with one tag the last stays.
void put_in_order(std::vector<Element>& elements) {
  const auto before = [](const Element& a, const Element& b) { return a.tag < b.tag; };
  if (std::adjacent_find(elements.begin(), elements.end(), [&](const Element& a, const Element& b) { return !before(a, b); }) == elements.end())
    return;
  std::reverse(elements.begin(), elements.end());
  std::stable_sort(elements.begin(), elements.end(), before);
  elements.erase(std::unique(elements.begin(), elements.end(), [](const Element& a, const Element& b) { return a.tag == b.tag; }), elements.end());
}

/// Reads elements in order from a source.
class Parser {
 public:
  Parser(const ByteSource& source, std::uint64_t start) : source_(source), reader_(source) { reader_.seek(start); }

  /// Elements up to `end` or to the end of an item. `pixels`: takes the place of pixel data; null in items.
  DataSet elements(std::uint64_t end, Encoding encoding, int depth, PixelPlace* pixels);
  /// Elements of group 2, wherever they end.
  DataSet meta();
  [[nodiscard]] std::uint64_t position() const { return reader_.position(); }
  /// The encoding of the data set that begins here: what its first element shows counts more than what was announced.
  [[nodiscard]] Encoding sniff(Encoding announced) const;

 private:
  struct Header {
    Tag tag;
    Vr vr;
    std::uint32_t size;
  };

  [[nodiscard]] std::uint64_t number(int bytes, bool big_endian);
  [[nodiscard]] Tag tag(bool big_endian);
  [[nodiscard]] Header header(const Encoding& encoding);
  [[nodiscard]] std::vector<std::byte> bytes(std::uint64_t size);
  [[nodiscard]] Element element(const Header& header, std::uint64_t end, const Encoding& encoding, int depth);
  [[nodiscard]] std::vector<DataSet> items(std::uint32_t size, std::uint64_t end, const Encoding& encoding, int depth);
  void place_pixels(PixelPlace& pixels, const Header& header, bool big_endian);
  template <class Take>
  void fragments(bool big_endian, Take&& take);
  [[nodiscard]] std::uint64_t end_of(std::uint64_t size, std::uint64_t end) const;

  const ByteSource& source_;
  ForwardReader reader_;
};

std::uint64_t Parser::number(int count, bool big_endian) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) {
    const int byte = reader_.get();
    if (byte < 0) throw cut_short(source_);
    value = big_endian ? value << 8 | std::uint64_t(byte) : value | std::uint64_t(byte) << (8 * i);
  }
  return value;
}

Tag Parser::tag(bool big_endian) {
  const auto group = Tag(number(2, big_endian));
  return group << 16 | Tag(number(2, big_endian));
}

Parser::Header Parser::header(const Encoding& encoding) {
  const Tag t = tag(encoding.big_endian);
  if (group_of(t) == 0xfffe) return {t, vr("UN"), std::uint32_t(number(4, encoding.big_endian))};
  if (!encoding.has_vr) return {t, dictionary_vr(t), std::uint32_t(number(4, encoding.big_endian))};
  const Vr v{char(number(1, false)), char(number(1, false))};
  if (!is_letter(v.first) || !is_letter(v.second)) {  // some writers fall back to implicit elements
    const std::uint64_t rest = number(2, encoding.big_endian);
    const auto low = std::uint32_t(std::uint8_t(v.first)), high = std::uint32_t(std::uint8_t(v.second));
    if (low == 0 && high == 0) return {t, vr("UN"), std::uint32_t(number(4, encoding.big_endian))};
    return {t, dictionary_vr(t), std::uint32_t(encoding.big_endian ? (low << 8 | high) << 16 | rest : low | high << 8 | rest << 16)};
  }
  if (!has_long_length(v)) return {t, v, std::uint32_t(number(2, encoding.big_endian))};
  (void)number(2, false);
  return {t, v, std::uint32_t(number(4, encoding.big_endian))};
}

std::uint64_t Parser::end_of(std::uint64_t size, std::uint64_t end) const {
  if (size > end - std::min(end, position())) throw cut_short(source_);
  return position() + size;
}

std::vector<std::byte> Parser::bytes(std::uint64_t size) {
  (void)end_of(size, source_.size());
  std::vector<std::byte> value(size);
  if (reader_.read(value) < size) throw cut_short(source_);
  return value;
}

/// Calls `take(offset, size)` for the items of compressed pixel data; leaves the reader behind their end.
template <class Take>
void Parser::fragments(bool big_endian, Take&& take) {
  for (;;) {
    const Tag t = tag(big_endian);
    const auto size = std::uint32_t(number(4, big_endian));
    if (t == tag::sequence_end) return;
    if (t != tag::item) throw damaged(source_, "the compressed pixel data is not made of items");
    const std::uint64_t start = position();
    const std::uint64_t behind = end_of(size, source_.size());
    take(Extent{start, size});
    reader_.seek(behind);
  }
}

void Parser::place_pixels(PixelPlace& pixels, const Header& header, bool big_endian) {
  pixels = {.tag = header.tag, .vr = header.vr, .encapsulated = header.size == undefined};
  if (!pixels.encapsulated) {
    // A file that ends within its pixels is refused when their layout is known.
    pixels.whole = {position(), std::min<std::uint64_t>(header.size, source_.size() - position())};
    reader_.seek(position() + pixels.whole.size);
    return;
  }
  bool first = true;
  fragments(big_endian, [&](Extent extent) {
    if (!first) return pixels.fragments.push_back(extent);
    first = false;
    std::vector<std::byte> table = bytes(extent.size - extent.size % 4);
    pixels.offset_table.resize(table.size() / 4);
    if (!table.empty()) std::memcpy(pixels.offset_table.data(), table.data(), table.size());
  });
}

std::vector<DataSet> Parser::items(std::uint32_t size, std::uint64_t end, const Encoding& encoding, int depth) {
  if (depth >= deepest) throw damaged(source_, "sequences are nested too deeply");
  const std::uint64_t behind = size == undefined ? end : end_of(size, end);
  std::vector<DataSet> all;
  while (size == undefined || position() < behind) {
    const Tag t = tag(encoding.big_endian);
    const auto item_size = std::uint32_t(number(4, encoding.big_endian));
    if (t == tag::sequence_end) break;
    if (t != tag::item) throw damaged(source_, "a sequence holds something else than items");
    const std::uint64_t item_end = item_size == undefined ? behind : end_of(item_size, behind);
    all.push_back(elements(item_end, encoding, depth + 1, nullptr));
  }
  return all;
}

Element Parser::element(const Header& header, std::uint64_t end, const Encoding& encoding, int depth) {
  const bool is_undefined = header.size == undefined;
  if (is_undefined && (header.vr == vr("OB") || header.vr == vr("OW") || header.tag == tag::pixels)) {
    const std::uint64_t start = position();
    fragments(encoding.big_endian, [](Extent) {});
    const std::uint64_t behind = position();
    reader_.seek(start);
    Element kept{header.tag, vr("OB"), bytes(behind - start - 8), {}, true};
    reader_.seek(behind);
    return kept;
  }
  if (header.vr == vr("SQ")) return {header.tag, header.vr, {}, items(header.size, end, encoding, depth)};
  if (is_undefined)  // of unknown kind: a sequence, in an explicit data set one of implicit elements
    return {header.tag, vr("SQ"), {}, items(header.size, end, encoding.has_vr ? Encoding{false, false} : encoding, depth)};
  (void)end_of(header.size, end);
  Element plain{header.tag, header.vr, bytes(header.size)};
  if (plain.value.size() % 2 != 0) plain.value.push_back(std::byte(unit_bytes(plain.vr) == 1 && plain.vr != vr("OB") ? ' ' : 0));
  if (encoding.big_endian) swap_units(plain.value, unit_bytes(plain.vr));
  return plain;
}

DataSet Parser::elements(std::uint64_t end, Encoding encoding, int depth, PixelPlace* pixels) {
  DataSet data;
  while (position() < end) {
    // What trails the pixels without being elements is not part of the data set.
    if (pixels != nullptr && pixels->tag != 0 && end - position() < 8) break;
    const Header h = header(encoding);
    if (h.tag == tag::item_end) break;
    if (pixels != nullptr && is_pixel_tag(h.tag)) {
      place_pixels(*pixels, h, encoding.big_endian);
      continue;
    }
    if (pixels != nullptr && pixels->tag != 0 && h.tag < pixels->tag) break;
    Element next = element(h, end, encoding, depth);
    if ((h.tag & 0xffffu) == 0) continue;  // lengths of groups change with what is in them
    data.elements.push_back(std::move(next));
  }
  put_in_order(data.elements);
  return data;
}

Encoding Parser::sniff(Encoding announced) const {
  std::array<std::byte, 8> head{};
  if (announced.big_endian || source_.read_at(position(), head) < head.size()) return announced;
  return {is_letter(int(head[4])) && is_letter(int(head[5])), false};
}

DataSet Parser::meta() {
  DataSet data;
  std::array<std::byte, 8> head{};
  while (source_.read_at(position(), head) == head.size() && head[0] == std::byte(2) && head[1] == std::byte(0)) {
    const Encoding encoding = sniff({});
    Element next = element(header(encoding), source_.size(), encoding, 0);
    if ((next.tag & 0xffffu) != 0) data.set(std::move(next));
  }
  return data;
}

/// Inflates `packed` and calls `take(bytes)` for what comes out, part by part.
template <class Take>
void inflate_parts(const ByteSource& source, const std::vector<std::byte>& packed, Take&& take) {
  Inflater inflater(Inflater::Wrapping::none);
  inflater.give(std::span(packed).first(std::min<std::size_t>(packed.size(), UINT32_MAX)));
  std::vector<std::byte> part(std::size_t(1) << 16);
  while (inflater.state() == Inflater::State::going) {
    const std::size_t got = inflater.take(part);
    if (inflater.state() == Inflater::State::damaged) throw damaged(source, "the deflated data set can't be inflated");
    if (inflater.state() == Inflater::State::going && got < part.size()) throw cut_short(source);
    take(std::span(part).first(got));
  }
}

/// The inflated rest of a file. It is measured first, so that a bomb takes no memory.
std::unique_ptr<ByteSource> inflated(const ByteSource& source, std::uint64_t start) {
  std::vector<std::byte> packed(source.size() - start), plain;
  packed.resize(source.read_at(start, packed));
  std::uint64_t size = 0;
  inflate_parts(source, packed, [&](std::span<const std::byte> part) {
    size += part.size();
    if (size > most_inflated) throw image_error(source.name(), "more than 256 MiB of deflated data; write it uncompressed");
  });
  plain.reserve(size);
  inflate_parts(source, packed, [&](std::span<const std::byte> part) { plain.insert(plain.end(), part.begin(), part.end()); });
  return std::make_unique<MemorySource>(std::move(plain), source.name());
}

/// US or SS of elements that are as the pixels are.
void settle_signs(DataSet& data, bool is_signed) {
  for (Element& element : data.elements) {
    if (element.vr == vr("xs")) element.vr = is_signed ? vr("SS") : vr("US");
    for (DataSet& item : element.items) {
      const auto own = item.integer(0x00280103);
      settle_signs(item, own ? *own == 1 : is_signed);
    }
  }
}

bool has_marker(std::span<const std::byte> head) { return head.size() >= 132 && std::memcmp(head.data() + 128, "DICM", 4) == 0; }

}  // namespace

bool looks_like_dicom(std::span<const std::byte> head) {
  // A DICOMDIR lists files and holds no image.
  const std::string_view folder_class = "1.2.840.10008.1.3.10", text(reinterpret_cast<const char*>(head.data()), head.size());
  if (has_marker(head)) return text.find(folder_class) == std::string_view::npos;
  if (head.size() < 8) return false;
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(head[i]); };
  const bool explicit_vr = is_letter(int(at(4))) && is_letter(int(at(5)));
  const unsigned group = at(0) | at(1) << 8, element = at(2) | at(3) << 8;
  if ((group == 2 || group == 8) && element <= 0x20) return explicit_vr || (at(6) == 0 && at(7) == 0 && at(4) < 128);
  return at(0) == 0 && at(1) == 8 && at(2) == 0 && at(3) <= 0x20 && explicit_vr;  // explicit big endian
}

DicomFile read_dicom(std::unique_ptr<ByteSource> source) {
  std::array<std::byte, 132> head{};
  const std::size_t size = source->read_at(0, head);
  DicomFile file{.source = std::move(source)};
  Parser meta(*file.source, has_marker(std::span(head).first(size)) ? 132 : 0);
  file.meta = meta.meta();
  std::uint64_t start = meta.position();
  file.transfer_syntax = file.meta.text(tag::transfer_syntax);
  if (file.transfer_syntax == uid::deflated) {
    file.source = inflated(*file.source, start);
    start = 0;
  }
  std::array<std::byte, 2> group{};
  (void)file.source->read_at(start, group);
  // A big-endian data set without a meta header shows by its first group, 8.
  file.big_endian = file.transfer_syntax.empty() ? group == std::array{std::byte(0), std::byte(8)} : file.transfer_syntax == uid::explicit_big;
  Parser data(*file.source, start);
  const Encoding encoding = data.sniff({file.transfer_syntax != uid::implicit_little, file.big_endian});
  file.data = data.elements(file.source->size(), encoding, 0, &file.pixels);
  if (file.transfer_syntax.empty())
    file.transfer_syntax = file.big_endian ? uid::explicit_big : encoding.has_vr ? uid::explicit_little : uid::implicit_little;
  if (file.transfer_syntax == uid::ge_big_pixels) file.big_endian = true;
  settle_signs(file.data, file.data.integer(0x00280103) == 1);
  return file;
}

}  // namespace upfirdn::dicom
