#include <catch2/catch.hpp>
#include <string>

#include "support/in_memory_files.hpp"
#include "io/straight_alpha.hpp"
#include "support/images.hpp"

using namespace upfirdn;
using Values = std::vector<double>;

namespace {

using Adapter = std::unique_ptr<ImageWriter> (*)(std::unique_ptr<ImageWriter>, const ImageInfo&);

/// What a file holds after `values` of `type` were written through `adapter`, by default premultiplied ones through the division.
Values written(PixelType type, int channels, const Values& values, Adapter adapter = with_straight_alpha) {
  ImageInfo info = shape(type, std::int64_t(values.size()) / channels, 1, channels);
  info.alpha = Alpha::straight;
  const Image image = image_of(info, values);
  std::string content;
  auto file = find_format("tif")->create(std::make_unique<StringSink>(content), info, 1, {});
  const auto writer = adapter(std::move(file), info);
  writer->write_rows(image.data(), 1, info.row_bytes());
  writer->finish();
  return values_of(decode(content));
}

}  // namespace

TEST_CASE("premultiplied colour is divided by its alpha for a format of straight alpha") {
  CHECK(written(PixelType::u8, 4, {128, 0, 64, 128}) == Values{255, 0, 128, 128});
  CHECK(written(PixelType::u16, 2, {1000, 2000, 7, 65535}) == Values{32768, 2000, 7, 65535});
}

TEST_CASE("colour above its alpha is limited, colour under alpha 0 becomes 0") {
  CHECK(written(PixelType::u8, 2, {200, 100, 9, 0, 255, 255}) == Values{255, 100, 0, 0, 255, 255});
}

TEST_CASE("straight colour is multiplied by its alpha for a format of premultiplied alpha") {
  CHECK(written(PixelType::f32, 4, {1, 0.5, -2, 0.25, 8, 8, 8, 0}, with_premultiplied_alpha) == Values{0.25, 0.125, -0.5, 0.25, 0, 0, 0, 0});
  CHECK(written(PixelType::f16, 2, {3, 0.5, 1, 1}, with_premultiplied_alpha) == Values{1.5, 0.5, 1, 1});
  CHECK(written(PixelType::u8, 2, {255, 128, 3, 128}, with_premultiplied_alpha) == Values{128, 128, 2, 128});
}
