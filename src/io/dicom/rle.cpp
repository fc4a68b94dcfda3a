#include "io/dicom/rle.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace upfirdn::dicom {
namespace {

constexpr std::size_t header_bytes = 64;

unsigned byte_at(std::span<const std::byte> bytes, std::size_t i) { return std::to_integer<unsigned>(bytes[i]); }

std::uint32_t little_at(std::span<const std::byte> bytes, std::size_t i) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + i, sizeof value);
  return value;
}

/// Unpacks one PackBits segment into every `step`-th byte from `out` on.
bool unpack(std::span<const std::byte> packed, std::byte* out, std::size_t step, std::size_t count) {
  std::size_t at = 0, done = 0;
  while (done < count) {
    if (at >= packed.size()) return false;
    const unsigned control = byte_at(packed, at++);
    if (control == 128) continue;
    const bool repeats = control > 128;
    std::size_t length = repeats ? 257 - control : control + 1;
    if (at + (repeats ? 1 : length) > packed.size()) return false;
    const std::size_t taken = std::min(length, count - done);
    for (std::size_t i = 0; i < taken; ++i) out[(done + i) * step] = packed[at + (repeats ? 0 : i)];
    done += taken;
    at += repeats ? 1 : length;
  }
  return true;
}

/// Appends `plane` packed: runs of up to 128 equal bytes, or up to 128 bytes as they are.
void pack(std::span<const std::byte> plane, std::vector<std::byte>& packed) {
  const auto run_at = [&](std::size_t at) {
    std::size_t length = 1;
    while (at + length < plane.size() && length < 128 && plane[at + length] == plane[at]) ++length;
    return length;
  };
  for (std::size_t at = 0; at < plane.size();) {
    std::size_t length = run_at(at);
    if (length > 1) {
      packed.push_back(std::byte(257 - length));
      packed.push_back(plane[at]);
    } else {
      while (at + length < plane.size() && length < 128 && run_at(at + length) < 3) ++length;
      packed.push_back(std::byte(length - 1));
      packed.insert(packed.end(), plane.begin() + std::ptrdiff_t(at), plane.begin() + std::ptrdiff_t(at + length));
    }
    at += length;
  }
}

/// Place of the `segment`-th byte plane within a pixel: sample by sample, the highest byte first.
std::size_t place_of(std::size_t segment, std::size_t cell_bytes) {
  return segment / cell_bytes * cell_bytes + (cell_bytes - 1 - segment % cell_bytes);
}

}  // namespace

bool decode_rle(std::span<const std::byte> bytes, int samples, int cell_bytes, std::span<std::byte> cells) {
  if (bytes.size() < header_bytes) return false;
  const std::size_t segments = little_at(bytes, 0), step = std::size_t(samples) * std::size_t(cell_bytes);
  if (segments != step) return false;
  for (std::size_t i = 0; i < segments; ++i) {
    const std::size_t begin = little_at(bytes, 4 + 4 * i);
    const std::size_t end = i + 1 < segments ? little_at(bytes, 8 + 4 * i) : bytes.size();
    if (begin < header_bytes || begin > end || end > bytes.size()) return false;
    std::byte* const out = cells.data() + place_of(i, std::size_t(cell_bytes));
    if (!unpack(bytes.subspan(begin, end - begin), out, step, cells.size() / step)) return false;
  }
  return true;
}

std::vector<std::byte> encode_rle(std::span<const std::byte> cells, std::size_t columns, int samples, int cell_bytes) {
  const std::size_t step = std::size_t(samples) * std::size_t(cell_bytes);
  std::vector<std::byte> bytes(header_bytes, std::byte(0)), row(columns);
  const auto put = [&](std::size_t at, std::size_t value) {
    const auto number = std::uint32_t(value);
    std::memcpy(bytes.data() + at, &number, sizeof number);
  };
  put(0, step);
  for (std::size_t segment = 0; segment < step; ++segment) {
    put(4 + 4 * segment, bytes.size());
    for (std::size_t at = place_of(segment, std::size_t(cell_bytes)); at < cells.size(); at += columns * step) {
      for (std::size_t x = 0; x < columns; ++x) row[x] = cells[at + x * step];
      pack(row, bytes);  // runs end with the row
    }
    if (bytes.size() % 2 != 0) bytes.push_back(std::byte(0));
  }
  return bytes;
}

}  // namespace upfirdn::dicom
