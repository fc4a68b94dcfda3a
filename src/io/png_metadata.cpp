#include "io/png_metadata.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "io/deflate.hpp"
#include "io/exif.hpp"
#include "io/inflate.hpp"
#include "core/utf8.hpp"
#include "io/xmp.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t largest_chunk = std::size_t(1) << 24;  ///< of metadata, stored or inflated
constexpr std::string_view xmp_keyword = "XML:com.adobe.xmp", raw_profile = "Raw profile type ";

std::string_view text_of(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}
void append(Bytes& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(std::byte(number >> shift));
}
void append(Bytes& bytes, std::string_view text) {
  for (char c : text) bytes.push_back(std::byte(c));
}

/// Inflates zlib data; empty if it is damaged or longer than `most` bytes.
Bytes inflated(std::span<const std::byte> packed, std::size_t most) {
  Inflater inflater(Inflater::Wrapping::zlib);
  inflater.give(packed);
  Bytes bytes;
  std::size_t got = 1;
  while (inflater.state() == Inflater::State::going && got > 0 && bytes.size() < most) {
    const std::size_t had = bytes.size();
    bytes.resize(std::min(most, std::max<std::size_t>(4096, 2 * had)));
    got = inflater.take(std::span(bytes).subspan(had));
    bytes.resize(had + got);
  }
  return inflater.state() == Inflater::State::ended ? bytes : Bytes{};
}

Bytes deflated(std::span<const std::byte> plain) {
  Bytes packed;
  const auto deflater = make_deflater(9, plain.size(), [&](std::span<const std::byte> part) { packed.insert(packed.end(), part.begin(), part.end()); });
  deflater->write(plain);
  deflater->finish();
  return packed;
}

/// What ImageMagick keeps of other formats in texts: a name, a length and hexadecimal digits.
Bytes raw_profile_bytes(std::string_view text) {
  const auto skip = [&](std::string_view what) { text.remove_prefix(std::min(text.size(), text.find_first_not_of(what))); };
  skip("\n");
  text.remove_prefix(std::min(text.size(), text.find('\n')));
  skip(" \n");
  text.remove_prefix(std::min(text.size(), text.find('\n')));
  Bytes bytes;
  std::string digits;
  for (char c : text) {
    if (c == '\n') continue;
    digits += c;
    if (digits.size() < 2) continue;
    unsigned value = 0;
    if (std::from_chars(digits.data(), digits.data() + 2, value, 16).ptr != digits.data() + 2) return {};
    bytes.push_back(std::byte(value));
    digits.clear();
  }
  return bytes;
}

/// Fills the metadata chunk by chunk.
class ChunkReader {
 public:
  explicit ChunkReader(PictureMetadata& told) : told_(told) {}

  void take(std::string_view type, std::span<const std::byte> data) {
    if (type == "iCCP") take_profile(data);
    else if (type == "sRGB" && data.size() == 1) told_.srgb_intent = std::to_integer<std::uint8_t>(data[0]);
    else if (type == "gAMA" && data.size() == 4) told_.gamma = number_at(data, 0);
    else if (type == "cHRM" && data.size() == 32) take_chromaticities(data);
    else if (type == "pHYs" && data.size() == 9) take_resolution(data);
    else if (type == "eXIf") told_.exif.assign(data.begin(), data.end());
    else if (type == "tEXt") take_text(data);
    else if (type == "zTXt") take_compressed_text(data);
    else if (type == "iTXt") take_international_text(data);
    else if (type == "acTL") told_.left_out.emplace_back("the other frames of an animated PNG are left out");
  }

 private:
  /// The keyword at the beginning of `data`, which keeps what follows its NUL.
  static std::string take_keyword(std::span<const std::byte>& data) {
    const std::string_view all = text_of(data);
    const std::size_t end = std::min(all.size(), all.find('\0'));
    const std::string keyword = utf8_of_latin1(all.substr(0, end));
    data = data.subspan(std::min(all.size(), end + 1));
    return keyword;
  }

  /// What `data` holds compressed; nothing beyond a limit for all chunks together.
  Bytes unpack(std::span<const std::byte> data) {
    Bytes bytes = inflated(data, most_unpacked_);
    most_unpacked_ -= bytes.size();
    if (bytes.empty()) told_.left_out.emplace_back("a compressed text or profile that is damaged or too long is left out");
    return bytes;
  }

