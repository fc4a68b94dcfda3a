#include "core/sample_math.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "resample/arithmetic.hpp"
#include "support/images.hpp"

namespace upfirdn {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

ResampleSpec filtering(const EpilogueRequest& epilogue = {}) {
  ResampleSpec spec;
  spec.operation = FilterRequest{};
  spec.epilogue = epilogue;
  return spec;
}

SampleMath math_for(const ResampleSpec& spec, const ImageInfo& in, const ImageInfo& out) {
  return plan_samples(spec, in, out, false);
}

template <class Out>
Out stored(const SampleMath& math, float sum, int channel = 0, float companion = 0.0f) {
  bool was_nan = false;
  return math.view().encode<Out>(sum, companion, channel, was_nan);
}

/// What the epilogue makes of `value` in a float image.
float after(const EpilogueRequest& epilogue, float value) {
  const ImageInfo info = shape(PixelType::f32, 1, 1);
  return stored<float>(math_for(filtering(epilogue), info, info), value);
}

TEST_CASE("integers round half to even, then clamp") {
  const ImageInfo u8 = shape(PixelType::u8, 1, 1), u16 = shape(PixelType::u16, 1, 1),
                  s16 = shape(PixelType::s16, 1, 1);
  const SampleMath m8 = math_for(filtering(), u8, u8), m16 = math_for(filtering(), u16, u16),
                   ms = math_for(filtering(), s16, s16);
  CHECK(int(stored<std::uint8_t>(m8, 126.5f)) == 126);
  CHECK(int(stored<std::uint8_t>(m8, 127.5f)) == 128);
  CHECK(int(stored<std::uint8_t>(m8, 0.5f)) == 0);
  CHECK(int(stored<std::uint8_t>(m8, 1e30f)) == 255);
  CHECK(int(stored<std::uint8_t>(m8, -infinity)) == 0);
  CHECK(int(stored<std::uint8_t>(m8, 255.5f)) == 255);
  CHECK(stored<std::uint16_t>(m16, 65535.5f) == 65535);
  CHECK(stored<std::uint16_t>(m16, 65534.5f) == 65534);
  CHECK(stored<std::uint16_t>(m16, infinity) == 65535);
  CHECK(stored<std::int16_t>(ms, -32768.5f) == -32768);
  CHECK(stored<std::int16_t>(ms, -40000.0f) == -32768);
  CHECK(stored<std::int16_t>(ms, 32767.5f) == 32767);
  CHECK(stored<std::int16_t>(ms, -2.5f) == -2);
  CHECK(stored<std::int16_t>(ms, -3.5f) == -4);
}

TEST_CASE("integers clamp to the maxval of their file") {
  ImageInfo info = shape(PixelType::u16, 1, 1);
  info.maxval = 4095;
  CHECK(stored<std::uint16_t>(math_for(filtering(), info, info), 5000.0f) == 4095);
}

TEST_CASE("NaN becomes 0 in integers and is reported") {
  const ImageInfo info = shape(PixelType::s16, 1, 1);
  const SampleMath math = math_for(filtering(), info, info);
  bool was_nan = false;
  CHECK(math.view().encode<std::int16_t>(nan, 0, 0, was_nan) == 0);
  CHECK(was_nan);
  was_nan = false;
  (void)math.view().encode<std::int16_t>(infinity, 0, 0, was_nan);
  CHECK_FALSE(was_nan);
}

TEST_CASE("a stored NaN has one bit pattern, infinities and negative zero stay") {
  const ImageInfo f32 = shape(PixelType::f32, 1, 1), f16 = shape(PixelType::f16, 1, 1);
  const SampleMath m32 = math_for(filtering(), f32, f32), m16 = math_for(filtering(), f16, f16);
  CHECK(std::bit_cast<std::uint32_t>(stored<float>(m32, std::bit_cast<float>(0xffc12345u))) == 0x7fc00000u);
  CHECK(stored<Half>(m16, std::bit_cast<float>(0xffc12345u)).bits == 0x7e00);
  CHECK(stored<float>(m32, -infinity) == -infinity);
  CHECK(std::signbit(stored<float>(m32, -0.0f)));
  CHECK(stored<Half>(m16, 1e6f).bits == 0x7c00);
}

TEST_CASE("activations follow their formulas on NaN and zeros too") {
  const EpilogueRequest relu{.activation = Activation::relu},
      lrelu{.activation = Activation::lrelu, .slope = 0.25};
  CHECK(after(relu, 2.0f) == 2.0f);
  CHECK(after(relu, -2.0f) == 0.0f);
  CHECK_FALSE(std::signbit(after(relu, -0.0f)));
  CHECK(std::isnan(after(relu, nan)));
  CHECK(after(relu, infinity) == infinity);
  CHECK(after(lrelu, -2.0f) == -0.5f);
  CHECK(std::signbit(after(lrelu, -0.0f)));
  CHECK(std::isnan(after(lrelu, nan)));
}

TEST_CASE("bias, activation, gain and clamp follow in this order") {
  const EpilogueRequest epilogue{
      .bias = {-3}, .activation = Activation::lrelu, .slope = 0.5, .activation_gain = 4, .clamp = 5};
  CHECK(after(epilogue, 4.0f) == 4.0f);
  CHECK(after(epilogue, 5.0f) == 5.0f);
  CHECK(after(epilogue, 2.0f) == -2.0f);
  CHECK(after(epilogue, -10.0f) == -5.0f);
  CHECK(std::isnan(after(epilogue, nan)));
}

TEST_CASE("a bias is one number or one a channel") {
  const ImageInfo info = shape(PixelType::f32, 1, 1, 3);
  const SampleMath math = math_for(filtering({.bias = {1, 0, -2}}), info, info);
  CHECK(stored<float>(math, 10.0f, 0) == 11.0f);
  CHECK(stored<float>(math, 10.0f, 1) == 10.0f);
  CHECK(stored<float>(math, 10.0f, 2) == 8.0f);
  CHECK(stored<float>(math_for(filtering({.bias = {5}}), info, info), 10.0f, 2) == 15.0f);
  CHECK_THROWS_AS(math_for(filtering({.bias = {1, 2}}), info, info), Error);
}

TEST_CASE("value ranges say in what units the epilogue works") {
  const ImageInfo u8 = shape(PixelType::u8, 1, 1), s16 = shape(PixelType::s16, 1, 1);
  EpilogueRequest epilogue{.bias = {0.2}, .range = ValueRange::unit};
  CHECK(int(stored<std::uint8_t>(math_for(filtering(epilogue), u8, u8), 100.0f)) == 151);
  epilogue.range = ValueRange::signed_unit;
  CHECK(int(stored<std::uint8_t>(math_for(filtering(epilogue), u8, u8), 100.0f)) == 126);
  CHECK(stored<std::int16_t>(math_for(filtering(epilogue), s16, s16), 0.0f) == 6553);
  epilogue.range = ValueRange::code;
  epilogue.bias = {20};
  CHECK(int(stored<std::uint8_t>(math_for(filtering(epilogue), u8, u8), 100.0f)) == 120);
}

TEST_CASE("an epilogue that does nothing is none") {
  const ImageInfo info = shape(PixelType::u8, 1, 1, 2);
  CHECK_FALSE(
      math_for(filtering({.bias = {0, -0.0}, .range = ValueRange::signed_unit}), info, info).rule.epilogue);
  CHECK(math_for(filtering({.clamp = 300}), info, info).rule.epilogue);
}

TEST_CASE("a depth maps full scale to full scale") {
  const auto mapped = [](PixelType in, std::uint32_t in_max, PixelType out, std::uint32_t out_max,
                         float value) {
    ImageInfo from = shape(in, 1, 1), to = shape(out, 1, 1);
    from.maxval = in_max, to.maxval = out_max;
    const SampleMath math = math_for(filtering(), from, to);
    return visit_pixel_type(out, [&](auto type) { return to_real<double>(stored<decltype(type)>(math, value)); });
  };
  CHECK(mapped(PixelType::u8, 255, PixelType::u16, 65535, 255) == 65535);
  CHECK(mapped(PixelType::u8, 255, PixelType::u16, 65535, 1) == 257);
  CHECK(mapped(PixelType::u16, 65535, PixelType::u8, 255, 32768) == 128);
  CHECK(mapped(PixelType::u16, 4095, PixelType::u16, 65535, 4095) == 65535);
  CHECK(mapped(PixelType::u16, 65535, PixelType::f32, 1, 65535) == 1.0);
  CHECK(mapped(PixelType::f32, 1, PixelType::u8, 255, 0.5f) == 128);
  CHECK(mapped(PixelType::s16, 32767, PixelType::f32, 1, -32767) == -1.0);
}

ResampleSpec resizing(const ResizeRequest& request) {
  ResampleSpec spec;
  spec.operation = request;
  return spec;
}

TEST_CASE("light encodes every code back to itself") {
  for (const PixelType type : {PixelType::u8, PixelType::u16}) {
    const ImageInfo info = shape(type, 1, 1);
    const SampleMath math = math_for(resizing({.linear = true}), info, info);
    visit_filtered_type<float>(type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>)
        for (std::uint32_t code = 0; code <= info.maxval; ++code) {
          const T pixels[2] = {T(code)};
          REQUIRE(stored<T>(math, math.view().decode(pixels, 0)) == pixels[0]);
        }
      REQUIRE(to_float(stored<T>(math, nan)) == 0.0f);
      REQUIRE(to_float(stored<T>(math, 2.0f)) == float(info.maxval));
      REQUIRE(to_float(stored<T>(math, -1.0f)) == 0.0f);
    });
  }
}

