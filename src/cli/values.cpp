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
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::int64_t integer_part(const OptionValue& value, std::string_view part, std::int64_t lowest,
                          std::int64_t highest) {
  const auto number = read_number<std::int64_t>(part);
  if (!number || *number < lowest || *number > highest) {
    bad_value({value.option, std::string(part)}, "valid number",
              fmt::format("a whole number from {} to {}", lowest, highest));
  }
  return *number;
}

double number_part(const OptionValue& value, std::string_view part) {
  const auto number = read_number<double>(part);
  if (!number || !std::isfinite(float(*number))) {
    bad_value({value.option, std::string(part)}, "number", "one such as 0.5 or -2e3");
  }
  return *number;
}

/// `A` or `A,B`, exact numbers above 0; A counts for both if it is alone.
Pair<Fraction> positive_pair(const OptionValue& value, std::string_view what, std::string_view expected) {
  const auto parts = split_list(value.text);
  std::vector<Fraction> numbers;
  for (const std::string_view part : parts) {
    const auto number = parse_fraction(part);
    if (!number || number->num <= 0 || parts.size() > 2) bad_value(value, what, expected);
    numbers.push_back(*number);
  }
  return {numbers.front(), numbers.back()};
}

constexpr std::string_view constant_border = "constant:";

Words<Border> named_borders() {
  return {{"zero", Border::zero}, {"edge", Border::edge}, {"reflect", Border::reflect}, {"mirror", Border::mirror}, {"wrap", Border::wrap}};
}

}  // namespace

void bad_value(const OptionValue& value, std::string_view what, std::string_view expected) {
  throw Error(ExitCode::usage,
              fmt::format("{}: '{}' is no {}; write {}", value.option, value.text, what, expected));
}

