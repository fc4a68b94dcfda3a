#include "io/tiff_pages.hpp"

#include <unordered_set>

#include "io/header_bytes.hpp"
#include "io/tiff_entries.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t most_pages = 1 << 20;

/// The number of `count` bytes at `offset`; throws if the file ends before.
std::uint64_t number_at(const ByteSource& source, const TiffShape& shape, std::uint64_t offset, std::size_t count) {
  std::array<std::byte, 8> bytes;
  if (source.read_at(offset, std::span(bytes).first(count)) < count) throw cut_short(source);
  return shape.number(bytes, count);
}

std::uint64_t entries_at(const ByteSource& source, const TiffShape& shape, std::uint64_t page) {
  const std::uint64_t count = number_at(source, shape, page, shape.count_bytes());
  if (count > source.size() / shape.entry_bytes()) throw cut_short(source);
  return count;
}

}  // namespace

TiffShape::TiffShape(const ByteSource& source) {
  const auto head = bytes_at<4>(source, 0);
  big_endian = head[0] == std::byte{'M'};
  big_tiff = head[big_endian ? 3 : 2] == std::byte{43};
}

std::uint64_t TiffShape::number(std::span<const std::byte> bytes, std::size_t count) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | std::to_integer<std::uint64_t>(bytes[big_endian ? i : count - 1 - i]);
  return value;
}

std::vector<std::uint64_t> tiff_pages(const ByteSource& source) {
  const TiffShape shape(source);
  std::vector<std::uint64_t> pages;
  std::unordered_set<std::uint64_t> seen;
  std::uint64_t page = number_at(source, shape, shape.offset_bytes(), shape.offset_bytes());
  while (page != 0 && seen.insert(page).second) {
    if (page >= source.size()) throw cut_short(source);
    if (pages.size() == most_pages) throw unsupported(source, "a TIFF of more than a million pages");
    pages.push_back(page);
    const std::uint64_t end = page + shape.count_bytes() + entries_at(source, shape, page) * shape.entry_bytes();
    page = number_at(source, shape, end, shape.offset_bytes());
  }
  if (pages.empty()) throw damaged(source, "a TIFF without a page");
  return pages;
}

void check_tiff_tags(const ByteSource& source, std::uint64_t page) {
  const TiffShape shape(source);
  std::vector<std::byte> entries(entries_at(source, shape, page) * shape.entry_bytes());
  if (source.read_at(page + shape.count_bytes(), entries) < entries.size()) throw cut_short(source);
  for (std::span<const std::byte> rest(entries); !rest.empty(); rest = rest.subspan(shape.entry_bytes())) {
    const std::uint64_t value = tiff_value_bytes(shape.number(rest.subspan(2), 2));
    const std::uint64_t count = shape.number(rest.subspan(4), shape.offset_bytes());
    if (value == 0 || count <= shape.offset_bytes() / value) continue;
    const std::uint64_t offset =
        shape.number(rest.subspan(4 + shape.offset_bytes()), shape.offset_bytes());
    if (count > source.size() / value || offset > source.size() - count * value) throw cut_short(source);
  }
}

}  // namespace upfirdn