  void take_profile(std::span<const std::byte> data) {
    (void)take_keyword(data);
    if (!data.empty()) told_.profile = unpack(data.subspan(1));
  }
  void take_chromaticities(std::span<const std::byte> data) {
    Chromaticities values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 10 * std::int64_t(number_at(data, 4 * i));
    told_.chromaticities = values;
  }
  void take_resolution(std::span<const std::byte> data) {
    const std::int64_t x = number_at(data, 0), y = number_at(data, 4);
    if (x == 0 || y == 0) return;
    told_.resolution = Resolution{{x, 1}, {y, 1}, data[8] == std::byte{1} ? Resolution::Unit::metre : Resolution::Unit::none};
  }
  void take_text(std::span<const std::byte> data) {
    const std::string keyword = take_keyword(data);
    add(keyword, utf8_of_latin1(text_of(data)));
  }
  void take_compressed_text(std::span<const std::byte> data) {
    const std::string keyword = take_keyword(data);
    if (!data.empty()) add(keyword, utf8_of_latin1(text_of(unpack(data.subspan(1)))));
  }
  /// Its language and the keyword in that language are passed over.
  void take_international_text(std::span<const std::byte> data) {
    const std::string keyword = take_keyword(data);
    if (data.size() < 2) return;
    const bool compressed = data[0] == std::byte{1};
    data = data.subspan(2);
    (void)take_keyword(data);
    (void)take_keyword(data);
    add(keyword, std::string(compressed ? text_of(unpack(data)) : text_of(data)));
  }

  void add(const std::string& keyword, std::string text) {
    if (keyword == xmp_keyword) told_.xmp = std::move(text);
    else if (keyword.starts_with(raw_profile)) take_raw_profile(keyword.substr(raw_profile.size()), text);
    else if (!text.empty()) told_.texts.push_back({keyword, std::move(text)});
  }
  void take_raw_profile(const std::string& kind, const std::string& text) {
    const Bytes bytes = raw_profile_bytes(text);
    const std::string_view content = text_of(bytes);
    if (content.starts_with(exif_mark)) told_.exif.assign(bytes.begin() + exif_mark.size(), bytes.end());
    else if (content.starts_with(xmp_mark)) told_.xmp = content.substr(xmp_mark.size());
    else if (kind == "xmp") told_.xmp = content;
    else if (kind == "icc" || kind == "icm") told_.profile = bytes;
    else told_.left_out.emplace_back("IPTC and Photoshop resources are left out");
  }

  PictureMetadata& told_;
  std::size_t most_unpacked_ = largest_chunk;
};

Bytes text_chunk(const std::string& keyword, const std::string& text, bool latin) {
  Bytes chunk;
  append(chunk, latin1_of_utf8(keyword).value_or("Comment"));
  append(chunk, latin ? std::string_view("\0", 1) : std::string_view("\0\0\0\0\0", 5));  // not compressed, no language
  append(chunk, latin ? *latin1_of_utf8(text) : text);
  return chunk;
}

}  // namespace

std::shared_ptr<const PictureMetadata> read_png_metadata(const ByteSource& source) {
  auto told = std::make_shared<PictureMetadata>();
  ChunkReader reader(*told);
  std::array<std::byte, 8> head;
  Bytes data;
  std::size_t most_stored = largest_chunk;
  for (std::uint64_t at = 8; source.read_at(at, head) == head.size();) {
    const std::size_t length = number_at(head, 0);
    const std::string_view type(reinterpret_cast<const char*>(head.data()) + 4, 4);
    if (type == "IEND" || length > 0x7fffffff) break;
    const bool ancillary = (type[0] & 0x20) != 0;
    if (ancillary && length <= most_stored) {
      data.resize(length);
      if (source.read_at(at + 8, data) < length) break;
      most_stored -= length;
      reader.take(type, data);
    }
    at += 12 + length;
  }
  told->orientation = told->exif.empty() ? 1 : exif_orientation(told->exif);
  return told;
}

void write_png_metadata(const PictureMetadata& told, const std::function<void(const char*, std::span<const std::byte>)>& chunk) {
  Bytes data;
  const auto put = [&](const char* type) {
    chunk(type, data);
    data.clear();
  };
  if (told.chromaticities) {
    for (std::int64_t millionths : *told.chromaticities) append(data, std::uint32_t((millionths + 5) / 10));
    put("cHRM");
  }
  if (told.gamma) append(data, *told.gamma), put("gAMA");
  if (!told.profile.empty()) {
    append(data, std::string_view("ICC profile\0\0", 13));
    const Bytes packed = deflated(told.profile);
    data.insert(data.end(), packed.begin(), packed.end());
    put("iCCP");
  } else if (told.srgb_intent) {
    data.push_back(std::byte(*told.srgb_intent));
    put("sRGB");
  }
  if (told.resolution) {
    const bool metres = told.resolution->unit != Resolution::Unit::none;
    const Resolution stored = told.resolution->in(metres ? Resolution::Unit::metre : Resolution::Unit::none);
    append(data, std::uint32_t(std::clamp(std::round(to_double(stored.x)), 1.0, 2147483647.0)));
    append(data, std::uint32_t(std::clamp(std::round(to_double(stored.y)), 1.0, 2147483647.0)));
    data.push_back(std::byte(metres ? 1 : 0));
    put("pHYs");
  }
  if (!told.exif.empty()) chunk("eXIf", told.exif);
  if (!told.xmp.empty()) chunk("iTXt", text_chunk(std::string(xmp_keyword), told.xmp, false));
  for (const Text& text : told.texts) {
    const bool latin = latin1_of_utf8(text.text).has_value();
    chunk(latin ? "tEXt" : "iTXt", text_chunk(text.keyword, text.text, latin));
  }
}

}  // namespace upfirdn
