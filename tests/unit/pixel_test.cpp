#include "core/pixel.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/images.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace upfirdn {
namespace {

/// Value of a half from its definition.
double half_by_definition(std::uint16_t bits) {
  const double sign = bits >= 0x8000 ? -1 : 1;
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST_CASE("every half has the value of its definition and converts back to its bits") {
  for (int bits = 0; bits < 65536; ++bits) {
    const Half half{std::uint16_t(bits)};
    const float value = half_to_float(half);
    const double expected = half_by_definition(half.bits);
    if (std::isnan(expected)) {
      REQUIRE(std::isnan(value));
      REQUIRE(float_to_half(value).bits == 0x7e00);
      continue;
    }
    REQUIRE(double(value) == expected);
    REQUIRE(std::signbit(value) == (bits >= 0x8000));
    REQUIRE(float_to_half(value) == half);
  }
}

TEST_CASE("floats round to the nearest half, ties to even") {
  for (int bits = 0; bits < 0x7bff; ++bits) {
    const double low = half_by_definition(std::uint16_t(bits)),
                 high = half_by_definition(std::uint16_t(bits + 1));
    const float middle = float((low + high) / 2);
    const std::uint16_t even = std::uint16_t(bits % 2 == 0 ? bits : bits + 1);
    REQUIRE(float_to_half(middle).bits == even);
    REQUIRE(float_to_half(-middle).bits == (even | 0x8000));
    REQUIRE(float_to_half(std::nextafter(middle, 0.0f)).bits == bits);
    REQUIRE(float_to_half(std::nextafter(middle, INFINITY)).bits == bits + 1);
  }
  CHECK(float_to_half(std::nextafter(65520.0f, 0.0f)).bits == 0x7bff);
  CHECK(float_to_half(65520.0f).bits == 0x7c00);
  CHECK(float_to_half(-1e30f).bits == 0xfc00);
  CHECK(float_to_half(INFINITY).bits == 0x7c00);
  CHECK(float_to_half(std::numeric_limits<float>::denorm_min()).bits == 0);
  CHECK(float_to_half(-0.0f).bits == 0x8000);
}

TEST_CASE("random floats round to halves as the oracle says") {
  Random random(7);
  for (int i = 0; i < 200000; ++i) {
    const float value = std::bit_cast<float>(std::uint32_t(random.bits()));
    if (std::isnan(value)) continue;
    REQUIRE(double(half_to_float(float_to_half(value))) ==
            oracle::rounded_to(PixelType::f16, double(value), 1));
  }
}

TEST_CASE("doubles round to halves once") {
  Random random(8);
  for (int i = 0; i < 100000; ++i) {
    // Near the middle between two halves, where rounding to a float first would hit it.
    const double low = half_by_definition(std::uint16_t(random.between(0, 0x7bfe)));
    const double middle = (low + half_by_definition(float_to_half(float(low)).bits + 1)) / 2;
    for (const double value : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, INFINITY), random.real(0, 1) * low})
      for (const double sign : {1.0, -1.0}) {
        const Half half = double_to_half(sign * value);
        REQUIRE(double(half_to_float(half)) == oracle::rounded_to(PixelType::f16, sign * value, 1));
        REQUIRE((half.bits >= 0x8000) == (sign < 0));
      }
  }
  CHECK(double_to_half(NAN).bits == 0x7e00);
  CHECK(double_to_half(1e300).bits == 0x7c00);
  CHECK(double_to_half(-INFINITY).bits == 0xfc00);
  CHECK(double_to_half(-1e-300).bits == 0x8000);
  CHECK(double_to_half(std::nextafter(65520.0, 0.0)).bits == 0x7bff);
}

TEST_CASE("types know their size, name and full scale") {
  const std::tuple<PixelType, std::size_t, const char*, std::uint32_t> rows[] = {
      {PixelType::u8, 1, "u8", 255},
      {PixelType::u16, 2, "u16", 65535},
      {PixelType::s16, 2, "s16", 32767},
      {PixelType::f16, 2, "f16", 1},
      {PixelType::f32, 4, "f32", 1},
      {PixelType::u32, 4, "u32", 4294967295u},
      {PixelType::s32, 4, "s32", 2147483647u},
      {PixelType::f64, 8, "f64", 1}};
  for (const auto& [type, bytes, text, scale] : rows) {
    CHECK(size_bytes(type) == bytes);
    CHECK(name(type) == text);
    CHECK(full_scale(type) == scale);
    CHECK(is_float(type) == (scale == 1));
    CHECK(is_signed_integer(type) == (text[0] == 's'));
    CHECK((arithmetic_of(type) == Arithmetic::float64) == (bytes == 8 || (bytes == 4 && scale > 1)));
  }
}

TEST_CASE("samples of every type are read as the numbers that were written") {
  for (const PixelType type :
       {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::f16, PixelType::f32, PixelType::u32, PixelType::s32, PixelType::f64}) {
    const std::vector<double> values{0, 1, 2, 100, 127, 64};
    CHECK(values_of(image_of(shape(type, 3, 1, 2), values)) == values);
  }
  CHECK(values_of(image_of(shape(PixelType::s16, 2, 1), {-32768, 32767})) ==
        std::vector<double>{-32768, 32767});
}

}  // namespace
}  // namespace upfirdn
