#include <cstring>

#include "io/dicom/dicom_file.hpp"

namespace upfirdn::dicom {
namespace {

constexpr std::uint32_t undefined = 0xffffffffu;

void append_number(std::vector<std::byte>& bytes, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(std::byte(value >> (8 * i) & 0xffu));
}

void append_tag(std::vector<std::byte>& bytes, Tag tag) {
  append_number(bytes, group_of(tag), 2);
  append_number(bytes, tag & 0xffffu, 2);
}

void append_mark(std::vector<std::byte>& bytes, Tag tag, std::uint32_t size) {
  append_tag(bytes, tag);
  append_number(bytes, size, 4);
}

}  // namespace

void append_header(std::vector<std::byte>& bytes, Tag tag, Vr v, std::uint32_t size) {
  if (!has_long_length(v) && size > 0xffffu) v = vr("UN");
  append_tag(bytes, tag);
  bytes.push_back(std::byte(v.first));
  bytes.push_back(std::byte(v.second));
  if (!has_long_length(v)) return append_number(bytes, size, 2);
  append_number(bytes, 0, 2);
  append_number(bytes, size, 4);
}

void append_elements(std::vector<std::byte>& bytes, const DataSet& data) {
  for (const Element& element : data.elements) {
    if (element.vr == vr("SQ")) {
      append_header(bytes, element.tag, element.vr, element.items.empty() ? 0 : undefined);
      for (const DataSet& item : element.items) {
        append_mark(bytes, tag::item, undefined);
        append_elements(bytes, item);
        append_mark(bytes, tag::item_end, 0);
      }
      if (!element.items.empty()) append_mark(bytes, tag::sequence_end, 0);
      continue;
    }
    append_header(bytes, element.tag, element.vr, element.encapsulated ? undefined : std::uint32_t(element.value.size()));
    bytes.insert(bytes.end(), element.value.begin(), element.value.end());
    if (element.encapsulated) append_mark(bytes, tag::sequence_end, 0);
  }
}

void append_meta(std::vector<std::byte>& bytes, const DataSet& meta) {
  bytes.insert(bytes.end(), 128, std::byte(0));
  for (const char c : {'D', 'I', 'C', 'M'}) bytes.push_back(std::byte(c));
  std::vector<std::byte> elements;
  append_elements(elements, meta);
  append_header(bytes, 0x00020000, vr("UL"), 4);
  append_number(bytes, std::uint32_t(elements.size()), 4);
  bytes.insert(bytes.end(), elements.begin(), elements.end());
}

}  // namespace upfirdn::dicom
