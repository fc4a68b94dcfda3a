#include <catch2/catch.hpp>
#include <string>

#include "support/in_memory_files.hpp"
#include "io/straight_alpha.hpp"
#include "support/images.hpp"

using namespace upfirdn;
using Values = std::vector<double>;

namespace {

/// What a PNG of straight alpha holds after premultiplied `values` of `type` were written through the
/// division.
Values written(PixelType type, int channels, const Values& values) {
  ImageInfo info = shape(type, std::int64_t(values.size()) / channels, 1, channels);
  info.alpha = Alpha::straight;
  const Image image = image_of(info, values);
  std::string content;
  auto png = find_format("png")->create(std::make_unique<StringSink>(content), info, 1, {});
  info.alpha = Alpha::associated;
  const auto writer = with_straight_alpha(std::move(png), info);
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
