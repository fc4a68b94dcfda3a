#include <catch2/catch.hpp>
#include <random>

#include "io/png_filter.hpp"
#include "support/images.hpp"

using namespace upfirdn;

namespace {

using Bytes = std::vector<int>;

Bytes next(PngRowFilter& filter, const Image& image, std::int64_t y) {
  Bytes bytes;
  for (const std::byte byte : filter.apply(image.row(y))) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

int paeth(int a, int b, int c) {
  const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

int predicted(int type, int a, int b, int c) {
  return type == 0 ? 0 : type == 1 ? a : type == 2 ? b : type == 3 ? (a + b) / 2 : paeth(a, b, c);
}

}  // namespace

TEST_CASE("PNG filters: without them a row is a zero and its samples, the high byte first") {
  PngRowFilter filter(shape(PixelType::u16, 2, 1), false);
  CHECK(next(filter, image_of(shape(PixelType::u16, 2, 1), {0x1234, 0x00ff}), 0) == Bytes{0, 0x12, 0x34, 0, 0xff});
}

TEST_CASE("PNG filters: rows take the one that leaves the least") {
  const Image image = image_of(shape(PixelType::u8, 4, 3), {100, 100, 100, 100,  // like the left
                                                            7, 250, 3, 40,       // like nothing
                                                            7, 250, 3, 40});     // like above
  PngRowFilter filter(image.info(), true);
  CHECK(next(filter, image, 0) == Bytes{1, 100, 0, 0, 0});
  CHECK(next(filter, image, 1) == Bytes{0, 7, 250, 3, 40});
  CHECK(next(filter, image, 2) == Bytes{2, 0, 0, 0, 0});
}

TEST_CASE("PNG filters: undoing them as the specification says gives the samples, and all of them occur") {
  std::mt19937 random(5);
  std::vector<bool> seen(5, false);
  for (const int channels : {1, 3, 4}) {
    for (const int width : {1, 2, 5, 63, 300}) {
      Image image(shape(PixelType::u8, width, 40, channels));
      for (int y = 0; y < 40; ++y) {
        for (int x = 0; x < width * channels; ++x) {
          const int slope = y < 8 ? 0 : y < 16 ? x : y < 24 ? 5 * y : x + y;
          image.row(y)[x] = std::byte(slope + int(random() % (y % 4 == 0 ? 250 : 5)));
        }
      }
      PngRowFilter filter(image.info(), true);
      std::vector<int> above(std::size_t(width * channels), 0), row = above;
      for (int y = 0; y < 40; ++y) {
        const Bytes bytes = next(filter, image, y);
        seen.at(std::size_t(bytes[0])) = true;
        for (int i = 0; i < width * channels; ++i) {
          const int a = i < channels ? 0 : row[i - channels], c = i < channels ? 0 : above[i - channels];
          row[i] = (bytes[i + 1] + predicted(bytes[0], a, above[i], c)) & 255;
          if (row[i] != std::to_integer<int>(image.row(y)[i])) FAIL("row " << y << ", byte " << i);
        }
        above = row;
      }
    }
  }
  CHECK(seen == std::vector<bool>(5, true));
}
