#pragma once
/// Numbers and tags at given places of a file, and the errors of a file whose header is wrong.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/formats.hpp"

namespace upfirdn {

inline Error cut_short(const ByteSource& source) {
  return image_error(source.name(), "cut short; get a complete copy");
}
inline Error damaged(const ByteSource& source, const std::string& what) {
  return image_error(source.name(), what + "; the file is damaged");
}
inline Error unsupported(const ByteSource& source, const std::string& what) {
  return image_error(source.name(), what + " is not supported; convert the file to PNG or TIFF");
}

/// `N` bytes at `offset`; throws if the file ends before.
template <std::size_t N>
std::array<std::byte, N> bytes_at(const ByteSource& source, std::uint64_t offset) {
  std::array<std::byte, N> bytes;
  if (source.read_at(offset, bytes) < N) throw cut_short(source);
  return bytes;
}

/// Little-endian number of `N` bytes at `offset`.
template <std::size_t N>
std::uint32_t little(const ByteSource& source, std::uint64_t offset) {
  const auto bytes = bytes_at<N>(source, offset);
  std::uint32_t value = 0;
  for (std::size_t i = N; i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}

/// Big-endian number of `N` bytes at `offset`.
template <std::size_t N>
std::uint32_t big(const ByteSource& source, std::uint64_t offset) {
  std::uint32_t value = 0;
  for (std::byte byte : bytes_at<N>(source, offset))
    value = value << 8 | std::to_integer<std::uint32_t>(byte);
  return value;
}

inline bool tag_is(const ByteSource& source, std::uint64_t offset, std::string_view tag) {
  const auto bytes = bytes_at<4>(source, offset);
  return std::equal(bytes.begin(), bytes.end(), tag.begin(),
                    [](std::byte a, char b) { return char(a) == b; });
}

}  // namespace upfirdn
