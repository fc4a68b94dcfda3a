#include "io/tiff_pages.hpp"

#include <unordered_set>

#include "io/header_bytes.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t most_pages = 1 << 20;

/// Numbers in the byte order of one file, and the sizes of a classic or a BigTIFF directory.
struct Shape {
  const ByteSource& source;
  bool big_endian, big_tiff;

  /// Unsigned number of `count` bytes.
  [[nodiscard]] std::uint64_t number(std::uint64_t offset, std::size_t count) const {
    std::array<std::byte, 8> bytes{};
    if (source.read_at(offset, std::span(bytes).first(count)) < count) throw cut_short(source);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value = value << 8 | std::to_integer<std::uint64_t>(bytes[big_endian ? i : count - 1 - i]);
    return value;
  }
  [[nodiscard]] std::uint64_t first() const { return big_tiff ? number(8, 8) : number(4, 4); }
  [[nodiscard]] std::uint64_t next(std::uint64_t directory) const {
    const std::uint64_t entries = number(directory, big_tiff ? 8 : 2);
    if (entries > source.size() / 12) throw cut_short(source);
    return big_tiff ? number(directory + 8 + entries * 20, 8) : number(directory + 2 + entries * 12, 4);
  }
};

}  // namespace

std::vector<std::uint64_t> tiff_pages(const ByteSource& source) {
  const auto head = bytes_at<4>(source, 0);
  const bool big_endian = head[0] == std::byte{'M'};
  const Shape shape{source, big_endian, head[big_endian ? 3 : 2] == std::byte{43}};
  std::vector<std::uint64_t> pages;
  std::unordered_set<std::uint64_t> seen;
  for (std::uint64_t at = shape.first(); at != 0 && seen.insert(at).second; at = shape.next(at)) {
    if (at >= source.size()) throw cut_short(source);
    if (pages.size() == most_pages) throw unsupported(source, "a TIFF of more than a million pages");
    pages.push_back(at);
  }
  return pages;
}

}  // namespace upfirdn
