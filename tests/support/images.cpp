#include "images.hpp"

#include <cstring>

#include "oracle.hpp"

namespace upfirdn {
namespace {

template <class From>
Image rearranged(const Image& image, std::int64_t width, std::int64_t height, From&& from) {
  ImageInfo info = image.info();
  info.width = width;
  info.height = height;
  Image result(info);
  const std::size_t bytes = info.pixel_bytes();
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      const auto [sx, sy] = from(x, y);
      std::memcpy(result.row(y) + std::size_t(x) * bytes, image.row(sy) + std::size_t(sx) * bytes, bytes);
    }
  return result;
}

}  // namespace

ImageInfo shape(PixelType type, std::int64_t width, std::int64_t height, int channels) {
  ImageInfo info;
  info.width = width;
  info.height = height;
  info.channels = channels;
  info.type = type;
  info.maxval = full_scale(type);
  return info;
}

void put_sample(Image& image, std::int64_t x, std::int64_t y, int channel, double value) {
  const ImageInfo& info = image.info();
  std::byte* at =
      image.row(y) + std::size_t(x) * info.pixel_bytes() + std::size_t(channel) * size_bytes(info.type);
  const auto store = [&](auto sample) { std::memcpy(at, &sample, sizeof sample); };
  switch (info.type) {
    case PixelType::u8:
      store(std::uint8_t(value));
      break;
    case PixelType::u16:
      store(std::uint16_t(value));
      break;
    case PixelType::s16:
      store(std::int16_t(value));
      break;
    case PixelType::f16:
      store(float_to_half(float(value)));
      break;
    case PixelType::f32:
      store(float(value));
      break;
    case PixelType::u32:
      store(std::uint32_t(value));
      break;
    case PixelType::s32:
      store(std::int32_t(value));
      break;
    case PixelType::f64:
      store(value);
      break;
  }
}

Image image_of(const ImageInfo& info, const std::vector<double>& values) {
  Image image(info);
  std::size_t i = 0;
  for (std::int64_t y = 0; y < info.height; ++y)
    for (std::int64_t x = 0; x < info.width; ++x)
      for (int c = 0; c < info.channels; ++c) put_sample(image, x, y, c, values.at(i++));
  return image;
}

Image constant_image(const ImageInfo& info, double value) {
  return image_of(info, std::vector<double>(std::size_t(info.width * info.height * info.channels), value));
}

std::vector<double> values_of(const Image& image) {
  std::vector<double> values;
  for (std::int64_t y = 0; y < image.info().height; ++y)
    for (std::int64_t x = 0; x < image.info().width; ++x)
      for (int c = 0; c < image.info().channels; ++c) values.push_back(oracle::sample_at(image, x, y, c));
  return values;
}

Image flipped_x(const Image& image) {
  const std::int64_t w = image.info().width;
  return rearranged(image, w, image.info().height,
                    [&](std::int64_t x, std::int64_t y) { return std::pair(w - 1 - x, y); });
}

Image flipped_y(const Image& image) {
  const std::int64_t h = image.info().height;
  return rearranged(image, image.info().width, h,
                    [&](std::int64_t x, std::int64_t y) { return std::pair(x, h - 1 - y); });
}

Image transposed(const Image& image) {
  return rearranged(image, image.info().height, image.info().width,
                    [](std::int64_t x, std::int64_t y) { return std::pair(y, x); });
}

}  // namespace upfirdn
