#include "io/tiff_entries.hpp"

#include <algorithm>
#include <array>

#include "io/tiff_pages.hpp"

namespace upfirdn {
namespace {

/// Bytes of each number in a value of a type: those that change places with the byte order.
std::size_t number_bytes(std::uint16_t type) {
  if (type == 5 || type == 10) return 4;  // two numbers
  return std::size_t(tiff_value_bytes(type));
}

void append_number(std::vector<std::byte>& bytes, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes.push_back(std::byte(value >> 8 * i));
}

}  // namespace

std::uint64_t tiff_value_bytes(std::uint64_t type) {
  static constexpr std::array<std::uint8_t, 19> sizes{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
  return type < sizes.size() ? sizes[type] : 0;
}

void swap_tiff_numbers(TiffEntry& entry) {
  const std::size_t bytes = number_bytes(entry.type);
  if (bytes < 2) return;
  for (std::size_t at = 0; at + bytes <= entry.value.size(); at += bytes)
    std::reverse(entry.value.begin() + std::ptrdiff_t(at), entry.value.begin() + std::ptrdiff_t(at + bytes));
}

std::vector<TiffEntry> read_tiff_entries(const ByteSource& source, std::uint64_t offset, std::size_t most_bytes) {
  const TiffShape shape(source);
  std::array<std::byte, 8> count_bytes;
  const std::size_t wide = shape.count_bytes();
  if (offset == 0 || source.read_at(offset, std::span(count_bytes).first(wide)) < wide) return {};
  const std::uint64_t count = shape.number(count_bytes, wide);
  if (count > 4096) return {};
  std::vector<std::byte> table(count * shape.entry_bytes());
  if (source.read_at(offset + wide, table) < table.size()) return {};
  std::vector<TiffEntry> entries;
  for (std::span<const std::byte> rest(table); !rest.empty(); rest = rest.subspan(shape.entry_bytes())) {
    TiffEntry entry{std::uint16_t(shape.number(rest, 2)), std::uint16_t(shape.number(rest.subspan(2), 2)), 0, {}};
    const std::uint64_t values = shape.number(rest.subspan(4), shape.offset_bytes()), size = tiff_value_bytes(entry.type);
    if (size == 0 || values == 0 || values > most_bytes / size) continue;
    most_bytes -= size * values;
    entry.count = std::uint32_t(values);
    entry.value.resize(size * values);
    const auto place = rest.subspan(4 + shape.offset_bytes(), shape.offset_bytes());
    if (entry.value.size() <= place.size())
      std::copy_n(place.begin(), entry.value.size(), entry.value.begin());
    else if (source.read_at(shape.number(place, place.size()), entry.value) < entry.value.size())
      continue;
    if (shape.big_endian) swap_tiff_numbers(entry);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::uint64_t append_tiff_directory(std::vector<std::byte>& bytes, std::uint64_t base, std::vector<TiffEntry> entries, bool big) {
  const std::size_t wide = big ? 8 : 4;
  std::ranges::sort(entries, {}, &TiffEntry::tag);
  std::vector<std::byte> table;
  append_number(table, entries.size(), big ? 8 : 2);
  for (const TiffEntry& entry : entries) {
    append_number(table, entry.tag, 2);
    append_number(table, entry.type, 2);
    append_number(table, entry.count, wide);
    if (entry.value.size() <= wide) {
      table.insert(table.end(), entry.value.begin(), entry.value.end());
      table.resize(table.size() + wide - entry.value.size());
      continue;
    }
    if (bytes.size() % 2 != 0) bytes.push_back({});
    append_number(table, base + bytes.size(), wide);
    bytes.insert(bytes.end(), entry.value.begin(), entry.value.end());
  }
  append_number(table, 0, wide);  // no directory follows
  if (bytes.size() % 2 != 0) bytes.push_back({});
  const std::uint64_t offset = base + bytes.size();
  bytes.insert(bytes.end(), table.begin(), table.end());
  return offset;
}

}  // namespace upfirdn