TEST_CASE("light is encoded straight to the codes of another depth, alpha is mapped") {
  ImageInfo in = shape(PixelType::u8, 1, 1, 2), out = shape(PixelType::u16, 1, 1, 2);
  in.alpha = out.alpha = Alpha::straight;
  for (const AlphaMode mode : {AlphaMode::premultiplied, AlphaMode::straight}) {
    const SampleMath math = math_for(resizing({.alpha_mode = mode, .linear = true}), in, out);
    const std::uint8_t pixel[2] = {100, 255};
    const float alpha = math.view().decode(pixel, 1), light = math.view().decode(pixel, 0);
    CHECK(stored<std::uint16_t>(math, alpha, 1, alpha) == 65535);
    CHECK(stored<std::uint16_t>(math, light, 0, alpha) == 25700);
  }
}

TEST_CASE("colour is weighted by alpha and divided by it again") {
  ImageInfo info = shape(PixelType::u8, 1, 1, 4);
  info.alpha = Alpha::straight;
  const SampleMath math = math_for(resizing({}), info, info);
  const std::uint8_t pixel[4] = {255, 100, 0, 51};
  const SampleMathView view = math.view();
  CHECK(view.companion_plane(0) == 3);
  CHECK(view.decode(pixel, 3) == 0.2f);
  CHECK(view.decode(pixel, 0) == 51.0f);
  CHECK(int(stored<std::uint8_t>(math, 20.0f, 1, 0.2f)) == 100);
  CHECK(int(stored<std::uint8_t>(math, 0.2f, 3, 0.2f)) == 51);
  CHECK(int(stored<std::uint8_t>(math, 20.0f, 1, 0.0f)) == 0);
  CHECK(int(stored<std::uint8_t>(math, 20.0f, 1, -0.1f)) == 0);
}

