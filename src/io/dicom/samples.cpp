#include "io/dicom/samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace upfirdn::dicom {
namespace {

/// Moves samples down to bit 0 and clears or extends what is above them.
template <class Cell>
void isolate(const CellFormat& format, Cell* cells, std::int64_t count) {
  const auto mask = std::uint32_t((std::uint64_t(1) << format.bits) - 1);
  if (!format.is_signed) {
    if (format.shift == 0 && format.bits == 8 * int(sizeof(Cell))) return;
    for (std::int64_t i = 0; i < count; ++i) cells[i] = Cell(cells[i] >> format.shift & mask);
    return;
  }
  const std::uint32_t sign = 1u << (format.bits - 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t value = std::uint32_t(cells[i]) >> format.shift & mask;
    cells[i] = Cell((value ^ sign) - sign);
  }
}

/// PS3.3 C.7.6.3.1.2; `partial` has luma from 16 to 235 and chroma from 16 to 240 (of 8 bits).
template <class Cell>
void to_rgb(Cell* cells, std::int64_t pixels, int bits, bool partial) {
  const double middle = std::ldexp(1.0, bits - 1), maxval = 2 * middle - 1;
  const auto limited = [&](double value) { return Cell(std::clamp(std::nearbyint(value), 0.0, maxval)); };
  const double luma_scale = partial ? 255.0 / 219 : 1, chroma_scale = partial ? 255.0 / 224 : 1, black = partial ? 16 : 0;
  for (std::int64_t i = 0; i < pixels; ++i, cells += 3) {
    const double y = (cells[0] - black) * luma_scale, cb = (cells[1] - middle) * chroma_scale, cr = (cells[2] - middle) * chroma_scale;
    cells[0] = limited(y + 1.402 * cr);
    cells[1] = limited(y - 0.114 * 1.772 / 0.587 * cb - 0.299 * 1.402 / 0.587 * cr);
    cells[2] = limited(y + 1.772 * cb);
  }
}

template <class T, class Cell>
void look_up(const Palette& palette, bool is_signed, const Cell* cells, std::int64_t pixels, std::byte* out) {
  const auto last = std::int64_t(std::min({palette.red.size(), palette.green.size(), palette.blue.size()})) - 1;
  for (std::int64_t i = 0; i < pixels; ++i) {
    const std::int64_t stored = is_signed ? std::int64_t(std::make_signed_t<Cell>(cells[i])) : std::int64_t(cells[i]);
    const auto index = std::size_t(std::clamp<std::int64_t>(stored - palette.first, 0, last));
    const T colour[] = {T(palette.red[index]), T(palette.green[index]), T(palette.blue[index])};
    std::memcpy(out, colour, sizeof colour);
    out += sizeof colour;
  }
}

template <class Cell>
void write_cells(const PixelLayout& layout, const CellFormat& format, Cell* cells, std::int64_t pixels, std::byte* out) {
  const std::int64_t count = pixels * layout.samples;
  isolate(format, cells, count);
  if (format.colours == Photometric::ybr_full || format.colours == Photometric::ybr_partial)
    to_rgb(cells, pixels, format.bits, format.colours == Photometric::ybr_partial);
  if (layout.palette) {
    if (layout.palette->maxval > 255) look_up<std::uint16_t>(*layout.palette, format.is_signed, cells, pixels, out);
    else look_up<std::uint8_t>(*layout.palette, format.is_signed, cells, pixels, out);
  } else if (layout.cell_bytes() > 1 || layout.is_signed) {
    std::memcpy(out, cells, std::size_t(count) * sizeof(Cell));
  } else {
    std::transform(cells, cells + count, out, [](Cell v) { return std::byte(v); });
  }
}

}  // namespace

void write_samples(const PixelLayout& layout, const CellFormat& format, std::byte* cells, std::int64_t pixels, std::byte* out) {
  if (layout.cell_bytes() == 4) write_cells(layout, format, reinterpret_cast<std::uint32_t*>(cells), pixels, out);
  else write_cells(layout, format, reinterpret_cast<std::uint16_t*>(cells), pixels, out);
}

}  // namespace upfirdn::dicom
