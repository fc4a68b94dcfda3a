#include "resample/verify.hpp"

#include <catch2/catch.hpp>

#include "support/images.hpp"
#include "support/oracle.hpp"
#include "support/random_cases.hpp"
#include "support/run_case.hpp"

namespace upfirdn {
namespace {

TEST_CASE("verification accepts what the contract prescribes") {
  for (std::uint64_t seed = 2000; seed < 2200; ++seed) {
    const RandomCase one = random_case(seed);
    const Plan plan = plan_case(one.spec, one.image.info());
    const auto difference =
        compare_with_definition(plan.operation, one.image, oracle::emulate(one.spec, one.image));
    INFO(one.description << "\n" << (difference ? difference->text : ""));
    CHECK_FALSE(difference.has_value());
  }
}

TEST_CASE("verification names the sample that is wrong") {
  int caught = 0, tried = 0;
  for (std::uint64_t seed = 2200; seed < 2260; ++seed) {
    const RandomCase one = random_case(seed);
    Image result = oracle::emulate(one.spec, one.image);
    const ImageInfo& info = result.info();
    if (is_float(info.type) || info.maxval < 100 || one.has_specials) continue;
    const std::int64_t x = info.width / 2, y = info.height / 2;
    const double value = oracle::sample_at(result, x, y, 0);
    put_sample(result, x, y, 0, value >= info.maxval ? value - 2 : value + 2);
    ++tried;
    const auto difference =
        compare_with_definition(plan_case(one.spec, one.image.info()).operation, one.image, result);
    caught += difference && difference->x == x && difference->y == y && difference->channel == 0;
  }
  INFO(tried << " tried");
  CHECK(tried > 20);
  CHECK(caught >= tried - 1);
}

TEST_CASE("bytes are compared sample by sample") {
  const Image image = constant_image(shape(PixelType::u16, 4, 3, 2), 7);
  Image other = constant_image(shape(PixelType::u16, 4, 3, 2), 7);
  CHECK_FALSE(compare_bytes(image, other).has_value());
  put_sample(other, 2, 1, 1, 9);
  const auto difference = compare_bytes(image, other);
  REQUIRE(difference.has_value());
  CHECK(difference->x == 2);
  CHECK(difference->y == 1);
  CHECK(difference->channel == 1);
  CHECK(difference->text.find("9") != std::string::npos);
}

}  // namespace
}  // namespace upfirdn
