#include "resample/geometry.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "support/describe.hpp"
#include "support/images.hpp"
#include "support/oracle.hpp"
#include "support/random_cases.hpp"

namespace upfirdn {
namespace {

ResizeGeometry geometry(const ResizeTarget& target, std::int64_t width, std::int64_t height,
                        OneWay one_way = OneWay::no) {
  return plan_geometry({.target = target, .one_way = one_way}, shape(PixelType::u8, width, height), false);
}

using Sides = std::pair<std::int64_t, std::int64_t>;
Sides size_of(const ResizeGeometry& g) {
  return {g.x.out, g.y.out};
}
Sides size_of(const ResizeTarget& target, std::int64_t width, std::int64_t height,
              OneWay one_way = OneWay::no) {
  return size_of(geometry(target, width, height, one_way));
}

ByScale scale(const char* x, const char* y) {
  return {*parse_fraction(x), *parse_fraction(y)};
}

TEST_CASE("sizes from factors round to nearest, halves up, at least 1") {
  CHECK(size_of(scale("0.1234", "1.8"), 32, 32) == Sides{4, 58});
  CHECK(size_of(scale("0.9999", "0.0001"), 32, 32) == Sides{32, 1});
  CHECK(size_of(scale("120/88", "1/2"), 88, 5) == Sides{120, 3});
  CHECK(size_of(scale("1/10.2298", "1/10.2298"), 1024, 683) == Sides{100, 67});
  CHECK(size_of(scale("15/11", "29/25"), 11, 25) == Sides{15, 29});
  CHECK(size_of(scale("0.707", "1/0.707"), 224, 158) == Sides{158, 223});
  CHECK(size_of(ByFactors{{2, 1}, {3, 2}}, 5, 5) == Sides{3, 3});
}

TEST_CASE("a missing side follows the aspect") {
  CHECK(size_of(ToSize{100, std::nullopt}, 1024, 683) == Sides{100, 67});
  CHECK(size_of(ToSize{std::nullopt, 1}, 1000, 3) == Sides{333, 1});
  CHECK(size_of(ToSize{1, std::nullopt}, 1000, 3) == Sides{1, 1});
}

TEST_CASE("fit stays inside, cover covers, fill cuts the centre") {
  CHECK(size_of(ToFit{100, 100}, 1024, 683) == Sides{100, 67});
  CHECK(size_of(ToFit{100, 50}, 10, 10) == Sides{50, 50});
  CHECK(size_of(ToCover{100, 100}, 1024, 683) == Sides{150, 100});
  const ResizeGeometry fill = geometry(ToFill{100, 100}, 1024, 683);
  CHECK(size_of(fill) == Sides{100, 100});
  CHECK(fill.x.skip == 25);
  CHECK(fill.y.skip == 0);
  CHECK(Fraction{fill.x.down, fill.x.up} == Fraction{512, 75});
}

TEST_CASE("a letterbox puts the fitted picture in the middle") {
  const ResizeGeometry g = geometry(ToLetterbox{100, 80}, 1024, 683);
  CHECK(size_of(g) == Sides{100, 67});
  REQUIRE(g.canvas.has_value());
  CHECK(g.canvas->width == 100);
  CHECK(g.canvas->height == 80);
  CHECK(g.canvas->x == 0);
  CHECK(g.canvas->y == 6);
}

TEST_CASE("one-way resizes keep images that would go the other way") {
  CHECK(size_of(ToFit{100, 100}, 50, 40, OneWay::only_shrink) == Sides{50, 40});
  CHECK(size_of(ToFit{100, 100}, 500, 400, OneWay::only_shrink) == Sides{100, 80});
  CHECK(size_of(ToFit{100, 100}, 500, 400, OneWay::only_enlarge) == Sides{500, 400});
  CHECK(size_of(ToSize{100, 10}, 50, 40, OneWay::only_shrink) == Sides{50, 40});
  CHECK(size_of(ToSize{100, 10}, 50, 40, OneWay::only_enlarge) == Sides{50, 40});
  const ResizeGeometry fill = geometry(ToFill{60, 100}, 90, 40, OneWay::only_shrink);
  CHECK(size_of(fill) == Sides{60, 40});
  CHECK(fill.x.skip == 15);
  const ResizeGeometry box = geometry(ToLetterbox{100, 100}, 50, 40, OneWay::only_shrink);
  CHECK(size_of(box) == Sides{50, 40});
  CHECK(box.canvas->x == 25);
  CHECK(box.canvas->y == 30);
}

TEST_CASE("pitches are exact and reduced, factors of taps are kept") {
  const ResizeGeometry size = geometry(ToSize{2500, 4}, 853, 6);
  CHECK(size.x.up == 2500);
  CHECK(size.x.down == 853);
  CHECK(size.y.up == 2);
  CHECK(size.y.down == 3);
  const ResizeGeometry decimal = geometry(scale("0.341", "50%"), 100, 100);
  CHECK(decimal.x.up == 341);
  CHECK(decimal.x.down == 1000);
  CHECK(decimal.y.down == 2);
  const ResizeRequest factors{.target = ByFactors{{4, 6}, {2, 4}}};
  CHECK(plan_geometry(factors, shape(PixelType::u8, 8, 8), false).x.up == 2);
  CHECK(plan_geometry(factors, shape(PixelType::u8, 8, 8), true).x.up == 4);
  CHECK(plan_geometry(factors, shape(PixelType::u8, 8, 8), true).y.down == 4);
}

TEST_CASE("a wanted spacing is a factor of the spacing the image has") {
  ImageInfo info = shape(PixelType::u16, 3000, 2000);
  const ResizeRequest half{.target = ToSpacing{{1, 5}, {1, 4}}};
  CHECK_THROWS_WITH(plan_geometry(half, info, false), Catch::Contains("--spacing"));
  info.spacing = Spacing{{143, 1000}, {1, 8}};
  const ResizeGeometry g = plan_geometry(half, info, false);
  CHECK(g.x.out == 2145);
  CHECK(g.y.out == 1000);
  CHECK(Fraction{g.x.down, g.x.up} == Fraction{200, 143});
  CHECK(g.y.down == 2 * g.y.up);
}

TEST_CASE("a side beyond 31 bits is refused") {
  CHECK_THROWS_AS(geometry(scale("2000000", "1"), 3000, 1), Error);
  CHECK_THROWS_AS(geometry(ToSize{2000000000, std::nullopt}, 1, 2), Error);
}

TEST_CASE("sizes and factors of random requests are those of the definition") {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const RandomCase one = random_case(seed);
    const auto* resize = std::get_if<ResizeRequest>(&one.spec.operation);
    if (resize == nullptr) continue;
    const ImageInfo& info = one.image.info();
    const oracle::Setup setup = oracle::resolve(one.spec, info);
    const bool keeps = std::holds_alternative<AxisTaps>(one.spec.filter);
    const ResizeGeometry g = plan_geometry(*resize, info, keeps);
    INFO(one.description);
    CHECK(size_of(g) == Sides{setup.x.out, setup.y.out});
    CHECK(Sides{g.x.up, g.x.down} == Sides{setup.x.up, setup.x.down});
    CHECK(Sides{g.y.up, g.y.down} == Sides{setup.y.up, setup.y.down});
  }
}

}  // namespace
}  // namespace upfirdn
