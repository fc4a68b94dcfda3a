#include "io/pnm_header.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/fraction.hpp"
#include "io/formats.hpp"

namespace upfirdn {
namespace {

constexpr std::uint32_t max_side = 0x7fffffff;
constexpr std::uint32_t max_depth = 65535;

/// The next byte of a header or an ASCII raster; a comment counts as the line end that closes it.
int get_skipping_comment(ForwardReader& reader) {
  int byte = reader.get();
  if (byte != '#') return byte;
  while (byte != '\n' && byte != '\r' && byte >= 0) byte = reader.get();
  return byte;
}

void set_samples(PnmHeader& header, std::uint32_t maxval) {
  header.info.maxval = maxval;
  header.info.type = maxval > 255 ? PixelType::u16 : PixelType::u8;
}

std::uint32_t checked_maxval(std::uint32_t maxval, const std::string& name) {
  if (maxval == 0) throw image_error(name, "maxval is 0, but must be 1 to 65535; the file is damaged");
  return maxval;
}

void check_side(std::uint32_t side, const char* what, const std::string& name) {
  if (side == 0) throw image_error(name, fmt::format("{} is 0; the file is damaged", what));
}

/// P1 to P6.
PnmHeader read_classic(ForwardReader& reader, char kind, const std::string& name) {
  PnmHeader header;
  int delimiter = 0;
  const std::uint32_t width = read_pnm_number(reader, max_side, "width", name, delimiter);
  const std::uint32_t height = read_pnm_number(reader, max_side, "height", name, delimiter);
  check_side(width, "width", name);
  check_side(height, "height", name);
  header.info.width = width;
  header.info.height = height;
  header.info.channels = kind == '3' || kind == '6' ? 3 : 1;
  if (kind != '1' && kind != '4') {
    set_samples(header, checked_maxval(read_pnm_number(reader, 65535, "maxval", name, delimiter), name));
  }
  if (!is_pnm_space(delimiter)) throw image_error(name, "the header does not end; the file is damaged");
  header.samples = kind == '1'   ? PnmSamples::ascii_bits
                   : kind == '4' ? PnmSamples::bits
                   : kind <= '3' ? PnmSamples::ascii
                                 : PnmSamples::bytes;
  header.data_offset = reader.position();
  return header;
}

/// One line of a PAM header without its line end; nullopt at the end of the file or after 4096 bytes.
std::optional<std::string> read_line(ForwardReader& reader) {
  std::string line;
  for (int byte = reader.get(); byte != '\n'; byte = reader.get()) {
    if (byte < 0 || line.size() > 4096) return std::nullopt;
    line += char(byte);
  }
  while (!line.empty() && is_pnm_space(static_cast<unsigned char>(line.back()))) line.pop_back();
  return line;
}

struct PamFields {
  std::uint32_t width = 0, height = 0, depth = 0, maxval = 0;
  std::string tuple_type;
};

std::uint32_t pam_number(const std::string& key, const std::string& text, std::uint32_t limit,
                         const std::string& name) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value == 0 || value > limit) {
    throw image_error(name,
                      fmt::format("{} must be 1 to {} in a PAM header; the file is damaged", key, limit));
  }
  return value;
}

PamFields read_pam_fields(ForwardReader& reader, const std::string& name) {
  PamFields fields;
  while (true) {
    const std::optional<std::string> line = read_line(reader);
    if (!line) throw image_error(name, "the PAM header does not end with ENDHDR; the file is damaged");
    if (*line == "ENDHDR") break;
    if (line->empty() || line->front() == '#') continue;
    const std::size_t key_end = std::min(line->find_first_of(" \t"), line->size());
    const std::size_t value_start = std::min(line->find_first_not_of(" \t", key_end), line->size());
    const std::string key = line->substr(0, key_end), value = line->substr(value_start);
    if (key == "WIDTH")
      fields.width = pam_number(key, value, max_side, name);
    else if (key == "HEIGHT")
      fields.height = pam_number(key, value, max_side, name);
    else if (key == "DEPTH")
      fields.depth = pam_number(key, value, max_depth, name);
    else if (key == "MAXVAL")
      fields.maxval = pam_number(key, value, 65535, name);
    else if (key == "TUPLTYPE")
      fields.tuple_type += (fields.tuple_type.empty() ? "" : " ") + value;
    else
      throw image_error(name, "unknown line in the PAM header; the file is damaged");
  }
  if (fields.width == 0 || fields.height == 0 || fields.depth == 0 || fields.maxval == 0) {
    throw image_error(name, "the PAM header lacks WIDTH, HEIGHT, DEPTH or MAXVAL; the file is damaged");
  }
  return fields;
}