TEST_CASE("missing samples weigh nothing and give their value where most are missing") {
  const ImageInfo info = shape(PixelType::s16, 1, 1, 2);
  ResampleSpec spec = resizing({.nodata = -1000.0});
  spec.epilogue.bias = {7};
  const SampleMath math = math_for(spec, info, info);
  const SampleMathView view = math.view();
  CHECK(view.planes == 4);
  const std::int16_t pixel[2] = {-1000, 50};
  CHECK(view.decode(pixel, 0) == 0.0f);
  CHECK(view.decode(pixel, 1) == 50.0f);
  CHECK(view.decode(pixel, view.companion_plane(0)) == 1.0f);
  CHECK(view.decode(pixel, view.companion_plane(1)) == 0.0f);
  CHECK(stored<std::int16_t>(math, 30.0f, 0, 0.25f) == 47);
  CHECK(stored<std::int16_t>(math, 30.0f, 0, 0.5f) == 67);
  CHECK(stored<std::int16_t>(math, 30.0f, 0, 0.75f) == -1000);
}

template <class Out>
Out stored_wide(const SampleMath& math, double sum) {
  bool was_nan = false;
  return math.view<double>().encode<Out>(sum, 0, 0, was_nan);
}

TEST_CASE("samples that float32 does not hold round, clamp and scale in double") {
  const ImageInfo u32 = shape(PixelType::u32, 1, 1), s32 = shape(PixelType::s32, 1, 1), f64 = shape(PixelType::f64, 1, 1);
  const SampleMath unsigned_math = math_for(filtering(), u32, u32), signed_math = math_for(filtering(), s32, s32);
  CHECK(stored_wide<std::uint32_t>(unsigned_math, 4294967294.5) == 4294967294u);
  CHECK(stored_wide<std::uint32_t>(unsigned_math, 4294967293.5) == 4294967294u);
  CHECK(stored_wide<std::uint32_t>(unsigned_math, 1e300) == 4294967295u);
  CHECK(stored_wide<std::uint32_t>(unsigned_math, -1) == 0);
  CHECK(stored_wide<std::uint32_t>(unsigned_math, NAN) == 0);
  CHECK(stored_wide<std::int32_t>(signed_math, -INFINITY) == std::numeric_limits<std::int32_t>::min());
  CHECK(stored_wide<std::int32_t>(signed_math, 16777216.5) == 16777216);
  const SampleMath float_math = math_for(filtering(), f64, f64);
  CHECK(std::bit_cast<std::uint64_t>(stored_wide<double>(float_math, std::bit_cast<double>(0xfff8000000000001u))) == 0x7ff8000000000000u);
  CHECK(std::signbit(stored_wide<double>(float_math, -0.0)));
  CHECK(stored_wide<double>(float_math, -INFINITY) == -INFINITY);
  CHECK(stored_wide<std::uint16_t>(math_for(filtering(), u32, shape(PixelType::u16, 1, 1)), 4294967295.0) == 65535);
  CHECK(stored_wide<float>(math_for(filtering(), f64, shape(PixelType::f32, 1, 1)), 1.0 / 3) == float(1.0 / 3));
  CHECK(stored_wide<double>(math_for(filtering({.bias = {0.1}}), f64, f64), 0.2) == 0.1 + 0.2);
}

TEST_CASE("a nodata value that no sample can hold is refused") {
  const ImageInfo info = shape(PixelType::u8, 1, 1);
  CHECK_THROWS_AS(math_for(resizing({.nodata = 256.0}), info, info), Error);
  CHECK_THROWS_AS(math_for(resizing({.nodata = 0.5}), info, info), Error);
  ImageInfo with_alpha = shape(PixelType::u8, 1, 1, 2);
  with_alpha.alpha = Alpha::straight;
  CHECK_THROWS_AS(math_for(resizing({.nodata = 1.0}), with_alpha, with_alpha), Error);
}

}  // namespace
}  // namespace upfirdn
