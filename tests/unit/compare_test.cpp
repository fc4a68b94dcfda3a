// Differences of two files, worked out by hand.
#include "app/compare.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/image_store.hpp"
#include "support/test_folder.hpp"

namespace upfirdn {

namespace fs = std::filesystem;

namespace {

struct Folder : TestFolder {
  template <class Sample>
  [[nodiscard]] std::string write(const std::string& name, ImageInfo info,
                                  const std::vector<Sample>& samples) const {
    const std::string path = at(name);
    const std::size_t bytes = samples.size() * sizeof(Sample);
    REQUIRE(bytes == info.row_bytes() * std::size_t(info.height));
    PendingImage pending(path, *find_format(fs::path(name).extension().string().substr(1)), info, 1, {});
    pending.rows().write_rows(reinterpret_cast<const std::byte*>(samples.data()), info.height,
                              info.row_bytes());
    pending.commit();
    return path;
  }
};

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

ImageInfo gray16(std::int64_t width, std::int64_t height, std::uint32_t maxval = 65535) {
  return {.width = width, .height = height, .channels = 1, .type = PixelType::u16, .maxval = maxval};
}
ImageInfo floats(std::int64_t width) {
  return {.width = width, .height = 1, .channels = 1, .type = PixelType::f32, .maxval = 1};
}

}  // namespace

TEST_CASE("equal files have no difference and infinite PSNR") {
  const Folder folder;
  const std::vector<std::uint16_t> samples{0, 1, 65535, 40000};
  const Comparison result = compare_files(folder.write("a.pgm", gray16(2, 2), samples),
                                          folder.write("b.png", gray16(2, 2), samples), {}, {});
  CHECK(result.comparable);
  CHECK((result.largest == 0 && result.rms == 0 && result.differing == 0 && result.samples == 4));
  CHECK(std::isinf(result.psnr_db));
}

TEST_CASE("the first place of the largest difference is named") {
  const Folder folder;
  const std::vector<std::uint16_t> a{0, 10, 0, 65535, 5, 0}, b{0, 13, 0, 0, 5, 65535};
  const Comparison result =
      compare_files(folder.write("a.pgm", gray16(3, 2), a), folder.write("b.pgm", gray16(3, 2), b), {}, {});
  REQUIRE(result.comparable);
  CHECK(result.largest == 65535);
  CHECK((result.x == 0 && result.y == 1 && result.channel == 0));
  CHECK(result.differing == 3);
  const double rms = std::sqrt((9.0 + 2 * 65535.0 * 65535.0) / 6);
  CHECK(result.rms == Approx(rms).epsilon(1e-14));
  CHECK(result.psnr_db == Approx(20 * std::log10(65535 / rms)).epsilon(1e-12));
}

TEST_CASE("a difference in the third channel is counted there") {
  const Folder folder;
  const ImageInfo info{.width = 2, .height = 1, .channels = 3};
  const Comparison result =
      compare_files(folder.write<std::uint8_t>("a.ppm", info, {1, 2, 3, 4, 5, 6}),
                    folder.write<std::uint8_t>("b.ppm", info, {1, 2, 3, 4, 5, 9}), {}, {});
  CHECK((result.largest == 3 && result.x == 1 && result.y == 0 && result.channel == 2));
}

TEST_CASE("NaN beside NaN is equal, NaN beside a number is infinitely far") {
  const Folder folder;
  const std::string a = folder.write<float>("a.npy", floats(4), {nan_value, infinity, 1.0f, -0.0f});
  const std::string b = folder.write<float>("b.npy", floats(4), {nan_value, infinity, 1.0f, 0.0f});
  CHECK(compare_files(a, b, {}, {}).differing == 0);
  const std::string c = folder.write<float>("c.npy", floats(4), {nan_value, infinity, nan_value, 0.0f});
  const Comparison result = compare_files(a, c, {}, {});
  CHECK(std::isinf(result.largest));
  CHECK((result.x == 2 && result.differing == 1));
  CHECK(result.psnr_db == -std::numeric_limits<double>::infinity());
}

TEST_CASE("other sizes, channels or maxvals are not comparable") {
  const Folder folder;
  const std::string a = folder.write<std::uint16_t>("a.pgm", gray16(2, 1), {1, 2});
  const std::string wide = folder.write<std::uint16_t>("wide.pgm", gray16(3, 1), {1, 2, 3});
  const std::string bits12 = folder.write<std::uint16_t>("bits12.pgm", gray16(2, 1, 4095), {1, 2});
  const Comparison sizes = compare_files(a, wide, {}, {});
  CHECK_FALSE(sizes.comparable);
  CHECK(sizes.obstacle == "the sizes differ");
  CHECK(sizes.b.width == 3);
  CHECK(compare_files(a, bits12, {}, {}).obstacle == "the maxvals differ");
}

TEST_CASE("a missing or damaged file is that file's failure") {
  const Folder folder;
  const std::string a = folder.write<std::uint16_t>("a.pgm", gray16(2, 1), {1, 2});
  CHECK_THROWS_AS(compare_files(a, folder.at("missing.pgm"), {}, {}), Error);
  fs::resize_file(a, fs::file_size(a) - 1);
  CHECK_THROWS_AS(compare_files(a, a, {}, {}), Error);
}

}  // namespace upfirdn
