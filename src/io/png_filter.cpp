#include "io/png_filter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace upfirdn {
namespace {

/// A row and its neighbours to the left, above, and above to the left.
struct Neighbourhood {
  const std::uint8_t *row, *left, *above, *corner;
  std::size_t count;
};

std::int16_t distance(std::int16_t a, std::int16_t b) {
  return std::int16_t(a < b ? b - a : a - b);
}

/// Of left, above and corner the nearest to left + above - corner; the first of equals.
std::uint8_t paeth(std::uint8_t left, std::uint8_t above, std::uint8_t corner) {
  const std::int16_t a = left, b = above, c = corner;
  const std::int16_t from_a = distance(b, c), from_b = distance(a, c);
  const std::int16_t from_c = distance(std::int16_t(a + b), std::int16_t(c + c));
  const std::int16_t nearer = from_b <= from_c ? b : c;
  return std::uint8_t(from_a <= std::min(from_b, from_c) ? a : nearer);
}

/// Writes the row less what `predict` says; returns the sum of magnitudes.
template <class Predict>
std::uint64_t subtract(const Neighbourhood& n, std::uint8_t* __restrict out, const Predict& predict) {
  constexpr std::size_t run = 256;  // whose sum fits 16 bits
  std::uint64_t total = 0;
  for (std::size_t start = 0; start < n.count; start += run) {
    const std::size_t end = std::min(start + run, n.count);
    std::uint16_t sum = 0;
    for (std::size_t i = start; i < end; ++i) {
      const auto difference = std::uint8_t(n.row[i] - predict(n.left[i], n.above[i], n.corner[i]));
      out[i] = difference;
      sum = std::uint16_t(sum + std::min(difference, std::uint8_t(-difference)));
    }
    total += sum;
  }
  return total;
}

/// Adds what `predict` says to a row of pixels of `N` bytes.
template <std::size_t N, class Predict>
void add(std::span<std::uint8_t> row, const std::uint8_t* above, const Predict& predict) {
  std::array<std::uint8_t, N> left{}, corner{};
  for (std::size_t x = 0; x + N <= row.size(); x += N) {
    for (std::size_t i = 0; i < N; ++i) {
      const std::uint8_t up = above[x + i];
      left[i] = row[x + i] = std::uint8_t(row[x + i] + predict(left[i], up, corner[i]));
      corner[i] = up;
    }
  }
}

template <std::size_t N>
bool undo(std::uint8_t filter, std::span<std::uint8_t> row, const std::uint8_t* above) {
  using Byte = std::uint8_t;
  switch (filter) {
    case 0:
      return true;
    case 1:
      add<N>(row, above, [](Byte left, Byte, Byte) { return left; });
      return true;
    case 2:
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = Byte(row[i] + above[i]);
      return true;
    case 3:
      add<N>(row, above, [](Byte left, Byte up, Byte) { return Byte((left + up) / 2); });
      return true;
    case 4:
      add<N>(row, above, paeth);
      return true;
    default:
      return false;
  }
}

}  // namespace

PngRowFilter::PngRowFilter(const ImageInfo& info, bool adaptive)
    : row_bytes_(info.row_bytes()),
      pixel_bytes_(info.pixel_bytes()),
      swap_(info.type == PixelType::u16 && std::endian::native == std::endian::little),
      adaptive_(adaptive),
      row_(pixel_bytes_ + row_bytes_),
      above_(row_.size()),
      best_(1 + row_bytes_),
      candidate_(best_.size()) {}

void PngRowFilter::load(const std::byte* row) {
  row_.swap(above_);
  std::uint8_t* out = row_.data() + pixel_bytes_;
  std::memcpy(out, row, row_bytes_);
  if (!swap_) return;
  for (std::size_t i = 0; i < row_bytes_; i += 2) std::swap(out[i], out[i + 1]);
}

std::span<const std::byte> PngRowFilter::apply(const std::byte* row) {
  load(row);
  std::uint64_t least = filter(0, best_.data());
  for (std::uint8_t type = 1; adaptive_ && type <= 4; ++type) {
    const std::uint64_t sum = filter(type, candidate_.data());
    if (sum >= least) continue;
    least = sum;
    best_.swap(candidate_);
  }
  return std::as_bytes(std::span(best_));
}

std::uint64_t PngRowFilter::filter(std::uint8_t type, std::uint8_t* out) const {
  const Neighbourhood n = {.row = row_.data() + pixel_bytes_,
                           .left = row_.data(),
                           .above = above_.data() + pixel_bytes_,
                           .corner = above_.data(),
                           .count = row_bytes_};
  using Byte = std::uint8_t;
  *out++ = type;
  switch (type) {
    case 0:
      return subtract(n, out, [](Byte, Byte, Byte) { return Byte(0); });
    case 1:
      return subtract(n, out, [](Byte left, Byte, Byte) { return left; });
    case 2:
      return subtract(n, out, [](Byte, Byte above, Byte) { return above; });
    case 3:
      return subtract(n, out, [](Byte left, Byte above, Byte) { return Byte((left + above) / 2); });
    case 4:
      return subtract(n, out, paeth);
    default:
      throw std::logic_error("a PNG filter that does not exist");
  }
}

bool undo_png_filter(std::uint8_t filter, std::span<std::uint8_t> row, const std::uint8_t* above, std::size_t pixel_bytes) {
  switch (pixel_bytes) {
    case 1: return undo<1>(filter, row, above);
    case 2: return undo<2>(filter, row, above);
    case 3: return undo<3>(filter, row, above);
    case 4: return undo<4>(filter, row, above);
    case 6: return undo<6>(filter, row, above);
    case 8: return undo<8>(filter, row, above);
    default: throw std::logic_error("a PNG pixel of no such size");
  }
}

}  // namespace upfirdn
