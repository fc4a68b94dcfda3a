#include "core/fraction.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/random.hpp"

namespace upfirdn {
namespace {

TEST_CASE("a fraction is kept in lowest terms with a positive denominator") {
  CHECK(make_fraction(6, 4) == Fraction{3, 2});
  CHECK(make_fraction(-6, 4) == Fraction{-3, 2});
  CHECK(make_fraction(6, -4) == Fraction{-3, 2});
  CHECK(make_fraction(0, -7) == Fraction{0, 1});
  CHECK(Fraction{2, 3} * Fraction{3, 4} == Fraction{1, 2});
  CHECK(Fraction{2, 3} / Fraction{-4, 3} == Fraction{-1, 2});
  CHECK(Fraction{1, 3} < Fraction{34, 100});
  CHECK_FALSE(Fraction{-1, 3} < Fraction{-1, 3});
  CHECK_THROWS_AS(make_fraction(1, 0), std::logic_error);
}

TEST_CASE("terms that fit are exact, others become the nearest fraction that fits") {
  Random random(1);
  for (int bits : {3, 4, 6}) {
    const std::int64_t limit = (std::int64_t(1) << bits) - 1;
    for (int i = 0; i < 400; ++i) {
      const std::int64_t num = random.between(1, 5000),
                         den = random.between(std::max<std::int64_t>(1, num / limit + 1), 5000);
      bool rounded = false;
      const Fraction f = make_fraction(num, den, bits, &rounded);
      INFO(num << "/" << den << " in " << bits << " bits gives " << f.num << "/" << f.den);
      REQUIRE(f.num <= limit);
      REQUIRE(f.den <= limit);
      const double exact = double(num) / double(den);
      double least = INFINITY;
      for (std::int64_t q = 1; q <= limit; ++q)
        for (std::int64_t p = 0; p <= limit; ++p)
          least = std::min(least, std::abs(exact - double(p) / double(q)));
      CHECK(std::abs(exact - to_double(f)) <= least * (1 + 1e-9) + 1e-15);
      CHECK(rounded == (least > 1e-15));
    }
  }
}

TEST_CASE("a pitch of a 31-bit scale is rounded only beyond 31 bits") {
  bool rounded = true;
  CHECK(make_fraction((Int128(1) << 31) - 1, 1, 31, &rounded) == Fraction{(std::int64_t(1) << 31) - 1, 1});
  CHECK_FALSE(rounded);
  const Fraction f = make_fraction(Int128(3'000'000'001), Int128(3'000'000'000), 31, &rounded);
  CHECK(rounded);
  CHECK(to_double(f) == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("scaled sizes round to nearest, halves up") {
  CHECK(round_scaled(88, {120, 88}) == 120);
  CHECK(round_scaled(32, *parse_fraction("0.1234")) == 4);
  CHECK(round_scaled(32, *parse_fraction("0.9999")) == 32);
  CHECK(round_scaled(32, *parse_fraction("1.8")) == 58);
  CHECK(round_scaled(683, *parse_fraction("1/10.2298")) == 67);
  CHECK(round_scaled(5, {1, 2}) == 3);
  CHECK(round_scaled(-5, {1, 2}) == -2);
  CHECK(round_scaled(1, {1, 3}) == 0);
}

TEST_CASE("numbers are read exactly") {
  const std::pair<const char*, Fraction> cases[] = {
      {"0.341", {341, 1000}}, {"-1.5e-2", {-3, 200}},
      {"50%", {1, 2}},        {"1/2", {1, 2}},
      {"3", {3, 1}},          {"+4", {4, 1}},
      {".5", {1, 2}},         {"2.", {2, 1}},
      {"1e3", {1000, 1}},     {"0", {0, 1}},
      {"-0.0", {0, 1}},       {"1.5/4.5", {1, 3}},
      {"33.3%", {333, 1000}}, {"0.000000000001", {1, 1000000000000}}};
  for (const auto& [text, value] : cases) {
    INFO(text);
    const std::optional<Fraction> f = parse_fraction(text);
    REQUIRE(f.has_value());
    CHECK(*f == value);
  }
}

TEST_CASE("what is no number is refused") {
  for (const char* text : {"",      " ",   "1 ",   " 1",    "x",
                           "1x",    "1/0", "1/",   "/2",    "1//2",
                           "1/2/3", "--1", "1,5",  "nan",   "inf",
                           "0x10",  "1e",  "1e+",  ".",     "-",
                           "%",     "1%%", "1e99", "1e-99", "123456789012345678901234567890123456789012"}) {
    INFO("'" << text << "'");
    CHECK_FALSE(parse_fraction(text).has_value());
  }
}

}  // namespace
}  // namespace upfirdn
