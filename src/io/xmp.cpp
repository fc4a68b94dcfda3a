#include "io/xmp.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

namespace upfirdn {
namespace {

/// Place and length of the value of the property `name`, an attribute or an element; nullopt if the packet has none.
std::optional<std::pair<std::size_t, std::size_t>> find_value(std::string_view packet, std::string_view name) {
  for (std::size_t at = packet.find(name); at != std::string_view::npos; at = packet.find(name, at + 1)) {
    const char before = at > 0 ? packet[at - 1] : ' ';
    std::size_t next = at + name.size();
    if (next >= packet.size()) break;
    char end = '<';
    if (before == '<' && packet[next] == '>') ++next;
    else if (before != '<' && before != '/' && packet[next] == '=' && next + 1 < packet.size()) end = packet[next + 1], next += 2;
    else continue;
    const std::size_t stop = packet.find(end, next);
    if (stop != std::string_view::npos) return std::pair{next, stop - next};
  }
  return std::nullopt;
}

std::optional<std::string> value_of(const std::string& packet, std::string_view name) {
  const auto place = find_value(packet, name);
  if (!place) return std::nullopt;
  return packet.substr(place->first, place->second);
}

void set(std::string& packet, std::string_view name, const std::string& value) {
  if (const auto place = find_value(packet, name)) packet.replace(place->first, place->second, value);
}

void scale(std::string& packet, std::string_view name, const Fraction& factor) {
  const auto text = value_of(packet, name);
  const auto value = text ? parse_fraction(*text) : std::nullopt;
  if (!value || factor == Fraction{1, 1}) return;
  const Fraction scaled = *value * factor;
  const Fraction fits = make_fraction(scaled.num, scaled.den, 31);
  set(packet, name, fmt::format("{}/{}", fits.num, fits.den));
}

void drop_element(std::string& packet, const std::string& name) {
  const std::size_t begin = packet.find("<" + name + ">");
  const std::string end_tag = "</" + name + ">";
  const std::size_t end = packet.find(end_tag, begin == std::string::npos ? 0 : begin);
  if (begin != std::string::npos && end != std::string::npos) packet.erase(begin, end + end_tag.size() - begin);
}

}  // namespace

std::string upright_xmp(std::string packet, bool transposed) {
  set(packet, "tiff:Orientation", "1");
  const auto x = value_of(packet, "tiff:XResolution"), y = value_of(packet, "tiff:YResolution");
  if (transposed && x && y) {
    set(packet, "tiff:XResolution", *y);
    set(packet, "tiff:YResolution", *x);
  }
  return packet;
}

std::string resized_xmp(std::string packet, std::int64_t width, std::int64_t height, const Fraction& scale_x, const Fraction& scale_y) {
  drop_element(packet, "xmp:Thumbnails");
  for (const char* name : {"tiff:ImageWidth", "exif:PixelXDimension"}) set(packet, name, std::to_string(width));
  for (const char* name : {"tiff:ImageLength", "exif:PixelYDimension"}) set(packet, name, std::to_string(height));
  scale(packet, "tiff:XResolution", scale_x);
  scale(packet, "tiff:YResolution", scale_y);
  return packet;
}

}  // namespace upfirdn
