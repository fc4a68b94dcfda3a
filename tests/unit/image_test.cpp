#include "core/image.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "support/images.hpp"

namespace upfirdn {
namespace {

TEST_CASE("rows are interleaved without padding") {
  const ImageInfo info = shape(PixelType::u16, 3, 2, 4);
  CHECK(info.pixel_bytes() == 8);
  CHECK(info.row_bytes() == 24);
  Image image(info);
  CHECK(image.size_bytes() == 48);
  CHECK(image.row(1) == image.data() + 24);
}

TEST_CASE("an image passes through its source and sink unchanged, whatever the stride") {
  const Image image = image_of(shape(PixelType::u8, 3, 4, 1), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (const std::size_t stride : {std::size_t(3), std::size_t(8)}) {
    ImageSource source(image);
    Image copy(image.info());
    ImageSink sink(copy);
    std::vector<std::byte> rows(stride * 3);
    source.read_rows(rows.data(), 3, stride);
    sink.write_rows(rows.data(), 3, stride);
    source.read_rows(rows.data(), 1, stride);
    sink.write_rows(rows.data(), 1, stride);
    CHECK(values_of(copy) == values_of(image));
  }
}

TEST_CASE("reading or writing past the last row is a bug that is caught") {
  const Image image = constant_image(shape(PixelType::u8, 2, 2), 1);
  std::vector<std::byte> rows(8);
  ImageSource source(image);
  source.read_rows(rows.data(), 2, 2);
  CHECK_THROWS_AS(source.read_rows(rows.data(), 1, 2), std::logic_error);
  Image out(image.info());
  ImageSink sink(out);
  CHECK_THROWS_AS(sink.write_rows(rows.data(), 3, 2), std::logic_error);
}

}  // namespace
}  // namespace upfirdn