void unknown_word(const OptionValue& value, const std::vector<std::string>& words) {
  bad_value(value, "known word", fmt::format("one of {}", fmt::join(words, ", ")));
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

std::int64_t parse_integer(const OptionValue& value, std::int64_t lowest, std::int64_t highest) {
  return integer_part(value, value.text, lowest, highest);
}

std::int64_t parse_bytes(const OptionValue& value) {
  constexpr std::string_view units = "KMGT";
  std::string_view digits = value.text;
  std::int64_t unit = 1;
  if (const std::size_t at = digits.empty() ? std::string_view::npos : units.find(digits.back()); at != std::string_view::npos) {
    unit = std::int64_t(1) << (10 * (at + 1));
    digits.remove_suffix(1);
  }
  const auto number = read_number<std::int64_t>(digits);
  if (!number || *number < 1 || *number > (std::int64_t(1) << 62) / unit) bad_value(value, "size", "a whole number of bytes, or 800M, 4G");
  return *number * unit;
}

double parse_number(const OptionValue& value) {
  return number_part(value, value.text);
}

double parse_magnitude(const OptionValue& value) {
  const double number = parse_number(value);
  if (number < 0) bad_value(value, "limit", "a number of at least 0");
  return number;
}

std::vector<double> parse_numbers(const OptionValue& value) {
  std::vector<double> numbers;
  for (const std::string_view part : split_list(value.text)) numbers.push_back(number_part(value, part));
  return numbers;
}

double parse_activation_gain(const OptionValue& value) {
  return value.text == "sqrt2" ? std::sqrt(2.0) : parse_number(value);
}

std::optional<double> parse_nodata(const OptionValue& value) {
  if (value.text == "none") return std::nullopt;
  const auto number = read_number<double>(value.text);
  if (!number) bad_value(value, "sample value", "a number, nan or none");
  return number;
}

ToSize parse_size(const OptionValue& value) {
  const std::string_view text = value.text;
  const std::size_t cross = text.find_first_of("xX");
  ToSize size;
  const auto side = [](std::string_view digits, std::optional<std::int64_t>& result) {
    if (digits.empty()) return true;
    result = read_number<std::int64_t>(digits);
    return result && *result >= 1 && *result <= largest_side;
  };
  if (cross == std::string_view::npos || text.size() == 1 || !side(text.substr(0, cross), size.width) ||
      !side(text.substr(cross + 1), size.height)) {
    bad_value(value, "size", "WxH, Wx or xH in pixels");
  }
  return size;
}

Box parse_box(const OptionValue& value) {
  const ToSize size = parse_size(value);
  if (!size.width || !size.height) bad_value(value, "size", "both sides, WxH in pixels");
  return {*size.width, *size.height};
}

ToLetterbox parse_letterbox(const OptionValue& value) {
  const std::size_t colon = value.text.find(':');
  const Box box = parse_box({value.option, value.text.substr(0, colon)});
  ToLetterbox target{box.width, box.height};
  if (colon != std::string::npos) target.value = number_part(value, value.text.substr(colon + 1));
  return target;
}

ByScale parse_scale(const OptionValue& value) {
  const Pair<Fraction> factors = positive_pair(value, "scale", "F or FX,FY above 0 such as 0.5, 50% or 1/2");
  return {factors.x, factors.y};
}

ToSpacing parse_spacing(const OptionValue& value) {
  const Pair<Fraction> spacing = positive_pair(value, "spacing", "X or X,Y in mm above 0 such as 0.2");
  return {spacing.x, spacing.y};
}

Pair<std::int64_t> parse_factors(const OptionValue& value) {
  const auto parts = split_list(value.text);
  if (parts.size() > 2) bad_value(value, "factor", "N or NX,NY");
  return {integer_part(value, parts.front(), 1, largest_side),
          integer_part(value, parts.back(), 1, largest_side)};
}

Shard parse_shard(const OptionValue& value) {
  constexpr std::int64_t most = 1 << 20;
  const std::size_t slash = value.text.find('/');
  if (slash == std::string::npos) bad_value(value, "shard", "I/N, such as 3/16");
  const std::string_view text = value.text;
  const std::int64_t count = integer_part(value, text.substr(slash + 1), 1, most);
  return {integer_part(value, text.substr(0, slash), 1, count), count};
}

Crop parse_crop(const OptionValue& value) {
  const auto parts = split_list(value.text);
  if (parts.size() != 4) bad_value(value, "part of an image", "X,Y,W,H in pixels");
  return {integer_part(value, parts[0], 0, largest_side), integer_part(value, parts[1], 0, largest_side),
          integer_part(value, parts[2], 1, largest_side), integer_part(value, parts[3], 1, largest_side)};
}

Pair<Fraction> parse_shift(const OptionValue& value) {
  const auto parts = split_list(value.text);
  const auto x = parse_fraction(parts.front()), y = parse_fraction(parts.back());
  if (parts.size() != 2 || !x || !y) bad_value(value, "shift", "X,Y in input pixels such as -0.5,0");
  return {*x, *y};
}

std::optional<Padding> parse_padding(const OptionValue& value) {
  if (value.text == "auto") return std::nullopt;
  std::vector<std::int64_t> sides;
  for (const std::string_view part : split_list(value.text)) {
    const auto side = read_number<std::int64_t>(part);
    if (!side || *side < -largest_side || *side > largest_side) {
      sides.clear();
      break;
    }
    sides.push_back(*side);
  }
  switch (sides.size()) {
    case 1:
      return Padding{sides[0], sides[0], sides[0], sides[0]};
    case 2:
      return Padding{sides[0], sides[0], sides[1], sides[1]};
    case 4:
      return Padding{sides[0], sides[1], sides[2], sides[3]};
    default:
      bad_value(value, "padding", "auto, P, X,Y or X0,X1,Y0,Y1 in whole samples");
  }
}

BorderRule parse_border(const OptionValue& value) {
  if (value.text.starts_with(constant_border))
    return {Border::constant, number_part(value, std::string_view(value.text).substr(constant_border.size()))};
  if (value.text == "constant") bad_value(value, "complete border", "constant:V with the value V");
  Words<Border> words = named_borders();
  words.emplace_back("constant:V", Border::constant);
  return {parse_word(value, words)};
}

std::vector<std::string> border_words() {
  std::vector<std::string> words = names_of(named_borders());
  words.emplace_back(constant_border);
  return words;
}

void set_window(const OptionValue& value, ValueRequest& values) {
  using Display = ValueRequest::Display;
  const std::string_view ranks = "percentile:", text = value.text;
  const bool named = text.starts_with(ranks);
  if (text == "none") values.display = Display::none;
  else if (text == "dicom") values.display = Display::of_file;
  else if (text == "auto") values.display = Display::percentiles, values.a = 0, values.b = 100;
  else {
    const std::vector<double> numbers = parse_numbers({value.option, std::string(named ? text.substr(ranks.size()) : text)});
    const bool fits = numbers.size() == 2 && (named ? numbers[0] >= 0 && numbers[0] < numbers[1] && numbers[1] <= 100 : numbers[1] > 0);
    if (!fits) bad_value(value, "window", "none, dicom, C,W with W above 0, auto, or percentile:a,b with 0 <= a < b <= 100");
    values.display = named ? Display::percentiles : Display::window;
    values.a = numbers[0], values.b = numbers[1];
  }
}

DeviceChoice parse_device(const OptionValue& value) {
  if (value.text == "auto") return {};
  if (value.text == "cpu") return {Device::cpu, {}, false};
  if (value.text == "cuda") return {Device::cuda, {}, false};
  if (value.text == "cuda:all") return {Device::cuda, {}, true};
  constexpr std::string_view numbered = "cuda:";
  if (!value.text.starts_with(numbered)) {
    bad_value(value, "device", "auto, cpu, cuda, cuda:N[,N...] or cuda:all");
  }
  DeviceChoice choice{Device::cuda, {}, false};
  for (const std::string_view part : split_list(std::string_view(value.text).substr(numbered.size()))) {
    const int ordinal = int(integer_part(value, part, 0, 1023));
    for (const int earlier : choice.ordinals) {
      if (earlier == ordinal) bad_value(value, "list of devices", "each number once");
    }
    choice.ordinals.push_back(ordinal);
  }
  return choice;
}

}  // namespace upfirdn::cli
