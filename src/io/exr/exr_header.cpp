#include "io/exr/exr_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "io/byte_files.hpp"
#include "io/header_bytes.hpp"

namespace upfirdn::exr {
namespace {

constexpr std::uint32_t tiled_flag = 0x200, long_names_flag = 0x400, deep_flag = 0x800, parts_flag = 0x1000;
constexpr std::size_t most_name_bytes = 255;
constexpr std::int32_t farthest = 0x3ffffffe;  // OpenEXR takes no coordinates beyond

constexpr Compression known_compressions[] = {
    {"none", 1, 1, true},        {"rle", 1, 64, true},      {"zips", 1, 1100, true}, {"zip", 16, 1100, true},   {"piz", 32, 4096, true},
    {"pxr24", 16, 2200, false}, {"b44", 32, 4, false},     {"b44a", 32, 16, false}, {"dwaa", 32, 1 << 18, false}, {"dwab", 256, 1 << 18, false}};

/// Reads a header in order.
class Cursor {
 public:
  explicit Cursor(const ByteSource& source) : source_(source), reader_(source) {}

  [[nodiscard]] std::uint64_t position() const { return reader_.position(); }
  std::string name() {
    std::string text;
    for (int c = byte(); c != 0; c = byte()) {
      if (text.size() == most_name_bytes) throw damaged(source_, "a name in its header has no end");
      text += char(c);
    }
    return text;
  }
  std::int32_t integer() {
    Attribute four{{}, {}, bytes(4)};
    return four.integer(0);
  }
  Bytes bytes(std::uint64_t count) {
    if (count > source_.size() - std::min(source_.size(), position())) throw cut_short(source_);
    Bytes result(count);
    if (reader_.read(result) < count) throw cut_short(source_);
    return result;
  }

 private:
  int byte() {
    const int c = reader_.get();
    if (c < 0) throw cut_short(source_);
    return c;
  }

