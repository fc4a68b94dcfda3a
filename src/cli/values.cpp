#include "cli/values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace upfirdn::cli {
namespace {

constexpr std::int64_t largest_side = std::numeric_limits<std::int32_t>::max();

/// The whole of `text` as a number; nullopt if it is none or does not fit.
template <class T>
std::optional<T> read_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::int64_t parse_side(std::string_view text, std::string_view whole, std::string_view option,
                        std::string_view expected) {
  const auto side = read_number<std::int64_t>(text);
  if (!side || *side < 1 || *side > largest_side) bad_value(option, whole, "size", expected);
  return *side;
}

}  // namespace

void bad_value(std::string_view option, std::string_view text, std::string_view what, std::string_view expected) {
  throw Error(ExitCode::usage, fmt::format("{}: '{}' is no {}; write {}", option, text, what, expected));
}

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t comma; (comma = text.find(',', begin)) != std::string_view::npos; begin = comma + 1) {
    parts.push_back(text.substr(begin, comma - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::int64_t parse_integer(std::string_view text, std::string_view option, std::int64_t lowest,
                           std::int64_t highest) {
  const auto value = read_number<std::int64_t>(text);
  if (!value || *value < lowest || *value > highest) {
    bad_value(option, text, "valid number", fmt::format("a whole number from {} to {}", lowest, highest));
  }
  return *value;
}

double parse_number(std::string_view text, std::string_view option) {
  const auto value = read_number<double>(text);
  if (!value || !std::isfinite(float(*value))) bad_value(option, text, "number", "one such as 0.5 or -2e3");
  return *value;
}

std::vector<double> parse_numbers(std::string_view text, std::string_view option) {
  std::vector<double> numbers;
  for (const std::string_view part : split_list(text)) numbers.push_back(parse_number(part, option));
  return numbers;
}

double parse_activation_gain(std::string_view text, std::string_view option) {
  return text == "sqrt2" ? std::sqrt(2.0) : parse_number(text, option);
}

std::optional<double> parse_nodata(std::string_view text, std::string_view option) {
  if (text == "none") return std::nullopt;
  const auto value = read_number<double>(text);
  if (!value) bad_value(option, text, "value", "a number, nan or none");
  return value;
}

ToSize parse_size(std::string_view text, std::string_view option, bool partial) {
  const std::string_view expected = partial ? "WxH, Wx or xH in pixels" : "WxH in pixels";
  const std::size_t cross = text.find_first_of("xX");
  if (cross == std::string_view::npos || text.size() == 1) bad_value(option, text, "size", expected);
  const std::string_view width = text.substr(0, cross), height = text.substr(cross + 1);
  ToSize size;
  if (!width.empty() || !partial) size.width = parse_side(width, text, option, expected);
  if (!height.empty() || !partial) size.height = parse_side(height, text, option, expected);
  return size;
}

ToLetterbox parse_letterbox(std::string_view text, std::string_view option) {
  const std::size_t colon = text.find(':');
  const ToSize size = parse_size(text.substr(0, colon), option, false);
  ToLetterbox target{*size.width, *size.height};
  if (colon != std::string_view::npos) target.value = parse_number(text.substr(colon + 1), option);
  return target;
}

ByScale parse_scale(std::string_view text, std::string_view option) {
  const auto parts = split_list(text);
  std::vector<Fraction> factors;
  for (const std::string_view part : parts) {
    const auto factor = parse_fraction(part);
    if (!factor || factor->num <= 0 || parts.size() > 2) {
      bad_value(option, text, "scale", "F or FX,FY above 0 such as 0.5, 50% or 1/2");
    }
    factors.push_back(*factor);
  }
  return {factors.front(), factors.back()};
}

Pair<std::int64_t> parse_factors(std::string_view text, std::string_view option) {
  const auto parts = split_list(text);
  if (parts.size() > 2) bad_value(option, text, "factor", "N or NX,NY");
  return {parse_integer(parts.front(), option, 1, largest_side),
          parse_integer(parts.back(), option, 1, largest_side)};
}

Crop parse_crop(std::string_view text, std::string_view option) {
  const auto parts = split_list(text);
  if (parts.size() != 4) bad_value(option, text, "part of an image", "X,Y,W,H in pixels");
  return {parse_integer(parts[0], option, 0, largest_side), parse_integer(parts[1], option, 0, largest_side),
          parse_integer(parts[2], option, 1, largest_side), parse_integer(parts[3], option, 1, largest_side)};
}

Pair<Fraction> parse_shift(std::string_view text, std::string_view option) {
  const auto parts = split_list(text);
  const auto x = parse_fraction(parts.front()), y = parse_fraction(parts.back());
  if (parts.size() != 2 || !x || !y) bad_value(option, text, "shift", "X,Y in input pixels such as -0.5,0");
  return {*x, *y};
}

std::optional<Padding> parse_padding(std::string_view text, std::string_view option) {
  if (text == "auto") return std::nullopt;
  constexpr std::string_view expected = "auto, P, X,Y or X0,X1,Y0,Y1 in whole samples";
  std::vector<std::int64_t> values;
  for (const std::string_view part : split_list(text)) {
    const auto value = read_number<std::int64_t>(part);
    if (!value || *value < -largest_side || *value > largest_side) bad_value(option, text, "padding", expected);
    values.push_back(*value);
  }
  switch (values.size()) {
    case 1: return Padding{values[0], values[0], values[0], values[0]};
    case 2: return Padding{values[0], values[0], values[1], values[1]};
    case 4: return Padding{values[0], values[1], values[2], values[3]};
    default: bad_value(option, text, "padding", expected);
  }
}

BorderRule parse_border(std::string_view text, std::string_view option) {
  constexpr std::string_view constant = "constant:";
  if (text.starts_with(constant)) {
    return {Border::constant, parse_number(text.substr(constant.size()), option)};
  }
  if (text == "constant") bad_value(option, text, "border", "the value too: constant:V");
  return {parse_word<Border>(text, option,
                             {{"zero", Border::zero},
                              {"edge", Border::edge},
                              {"reflect", Border::reflect},
                              {"mirror", Border::mirror},
                              {"wrap", Border::wrap},
                              {"constant:V", Border::constant}})};
}

DeviceChoice parse_device(std::string_view text, std::string_view option) {
  if (text == "auto") return {};
  if (text == "cpu") return {Device::cpu, {}, false};
  if (text == "cuda") return {Device::cuda, {}, false};
  if (text == "cuda:all") return {Device::cuda, {}, true};
  constexpr std::string_view numbered = "cuda:";
  if (!text.starts_with(numbered)) bad_value(option, text, "device", "auto, cpu, cuda, cuda:N[,N...] or cuda:all");
  DeviceChoice choice{Device::cuda, {}, false};
  for (const std::string_view part : split_list(text.substr(numbered.size()))) {
    const int ordinal = int(parse_integer(part, option, 0, 1023));
    for (const int earlier : choice.ordinals) {
      if (earlier == ordinal) bad_value(option, text, "list of devices", "each number once");
    }
    choice.ordinals.push_back(ordinal);
  }
  return choice;
}

}  // namespace upfirdn::cli
