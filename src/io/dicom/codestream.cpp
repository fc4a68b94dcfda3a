#include "io/dicom/codestream.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace upfirdn::dicom {
namespace {

unsigned byte_at(std::span<const std::byte> bytes, std::size_t i) { return std::to_integer<unsigned>(bytes[i]); }
unsigned word_at(std::span<const std::byte> bytes, std::size_t i) { return byte_at(bytes, i) << 8 | byte_at(bytes, i + 1); }
std::uint32_t long_at(std::span<const std::byte> bytes, std::size_t i) { return word_at(bytes, i) << 16 | word_at(bytes, i + 2); }

bool starts_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

/// Start of frame: any process, or JPEG-LS.
bool is_frame_marker(unsigned marker) {
  return (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) || marker == 0xf7;
}

}  // namespace

std::optional<Codestream> read_jpeg_header(std::span<const std::byte> bytes) {
  if (bytes.size() < 4 || word_at(bytes, 0) != 0xffd8) return std::nullopt;
  Codestream found;
  for (std::size_t at = 2; at + 4 <= bytes.size();) {
    if (byte_at(bytes, at) != 0xff) return std::nullopt;
    const unsigned marker = byte_at(bytes, at + 1);
    if (marker == 0xff) {
      ++at;
      continue;
    }
    const std::size_t length = word_at(bytes, at + 2);
    if (length < 2 || at + 2 + length > bytes.size()) return std::nullopt;
    const auto segment = bytes.subspan(at + 4, length - 2);
    if (marker == 0xe0 && starts_with(segment, "JFIF") && !found.is_ybr) found.is_ybr = true;
    if (marker == 0xee && starts_with(segment, "Adobe") && segment.size() >= 12) found.is_ybr = byte_at(segment, 11) == 1;
    if (is_frame_marker(marker)) {
      if (segment.size() < 6 || segment.size() < 6 + 3 * std::size_t(byte_at(segment, 5))) return std::nullopt;
      found.bits = int(byte_at(segment, 0));
      found.rows = word_at(segment, 1);
      found.columns = word_at(segment, 3);
      found.samples = int(byte_at(segment, 5));
      const bool named_rgb = found.samples == 3 && byte_at(segment, 6) == 'R' && byte_at(segment, 9) == 'G' && byte_at(segment, 12) == 'B';
      if (named_rgb || marker == 0xf7) found.is_ybr = named_rgb ? std::optional(false) : std::nullopt;
      return found;
    }
    at += 2 + length;
  }
  return std::nullopt;
}

std::optional<Codestream> read_jpeg2000_header(std::span<const std::byte> bytes) {
  const std::string_view start("\xff\x4f\xff\x51", 4);
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 4096));
  const std::size_t at = all.find(start);
  if (at == std::string_view::npos || (at != 0 && !all.starts_with(std::string_view("\0\0\0\x0cjP  ", 8)))) return std::nullopt;
  if (bytes.size() < at + 4 + 38 + 3) return std::nullopt;
  const auto size = bytes.subspan(at + 4);  // from Lsiz on
  const std::int64_t x1 = long_at(size, 4), y1 = long_at(size, 8), x0 = long_at(size, 12), y0 = long_at(size, 16);
  Codestream found;
  found.columns = x1 - x0;
  found.rows = y1 - y0;
  found.samples = int(word_at(size, 36));
  if (size.size() < 38 + 3 * std::size_t(found.samples)) return std::nullopt;
  found.bits = int(byte_at(size, 38) & 0x7fu) + 1;
  found.is_signed = (byte_at(size, 38) & 0x80u) != 0;
  for (int c = 0; c < found.samples; ++c) {
    const std::size_t component = 38 + 3 * std::size_t(c);
    if (byte_at(size, component) != byte_at(size, 38)) return std::nullopt;
    if (byte_at(size, component + 1) != 1 || byte_at(size, component + 2) != 1) return std::nullopt;  // subsampled
  }
  // COD is one of the next segments; its fifth byte says whether the decoder turns the components into RGB.
  for (std::size_t next = at + 4 + word_at(size, 0); next + 9 <= bytes.size() && byte_at(bytes, next) == 0xff;) {
    if (byte_at(bytes, next + 1) == 0x90) break;
    if (byte_at(bytes, next + 1) == 0x52) {
      if (byte_at(bytes, next + 8) == 1) found.is_ybr = false;
      break;
    }
    next += 2 + word_at(bytes, next + 2);
  }
  return found;
}

}  // namespace upfirdn::dicom