  const ByteSource& source_;
  ForwardReader reader_;
};

/// Bytes of a value of fixed size; 0 for other types.
std::size_t fixed_bytes(std::string_view type) {
  struct Fixed {
    std::string_view type;
    std::size_t bytes;
  };
  static constexpr Fixed all[] = {
      {"box2f", 16}, {"box2i", 16},  {"chromaticities", 32}, {"compression", 1}, {"deepImageState", 1}, {"double", 8}, {"envmap", 1}, {"float", 4},
      {"int", 4},    {"keycode", 28}, {"lineOrder", 1},      {"m33d", 72},       {"m33f", 36},          {"m44d", 128}, {"m44f", 64},  {"rational", 8},
      {"tiledesc", 9}, {"timecode", 8}, {"v2d", 16},         {"v2f", 8},         {"v2i", 8},            {"v3d", 24},   {"v3f", 12},   {"v3i", 12}};
  const auto* found = std::ranges::find(all, type, &Fixed::type);
  return found == std::end(all) ? 0 : found->bytes;
}

/// Whether texts of a length each fill the value.
bool is_text_list(const Attribute& list) {
  std::size_t at = 0;
  while (at + 4 <= list.value.size()) {
    const std::int32_t length = list.integer(at);
    if (length < 0 || std::size_t(length) > list.value.size() - at - 4) return false;
    at += 4 + std::size_t(length);
  }
  return at == list.value.size();
}

bool is_preview(const Attribute& preview) {
  if (preview.value.size() < 8) return false;
  const auto side = [&](std::size_t at) { return std::uint64_t(std::uint32_t(preview.integer(at))); };
  return Int128(side(0)) * side(4) * 4 == Int128(preview.value.size() - 8);
}

/// nullopt if it is damaged.
std::optional<std::vector<Channel>> channels_of(const Attribute& list) {
  std::vector<Channel> channels;
  std::set<std::string> names;
  const char* const text = reinterpret_cast<const char*>(list.value.data());
  for (std::size_t at = 0; at < list.value.size();) {
    const std::size_t length = ::strnlen(text + at, list.value.size() - at);
    const std::size_t rest = list.value.size() - at - length;  // with the NUL
    if (length == 0) return rest == 1 ? std::optional(channels) : std::nullopt;
    if (length > most_name_bytes || rest < 17) return std::nullopt;
    Channel channel{.name = std::string(text + at, length)};
    at += length + 1;
    const std::int32_t type = list.integer(at);
    channel.type = Channel::Type(type);
    channel.x_sampling = list.integer(at + 8);
    channel.y_sampling = list.integer(at + 12);
    at += 16;
    const bool usable = type >= 0 && type <= 2 && channel.x_sampling >= 1 && channel.y_sampling >= 1;
    if (!usable || !names.insert(channel.name).second) return std::nullopt;
    channels.push_back(std::move(channel));
  }
  return std::nullopt;
}

/// Whether OpenEXR will find the end of the value where it is.
bool is_whole(const Attribute& attribute) {
  if (const std::size_t bytes = fixed_bytes(attribute.type); bytes > 0) return attribute.value.size() == bytes;
  if (attribute.type == "chlist") return channels_of(attribute).has_value();
  if (attribute.type == "preview") return is_preview(attribute);
  if (attribute.type == "stringvector") return is_text_list(attribute);
  if (attribute.type == "floatvector") return attribute.value.size() % 4 == 0;
  if (attribute.type == "idmanifest") return attribute.value.size() >= 4;
  return true;
}

const Attribute& required(const Part& part, const char* name, const char* type, const ByteSource& source) {
  const Attribute* attribute = part.find(name, type);
  if (attribute == nullptr) throw damaged(source, fmt::format("its header has no {}", name));
  return *attribute;
}

/// The attributes of one header; false if there is none any more.
bool read_attributes(Cursor& cursor, Part& part, const ByteSource& source) {
  std::set<std::string> names;
  for (std::string name = cursor.name(); !name.empty(); name = cursor.name()) {
    Attribute attribute{name, cursor.name(), {}};
    const std::int32_t size = cursor.integer();
    if (size < 0) throw damaged(source, "an attribute of its header has no size");
    attribute.value = cursor.bytes(std::uint64_t(size));
    if (!is_whole(attribute)) throw damaged(source, fmt::format("attribute {} of its header is damaged", names.size() + 1));
    if (!names.insert(std::move(name)).second) throw damaged(source, "an attribute of its header is there twice");
    part.attributes.push_back(std::move(attribute));
  }
  return !part.attributes.empty();
}

void check_window(const Window& window, const char* what, const ByteSource& source) {
  const bool far = std::min(window.min_x, window.min_y) < -farthest || std::max(window.max_x, window.max_y) > farthest;
  if (far || window.width() < 1 || window.height() < 1)
    throw damaged(source, fmt::format("its {} is {},{} to {},{}", what, window.min_x, window.min_y, window.max_x, window.max_y));
}

void interpret(Part& part, std::uint32_t flags, const ByteSource& source) {
  part.channels = *channels_of(required(part, "channels", "chlist", source));
  part.data = required(part, "dataWindow", "box2i", source).window();
  part.display = required(part, "displayWindow", "box2i", source).window();
  check_window(part.data, "data window", source);
  check_window(part.display, "display window", source);
  part.compression = std::to_integer<std::uint8_t>(required(part, "compression", "compression", source).value[0]);
  if (part.compression >= std::size(known_compressions))
    throw unsupported(source, fmt::format("EXR compression {}", part.compression));
  const Attribute* type = part.find("type", "string");
  const std::string_view kind(type == nullptr ? "" : reinterpret_cast<const char*>(type->value.data()), type == nullptr ? 0 : type->value.size());
  part.deep = kind.starts_with("deep") || (flags & deep_flag) != 0;
  if ((flags & parts_flag) != 0 ? kind != "tiledimage" : (flags & tiled_flag) == 0) return;
  const Attribute& tiles = required(part, "tiles", "tiledesc", source);
  part.tile_width = std::uint32_t(tiles.integer(0));
  part.tile_height = std::uint32_t(tiles.integer(4));
  if (part.tile_width < 1 || part.tile_height < 1 || std::max(part.tile_width, part.tile_height) > farthest)
    throw damaged(source, fmt::format("its tiles are {}x{}", part.tile_width, part.tile_height));
}

std::int64_t blocks_along(std::int64_t side, std::int64_t block) { return (side + block - 1) / block; }

/// Blocks of the part, of the full size only if it holds smaller ones too.
Int128 blocks_of(const Part& part) {
  if (part.tile_width == 0) return blocks_along(part.data.height(), known_compressions[part.compression].rows);
  return Int128(blocks_along(part.data.width(), part.tile_width)) * blocks_along(part.data.height(), part.tile_height);
}

/// Keeps a damaged header from asking for memory that the file can't fill.
void check_size(const Part& part, const ByteSource& source) {
  double pixel_bytes = 0;
  for (const Channel& channel : part.channels)
    pixel_bytes += (channel.type == Channel::Type::halves ? 2.0 : 4.0) / channel.x_sampling / channel.y_sampling;
  const Compression& compression = known_compressions[part.compression];
  const double width = double(part.data.width()), height = double(part.data.height());
  const double block = part.tile_width == 0 ? width * double(std::min(compression.rows, part.data.height()))
                                            : std::max(width, double(part.tile_width)) * double(part.tile_height);
  const double limit = compression.expansion * double(source.size());
  if (width * height * pixel_bytes <= limit && block * pixel_bytes <= limit + (1 << 24)) return;
  throw damaged(source, fmt::format("its header says {}x{} pixels{}, more than its {} bytes can hold", part.data.width(), part.data.height(),
                                    part.tile_width == 0 ? "" : fmt::format(" in tiles of {}x{}", part.tile_width, part.tile_height),
                                    source.size()));
}

/// Every block of the part must lie in the file. Returns where the table of the next part begins.
std::uint64_t check_blocks(const Part& part, std::uint64_t table, bool one_of_many, const ByteSource& source) {
  Int128 count = blocks_of(part), all = count;
  if (one_of_many) all = required(part, "chunkCount", "int", source).integer(0);
  if (part.deep) count = 0;
  if (all < count) throw damaged(source, "its header counts too few blocks");
  if (all > Int128(source.size() - std::min(source.size(), table)) / 8) throw cut_short(source);
  const std::uint64_t end = table + std::uint64_t(all) * 8;
  ForwardReader reader(source);
  reader.seek(table);
  for (Int128 i = 0; i < count; ++i) {
    std::uint64_t offset = 0;
    if (reader.read(std::as_writable_bytes(std::span(&offset, 1))) < sizeof offset) throw cut_short(source);
    if (offset == 0 || offset >= source.size()) throw cut_short(source);  // 0: its writer was stopped
    if (offset < end) throw damaged(source, "a block lies in its header");
  }
  return end;
}

}  // namespace

std::int32_t Attribute::integer(std::size_t at) const {
  std::int32_t result = 0;
  std::memcpy(&result, value.data() + at, sizeof result);
  return result;
}

float Attribute::number(std::size_t at) const {
  float result = 0;
  std::memcpy(&result, value.data() + at, sizeof result);
  return result;
}

Window Attribute::window() const { return {integer(0), integer(4), integer(8), integer(12)}; }

std::span<const Compression> compressions() { return known_compressions; }

const Attribute* Part::find(std::string_view name, std::string_view type) const {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() || found->type != type ? nullptr : &*found;
}

std::vector<Part> read_parts(const ByteSource& source) {
  Cursor cursor(source);
  (void)cursor.bytes(4);
  const auto version = std::uint32_t(cursor.integer());
  constexpr std::uint32_t known_flags = tiled_flag | long_names_flag | deep_flag | parts_flag;
  if ((version & 0xff) != 2 || (version & ~0xffu & ~known_flags) != 0) throw unsupported(source, fmt::format("EXR version {:#x}", version));
  const bool many = (version & parts_flag) != 0;
  std::vector<Part> parts;
  for (Part part; read_attributes(cursor, part, source); part = Part()) {
    interpret(part, version, source);
    parts.push_back(std::move(part));
    if (!many) break;
  }
  if (parts.empty()) throw damaged(source, "its header is empty");
  std::uint64_t table = cursor.position();
  for (const Part& part : parts) table = check_blocks(part, table, many, source);
  for (const Part& part : parts)
    if (!part.deep) check_size(part, source);
  return parts;
}

}  // namespace upfirdn::exr
