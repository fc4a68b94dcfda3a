#include "io/dicom/data_set.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace upfirdn::dicom {
namespace {

auto position_of(const std::vector<Element>& elements, Tag tag) {
  return std::lower_bound(elements.begin(), elements.end(), tag, [](const Element& e, Tag wanted) { return e.tag < wanted; });
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\0' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::byte> padded(std::string_view text, char padding) {
  std::vector<std::byte> bytes(text.size() + text.size() % 2, std::byte(padding));
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// Binary numbers of type T.
template <class T>
std::vector<double> binary_numbers(const std::vector<std::byte>& bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    numbers[i] = double(value);
  }
  return numbers;
}

template <class T>
std::vector<std::byte> binary_bytes(const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = T(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

std::vector<double> text_numbers(std::string_view text) {
  std::vector<double> numbers;
  for (const std::string& part : split_values(text)) {
    const char* first = part.data() + (part.starts_with('+') ? 1 : 0);
    double value = 0;
    const auto [end, error] = std::from_chars(first, part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || !std::isfinite(value)) break;
    numbers.push_back(value);
  }
  return numbers;
}

}  // namespace

const Element* DataSet::find(Tag tag) const {
  const auto place = position_of(elements, tag);
  return place != elements.end() && place->tag == tag ? &*place : nullptr;
}

Element* DataSet::find(Tag tag) { return const_cast<Element*>(std::as_const(*this).find(tag)); }

bool DataSet::erase(Tag tag) {
  const auto place = position_of(elements, tag);
  if (place == elements.end() || place->tag != tag) return false;
  elements.erase(place);
  return true;
}

Element& DataSet::set(Element element) {
  if (Element* old = find(element.tag)) return *old = std::move(element);
  return *elements.insert(position_of(elements, element.tag), std::move(element));
}

std::string DataSet::text(Tag tag) const {
  const Element* element = find(tag);
  if (element == nullptr) return {};
  return std::string(trimmed({reinterpret_cast<const char*>(element->value.data()), element->value.size()}));
}

std::vector<double> DataSet::numbers(Tag tag) const {
  const Element* element = find(tag);
  if (element == nullptr) return {};
  const Vr v = element->vr;
  if (v == vr("US") || v == vr("xs") || v == vr("OW")) return binary_numbers<std::uint16_t>(element->value);
  if (v == vr("SS")) return binary_numbers<std::int16_t>(element->value);
  if (v == vr("UL")) return binary_numbers<std::uint32_t>(element->value);
  if (v == vr("SL")) return binary_numbers<std::int32_t>(element->value);
  if (v == vr("FL") || v == vr("OF")) return binary_numbers<float>(element->value);
  if (v == vr("FD") || v == vr("OD")) return binary_numbers<double>(element->value);
  return text_numbers(text(tag));
}

std::optional<double> DataSet::number(Tag tag) const {
  const std::vector<double> all = numbers(tag);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::optional<std::int64_t> DataSet::integer(Tag tag) const {
  const std::optional<double> value = number(tag);
  if (!value || *value != std::floor(*value) || std::abs(*value) > 0x1p53) return std::nullopt;
  return std::int64_t(*value);
}

const DataSet* DataSet::item(Tag tag, std::size_t index) const {
  const Element* element = find(tag);
  return element != nullptr && index < element->items.size() ? &element->items[index] : nullptr;
}

void DataSet::set_text(Tag tag, Vr vr_of_text, std::string_view text) {
  set({tag, vr_of_text, padded(text, vr_of_text == vr("UI") ? '\0' : ' ')});
}

void DataSet::set_numbers(Tag tag, Vr v, const std::vector<double>& values) {
  if (v == vr("US")) return void(set({tag, v, binary_bytes<std::uint16_t>(values)}));
  if (v == vr("SS")) return void(set({tag, v, binary_bytes<std::int16_t>(values)}));
  if (v == vr("UL")) return void(set({tag, v, binary_bytes<std::uint32_t>(values)}));
  if (v == vr("SL")) return void(set({tag, v, binary_bytes<std::int32_t>(values)}));
  if (v == vr("FL")) return void(set({tag, v, binary_bytes<float>(values)}));
  if (v == vr("FD")) return void(set({tag, v, binary_bytes<double>(values)}));
  std::string text;
  for (const double value : values) {
    if (!text.empty()) text += '\\';
    text += v == vr("IS") ? std::to_string(std::llround(value)) : decimal_text(value);
  }
  set_text(tag, v, text);
}

void DataSet::set_items(Tag tag, std::vector<DataSet> items) { set({tag, vr("SQ"), {}, std::move(items)}); }

std::vector<std::string> split_values(std::string_view text) {
  std::vector<std::string> parts;
  if (trimmed(text).empty()) return parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\\', start), text.size());
    parts.emplace_back(trimmed(text.substr(start, end - start)));
    start = end + 1;
  }
  return parts;
}

std::string printable(std::string_view text) {
  std::string shown(text.substr(0, 64));
  std::replace_if(shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return shown;
}

std::string decimal_text(double value) {
  constexpr std::size_t most = 16;
  const double magnitude = std::abs(value);
  const bool fixed = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e14);
  const auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
  char text[400];
  std::string best(text, std::to_chars(text, std::end(text), value, format).ptr);
  for (int digits = 16; best.size() > most && digits >= 0; --digits)
    best.assign(text, std::to_chars(text, std::end(text), value, format, digits).ptr);
  if (fixed && best.find('.') != std::string::npos && best.size() == most) {
    while (best.ends_with('0')) best.pop_back();
    if (best.ends_with('.')) best.pop_back();
  }
  return best == "-0" ? "0" : best;
}

}  // namespace upfirdn::dicom
