#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "oracle.hpp"

namespace upfirdn::oracle {
namespace {

double half_value(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double nearest_half(Exact v) {
  if (!std::isfinite(v) || v == 0) return double(v);
  const int exponent = std::max(std::ilogb(v), -14);
  const double unit = std::ldexp(1.0, exponent - 10);
  const double rounded = double(std::nearbyint(v / unit)) * unit;
  return std::abs(rounded) > 65504.0 ? std::copysign(INFINITY, v < 0 ? -1.0 : 1.0) : rounded;
}

template <class T>
double number_at(const std::byte* at) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  return double(value);
}

}  // namespace

std::optional<std::int64_t> folded(std::int64_t i, std::int64_t n, Border border) {
  if (i >= 0 && i < n) return i;
  switch (border) {
    case Border::zero:
    case Border::constant:
      return std::nullopt;
    case Border::edge:
      return std::clamp<std::int64_t>(i, 0, n - 1);
    case Border::wrap:
    case Border::reflect:
    case Border::mirror:
      break;
  }
  if (border == Border::mirror && n == 1) return 0;
  const std::int64_t period = border == Border::wrap ? n : border == Border::reflect ? 2 * n : 2 * n - 2;
  const std::int64_t m = i - period * std::int64_t(std::floor(double(i) / double(period)));
  if (m < n) return m;
  return border == Border::reflect ? period - 1 - m : period - m;
}

double sample_at(const Image& image, std::int64_t x, std::int64_t y, int channel) {
  const ImageInfo& info = image.info();
  const std::byte* at = image.row(y) + std::size_t(x) * info.pixel_bytes() +
                        std::size_t(channel) * (info.pixel_bytes() / std::size_t(info.channels));
  std::uint16_t bits = 0;
  switch (info.type) {
    case PixelType::u8:
      return double(std::to_integer<int>(*at));
    case PixelType::u16:
      std::memcpy(&bits, at, 2);
      return bits;
    case PixelType::s16:
      std::memcpy(&bits, at, 2);
      return std::bit_cast<std::int16_t>(bits);
    case PixelType::f16:
      std::memcpy(&bits, at, 2);
      return half_value(bits);
    case PixelType::f32:
      return number_at<float>(at);
    case PixelType::u32:
      return number_at<std::uint32_t>(at);
    case PixelType::s32:
      return number_at<std::int32_t>(at);
    case PixelType::f64:
      return number_at<double>(at);
  }
  throw std::logic_error("no such pixel type");
}

double rounded_to(PixelType type, Exact value, double maxval) {
  switch (type) {
    case PixelType::u8:
    case PixelType::u16:
    case PixelType::u32:
      return std::isnan(value) ? 0.0 : double(std::clamp<Exact>(std::nearbyint(value), 0, maxval));
    case PixelType::s16:
    case PixelType::s32:
      return std::isnan(value) ? 0.0 : double(std::clamp<Exact>(std::nearbyint(value), -maxval - 1, maxval));
    case PixelType::f16:
      return nearest_half(value);
    case PixelType::f32:
      return double(float(value));
    case PixelType::f64:
      return double(value);
  }
  throw std::logic_error("no such pixel type");
}

Image cropped(const ResampleSpec& spec, const Image& image) {
  ImageInfo info = image.info();
  Crop crop{0, 0, info.width, info.height};
  if (const auto* request = std::get_if<ResizeRequest>(&spec.operation)) crop = request->crop.value_or(crop);
  info.width = crop.width;
  info.height = crop.height;
  Image part(info);
  for (std::int64_t y = 0; y < crop.height; ++y)
    std::memcpy(part.row(y), image.row(crop.y + y) + info.pixel_bytes() * std::size_t(crop.x),
                info.row_bytes());
  return part;
}

}  // namespace upfirdn::oracle
