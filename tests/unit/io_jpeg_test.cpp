#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "support/in_memory_files.hpp"
#include "support/images.hpp"

using namespace upfirdn;
using Catch::Matchers::Contains;
using namespace std::string_literals;

namespace {

/// A smooth picture, which JPEG keeps well.
Image smooth(int width, int height, int channels) {
  std::vector<double> values;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c)
        values.push_back(std::round(128 + 60 * std::sin(x / 9.0 + c) * std::cos(y / 7.0)));
    }
  }
  return image_of(shape(PixelType::u8, width, height, channels), values);
}

double largest_difference(const Image& a, const Image& b) {
  const auto left = values_of(a), right = values_of(b);
  double largest = 0;
  for (std::size_t i = 0; i < left.size(); ++i) largest = std::max(largest, std::abs(left[i] - right[i]));
  return largest;
}

std::string jpeg(const Image& image, int quality) {
  CodecOptions options;
  options.quality = quality;
  return encode("jpg", image, options);
}

/// Position of the frame header (SOF0).
std::size_t frame_header(const std::string& file) {
  return file.find("\xff\xc0\x00"s);
}

}  // namespace

TEST_CASE("JPEG: gray and colour come back close at high quality") {
  for (const int channels : {1, 3}) {
    const Image image = smooth(45, 31, channels);
    const std::string file = jpeg(image, 98);
    CHECK(file == jpeg(image, 98));
    const Image back = decode(file);
    CHECK(back.info() == image.info());
    CHECK(largest_difference(image, back) <= 6);
  }
}

TEST_CASE("JPEG: colour is halved below quality 90 and kept whole from there on") {
  const Image image = smooth(32, 32, 3);
  const auto luma_sampling = [&](int quality) {
    const std::string file = jpeg(image, quality);
    return int(file[frame_header(file) + 11]);
  };
  CHECK(luma_sampling(89) == 0x22);
  CHECK(luma_sampling(90) == 0x11);
}

TEST_CASE("JPEG: a quality beyond 1 to 100 is a usage error") {
  for (const int quality : {0, 101, -1}) {
    try {
      static_cast<void>(jpeg(smooth(8, 8, 1), quality));
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::usage);
      CHECK_THAT(error.what(), Contains("1 to 100"));
    }
  }
}

TEST_CASE("JPEG: a file cut anywhere is an error") {
  const std::string file = jpeg(smooth(40, 24, 3), 60);
  for (std::size_t size = 1; size < file.size(); ++size) {
    INFO(size);
    CHECK(!decoding_error(file.substr(0, size)).empty());
  }
  // Cut, and ended as if it were whole.
  for (const std::size_t percent : {70, 90, 98}) {
    const std::string ended = file.substr(0, file.size() * percent / 100) + "\xff\xd9"s;
    CHECK(!decoding_error(ended).empty());
  }
}

TEST_CASE("JPEG: a giant size in a small file is refused on opening") {
  std::string file = jpeg(smooth(8, 8, 1), 60);
  file.replace(frame_header(file) + 5, 4, "\xff\xdc\xff\xdc"s);
  CHECK_THROWS_WITH(open_in_memory(file), Contains("more than its"));
}

TEST_CASE("JPEG: other precisions are refused by name") {
  std::string twelve = jpeg(smooth(8, 8, 1), 60);
  twelve[frame_header(twelve) + 4] = 12;
  CHECK_THAT(decoding_error(twelve), Contains("12 bits a sample is not supported"));
}

TEST_CASE("JPEG: a few bytes of padding before the end are no damage, many are") {
  const std::string file = jpeg(smooth(16, 16, 1), 60);
  const std::string body = file.substr(0, file.size() - 2);
  CHECK(decoding_error(body + "\0\0\0\0\xff\xd9"s).empty());
  CHECK(!decoding_error(body + std::string(100, '\0') + "\xff\xd9"s).empty());
}
