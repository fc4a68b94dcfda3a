#include "io/dicom/palette.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/header_bytes.hpp"

namespace upfirdn::dicom {
namespace {

constexpr std::size_t most_entries = 65536;

/// Number of entries, first index and bits of an entry, as they are stored.
struct Descriptor {
  std::size_t entries = 0;
  std::int64_t first = 0;
  int bits = 0;
};

std::optional<Descriptor> read_descriptor(const DataSet& data, Tag tag, bool is_signed) {
  const Element* element = data.find(tag);
  if (element == nullptr || element->value.size() < 6) return std::nullopt;
  std::uint16_t words[3];
  std::memcpy(words, element->value.data(), sizeof words);
  Descriptor d{words[0] == 0 ? most_entries : words[0], words[1], words[2]};
  if (is_signed) d.first = std::int16_t(words[1]);
  return d;
}

std::vector<std::uint16_t> words_of(const Element& element) {
  std::vector<std::uint16_t> words(element.value.size() / 2);
  if (!words.empty()) std::memcpy(words.data(), element.value.data(), words.size() * 2);
  return words;
}

/// Entries of 8 bits: some writers give each a word, the others put two into one.
std::vector<std::uint16_t> bytes_of(const Element& element) {
  std::vector<std::uint16_t> entries(element.value.size());
  std::transform(element.value.begin(), element.value.end(), entries.begin(), [](std::byte b) { return std::uint16_t(b); });
  return entries;
}

/// Expands the segments of a segmented table (PS3.3 C.7.9.2): discrete, linear, and repetitions of earlier ones.
class Segments {
 public:
  /// `words` have `bits` (8 or 16) each.
  Segments(const std::vector<std::uint16_t>& words, int bits, std::size_t most) : words_(words), bits_(bits), most_(most) {}

  /// False if a segment is damaged.
  [[nodiscard]] bool expand() {
    for (std::size_t at = 0; at + 1 < words_.size() && out_.size() < most_;)
      if (!segment(at, true)) return false;
    return true;
  }
  std::vector<std::uint16_t> out_;

 private:
  bool segment(std::size_t& at, bool may_repeat) {
    if (at + 2 > words_.size()) return false;
    const std::uint16_t kind = words_[at++];
    const std::size_t length = words_[at++];
    if (length == 0) return false;  // so that repetitions end
    if (kind == 0) {
      if (length > words_.size() - at || out_.size() + length > most_) return false;
      out_.insert(out_.end(), words_.begin() + std::ptrdiff_t(at), words_.begin() + std::ptrdiff_t(at + length));
      at += length;
      return true;
    }
    if (kind == 1) {
      if (at >= words_.size() || out_.empty() || out_.size() + length > most_) return false;
      const double from = out_.back(), to = words_[at++];
      for (std::size_t i = 1; i <= length; ++i) out_.push_back(std::uint16_t(std::lround(from + (to - from) * double(i) / double(length))));
      return true;
    }
    const std::size_t place_words = std::size_t(32 / bits_);
    if (kind != 2 || !may_repeat || at + place_words > words_.size()) return false;
    std::size_t place = 0;
    for (std::size_t i = 0; i < place_words; ++i) place |= std::size_t(words_[at++]) << (std::size_t(bits_) * i);
    for (std::size_t i = 0; i < length; ++i)
      if (!segment(place, false)) return false;
    return true;
  }

  const std::vector<std::uint16_t>& words_;
  int bits_;
  std::size_t most_;
};

std::optional<std::vector<std::uint16_t>> read_entries(const DataSet& data, Tag tag, const Descriptor& d) {
  const Element* plain = data.find(tag);
  if (plain != nullptr) {
    std::vector<std::uint16_t> entries = d.bits <= 8 && plain->value.size() < 2 * d.entries ? bytes_of(*plain) : words_of(*plain);
    if (entries.size() < d.entries) return std::nullopt;
    entries.resize(d.entries);
    return entries;
  }
  const Element* segmented = data.find(tag + 0x20);
  if (segmented == nullptr) return std::nullopt;
  const std::vector<std::uint16_t> words = d.bits <= 8 ? bytes_of(*segmented) : words_of(*segmented);
  Segments segments(words, d.bits <= 8 ? 8 : 16, d.entries);
  if (!segments.expand() || segments.out_.size() < d.entries) return std::nullopt;
  return std::move(segments.out_);
}

/// Many tables of 16 bits hold 8-bit colours in the high byte, or in both. They are read as the 8-bit ones they are.
bool is_byte_wide(const std::vector<std::uint16_t>& entries, bool doubled) {
  return std::all_of(entries.begin(), entries.end(), [&](std::uint16_t v) { return (v & 0xffu) == (doubled ? unsigned(v >> 8) : 0u); });
}

}  // namespace

Palette read_palette(const DataSet& data, const ByteSource& source) {
  Palette palette;
  std::vector<std::uint16_t>* colours[] = {&palette.red, &palette.green, &palette.blue};
  for (Tag i = 0; i < 3; ++i) {
    const auto d = read_descriptor(data, 0x00281101 + i, data.integer(tag::sign).value_or(0) == 1);
    auto entries = d ? read_entries(data, 0x00281201 + i, *d) : std::nullopt;
    if (!entries || entries->empty() || (d->bits != 8 && d->bits != 16)) throw damaged(source, "its palette is missing or incomplete");
    palette.first = d->first;
    palette.maxval = d->bits == 8 ? 255 : 65535;
    *colours[i] = std::move(*entries);
  }
  if (palette.maxval == 255) return palette;
  for (const bool doubled : {false, true}) {
    if (!std::all_of(std::begin(colours), std::end(colours), [&](const auto* c) { return is_byte_wide(*c, doubled); })) continue;
    for (auto* colour : colours)
      for (std::uint16_t& v : *colour) v = std::uint16_t(v >> 8);
    palette.maxval = 255;
    break;
  }
  return palette;
}

std::optional<LookupTable> read_table(const DataSet& item, bool is_signed) {
  const auto d = read_descriptor(item, 0x00283002, is_signed);
  if (!d || d->bits < 1 || d->bits > 16) return std::nullopt;
  auto entries = read_entries(item, 0x00283006, *d);
  if (!entries) return std::nullopt;
  return LookupTable{double(d->first), std::move(*entries), double((1u << d->bits) - 1)};
}

}  // namespace upfirdn::dicom
