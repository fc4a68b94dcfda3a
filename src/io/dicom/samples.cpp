#include "io/dicom/samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace upfirdn::dicom {
namespace {

/// Moves samples down to bit 0 and clears or extends what is above them.
void isolate(const CellFormat& format, std::uint16_t* cells, std::int64_t count) {
  const auto mask = std::uint32_t((1u << format.bits) - 1);
  if (!format.is_signed) {
    if (format.shift == 0 && format.bits == 16) return;
    for (std::int64_t i = 0; i < count; ++i) cells[i] = std::uint16_t(cells[i] >> format.shift & mask);
    return;
  }
  const std::uint32_t sign = 1u << (format.bits - 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t value = std::uint32_t(cells[i]) >> format.shift & mask;
    cells[i] = std::uint16_t((value ^ sign) - sign);
  }
}

std::uint16_t limited(double value, double maxval) { return std::uint16_t(std::clamp(std::nearbyint(value), 0.0, maxval)); }

/// PS3.3 C.7.6.3.1.2; `partial` has luma from 16 to 235 and chroma from 16 to 240 (of 8 bits).
void to_rgb(std::uint16_t* cells, std::int64_t pixels, int bits, bool partial) {
  const double maxval = (1 << bits) - 1, middle = 1 << (bits - 1);
  const double luma_scale = partial ? 255.0 / 219 : 1, chroma_scale = partial ? 255.0 / 224 : 1, black = partial ? 16 : 0;
  for (std::int64_t i = 0; i < pixels; ++i, cells += 3) {
    const double y = (cells[0] - black) * luma_scale, cb = (cells[1] - middle) * chroma_scale, cr = (cells[2] - middle) * chroma_scale;
    cells[0] = limited(y + 1.402 * cr, maxval);
    cells[1] = limited(y - 0.114 * 1.772 / 0.587 * cb - 0.299 * 1.402 / 0.587 * cr, maxval);
    cells[2] = limited(y + 1.772 * cb, maxval);
  }
}

template <class T>
void look_up(const Palette& palette, bool is_signed, const std::uint16_t* cells, std::int64_t pixels, std::byte* out) {
  const auto last = std::int64_t(std::min({palette.red.size(), palette.green.size(), palette.blue.size()})) - 1;
  for (std::int64_t i = 0; i < pixels; ++i) {
    const std::int64_t stored = is_signed ? std::int16_t(cells[i]) : cells[i];
    const auto index = std::size_t(std::clamp<std::int64_t>(stored - palette.first, 0, last));
    const T colour[] = {T(palette.red[index]), T(palette.green[index]), T(palette.blue[index])};
    std::memcpy(out, colour, sizeof colour);
    out += sizeof colour;
  }
}

}  // namespace

void write_samples(const PixelLayout& layout, const CellFormat& format, std::uint16_t* cells, std::int64_t pixels, std::byte* out) {
  const std::int64_t count = pixels * layout.samples;
  isolate(format, cells, count);
  if (format.colours == Photometric::ybr_full || format.colours == Photometric::ybr_partial)
    to_rgb(cells, pixels, format.bits, format.colours == Photometric::ybr_partial);
  if (layout.palette) {
    if (layout.palette->maxval > 255) look_up<std::uint16_t>(*layout.palette, format.is_signed, cells, pixels, out);
    else look_up<std::uint8_t>(*layout.palette, format.is_signed, cells, pixels, out);
  } else if (layout.cell_bytes() == 2 || layout.is_signed) {
    std::memcpy(out, cells, std::size_t(count) * 2);
  } else {
    std::transform(cells, cells + count, out, [](std::uint16_t v) { return std::byte(v); });
  }
}

}  // namespace upfirdn::dicom