PnmHeader read_pam(ForwardReader& reader, const std::string& name) {
  const PamFields fields = read_pam_fields(reader, name);
  PnmHeader header;
  header.info.width = fields.width;
  header.info.height = fields.height;
  header.info.channels = int(fields.depth);
  set_samples(header, fields.maxval);
  struct TupleType {
    const char* name;
    int channels;
    bool alpha, bits;
  };
  static constexpr TupleType known[] = {
      {"BLACKANDWHITE", 1, false, true}, {"BLACKANDWHITE_ALPHA", 2, true, true},
      {"GRAYSCALE", 1, false, false},    {"GRAYSCALE_ALPHA", 2, true, false},
      {"RGB", 3, false, false},          {"RGB_ALPHA", 4, true, false}};
  for (const TupleType& type : known) {
    if (fields.tuple_type != type.name) continue;
    if (header.info.channels != type.channels) {
      throw image_error(name, fmt::format("TUPLTYPE {} needs DEPTH {}, not {}; the file is damaged",
                                          type.name, type.channels, header.info.channels));
    }
    if (type.alpha) header.info.alpha = Alpha::straight;
    if (type.bits && fields.maxval == 1) {
      header.expand_bits = true;
      header.info.maxval = 255;
    }
  }
  header.data_offset = reader.position();
  return header;
}

/// Refuses a file that can't hold the samples that its header declares, and finds their end.
void check_length(PnmHeader& header, const ByteSource& source) {
  const ImageInfo& info = header.info;
  const Int128 samples = Int128(info.width) * info.height * info.channels;
  Int128 needed = samples;  // P1: a character a sample
  if (header.samples == PnmSamples::ascii) needed = samples * 2 - 1;
  if (header.samples == PnmSamples::bits) needed = Int128((info.width + 7) / 8) * info.height;
  if (header.samples == PnmSamples::bytes) needed = samples * Int128(size_bytes(info.type));
  const std::uint64_t present = source.size() - std::min(source.size(), header.data_offset);
  if (Int128(present) >= needed) {
    const bool binary = header.samples == PnmSamples::bits || header.samples == PnmSamples::bytes;
    if (binary) header.end_offset = header.data_offset + std::uint64_t(needed);
    return;
  }
  throw pnm_cut_short(source.name(), present, fmt::format("{}x{} pixels", info.width, info.height));
}

}  // namespace

bool is_pnm_space(int byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

Error pnm_cut_short(const std::string& name, std::uint64_t present, const std::string& needed) {
  return image_error(
      name, fmt::format("cut short: {} bytes of samples can't be {}; get a complete copy", present, needed));
}

std::uint32_t read_pnm_number(ForwardReader& reader, std::uint32_t limit, const char* what,
                              const std::string& name, int& delimiter) {
  int byte = get_skipping_comment(reader);
  while (is_pnm_space(byte)) byte = get_skipping_comment(reader);
  if (byte < 0) throw image_error(name, fmt::format("cut short: {} is missing; get a complete copy", what));
  std::uint64_t value = 0;
  bool any = false;
  for (; byte >= '0' && byte <= '9'; byte = get_skipping_comment(reader)) {
    any = true;
    value = std::min<std::uint64_t>(value * 10 + std::uint64_t(byte - '0'), 0xffffffffu);
  }
  if (!any || (byte >= 0 && !is_pnm_space(byte))) {
    throw image_error(name, fmt::format("{} is not a number; the file is damaged", what));
  }
  if (value > limit) {
    throw image_error(name, fmt::format("{} is larger than {}; the file is damaged", what, limit));
  }
  delimiter = byte;
  return std::uint32_t(value);
}

PnmHeader read_pnm_header(const ByteSource& source, std::uint64_t offset) {
  ForwardReader reader(source);
  reader.seek(offset);
  static_cast<void>(reader.get());
  const char kind = char(reader.get());
  PnmHeader header =
      kind == '7' ? read_pam(reader, source.name()) : read_classic(reader, kind, source.name());
  check_length(header, source);
  return header;
}

bool pnm_follows(const ByteSource& source, const PnmHeader& header) {
  if (header.end_offset == 0 || header.end_offset >= source.size()) return false;
  std::array<std::byte, 3> head{};
  if (source.read_at(header.end_offset, head) < head.size() || head[0] != std::byte('P')) return false;
  const int kind = int(head[1]), next = int(head[2]);
  return kind >= '1' && kind <= '7' && (is_pnm_space(next) || next == '#');
}

}  // namespace upfirdn
