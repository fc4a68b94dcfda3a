#include "io/tiff_pages.hpp"

#include <unordered_set>

#include "io/header_bytes.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t most_pages = 1 << 20;

/// Unsigned number in the first `count` bytes.
std::uint64_t number(std::span<const std::byte> bytes, std::size_t count, bool big_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[big_endian ? i : count - 1 - i]);
  return value;
}

/// Byte order and the widths that differ between a classic and a BigTIFF.
struct Shape {
  bool big_endian, big_tiff;

  explicit Shape(const ByteSource& source) {
    const auto head = bytes_at<4>(source, 0);
    big_endian = head[0] == std::byte{'M'};
    big_tiff = head[big_endian ? 3 : 2] == std::byte{43};
  }
  [[nodiscard]] std::size_t count_bytes() const { return big_tiff ? 8 : 2; }
  [[nodiscard]] std::size_t entry_bytes() const { return big_tiff ? 20 : 12; }
  [[nodiscard]] std::size_t offset_bytes() const { return big_tiff ? 8 : 4; }
  [[nodiscard]] std::uint64_t number_at(const ByteSource& source, std::uint64_t offset,
                                        std::size_t count) const {
    std::array<std::byte, 8> bytes;
    if (source.read_at(offset, std::span(bytes).first(count)) < count) throw cut_short(source);
    return number(bytes, count, big_endian);
  }
  [[nodiscard]] std::uint64_t entries(const ByteSource& source, std::uint64_t page) const {
    const std::uint64_t count = number_at(source, page, count_bytes());
    if (count > source.size() / entry_bytes()) throw cut_short(source);
    return count;
  }
};

/// Bytes of a value of TIFF type 1 to 18; 0 for others.
std::uint64_t value_bytes(std::uint64_t type) {
  static constexpr std::array<std::uint8_t, 19> sizes{0, 1, 1, 2, 4, 8, 1, 1, 2, 4,
                                                      8, 4, 8, 4, 0, 0, 8, 8, 8};
  return type < sizes.size() ? sizes[type] : 0;
}

}  // namespace

std::vector<std::uint64_t> tiff_pages(const ByteSource& source) {
  const Shape shape(source);
  std::vector<std::uint64_t> pages;
  std::unordered_set<std::uint64_t> seen;
  std::uint64_t page = shape.number_at(source, shape.offset_bytes(), shape.offset_bytes());
  while (page != 0 && seen.insert(page).second) {
    if (page >= source.size()) throw cut_short(source);
    if (pages.size() == most_pages) throw unsupported(source, "a TIFF of more than a million pages");
    pages.push_back(page);
    const std::uint64_t end = page + shape.count_bytes() + shape.entries(source, page) * shape.entry_bytes();
    page = shape.number_at(source, end, shape.offset_bytes());
  }
  if (pages.empty()) throw damaged(source, "a TIFF without a page");
  return pages;
}

void check_tiff_tags(const ByteSource& source, std::uint64_t page) {
  const Shape shape(source);
  std::vector<std::byte> entries(shape.entries(source, page) * shape.entry_bytes());
  if (source.read_at(page + shape.count_bytes(), entries) < entries.size()) throw cut_short(source);
  for (std::span<const std::byte> rest(entries); !rest.empty(); rest = rest.subspan(shape.entry_bytes())) {
    const std::uint64_t value = value_bytes(number(rest.subspan(2), 2, shape.big_endian));
    const std::uint64_t count = number(rest.subspan(4), shape.offset_bytes(), shape.big_endian);
    if (value == 0 || count <= shape.offset_bytes() / value) continue;
    const std::uint64_t offset =
        number(rest.subspan(4 + shape.offset_bytes()), shape.offset_bytes(), shape.big_endian);
    if (count > source.size() / value || offset > source.size() - count * value) throw cut_short(source);
  }
}

}  // namespace upfirdn
