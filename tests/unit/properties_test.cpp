#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "resample/backend.hpp"
#include "support/describe.hpp"
#include "support/images.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/random_cases.hpp"
#include "support/run_case.hpp"

namespace upfirdn {
namespace {

constexpr const char* kernels[] = {"gaussian",   "gaussian:0.7", "box",           "triangle",
                                   "catmullrom", "mitchell",     "cubic:0.2,0.4", "lanczos2",
                                   "lanczos3",   "lanczos:4",    "kaiser",        "kaiser:atten=80,width=0.4",
                                   "halfband",   "nearest"};
constexpr Border borders[] = {Border::zero,   Border::edge, Border::reflect,
                              Border::mirror, Border::wrap, Border::constant};
constexpr PixelType types[] = {PixelType::u8,  PixelType::u16, PixelType::s16, PixelType::f16,
                               PixelType::f32, PixelType::u32, PixelType::s32, PixelType::f64};

Image run(const ResampleSpec& spec, const Image& image) {
  return run_case(spec, image, *make_cpu_backend(2));
}

ResampleSpec resizing(const char* filter, const ResizeTarget& target, Border border = Border::edge,
                      double value = 0) {
  ResampleSpec spec;
  spec.operation = ResizeRequest{.target = target};
  spec.filter = parse_filter(filter);
  spec.border = {border, value};
  return spec;
}

ResampleSpec filtering(const AxisTaps& taps, const FilterRequest& request, Border border) {
  ResampleSpec spec;
  spec.operation = request;
  spec.filter = taps;
  spec.border.kind = border;
  return spec;
}

Image row_of(PixelType type, const std::vector<double>& values) {
  return image_of(shape(type, std::int64_t(values.size()), 1), values);
}

/// Image whose pixel (x, y) is that of `image` at ((x + dx) mod w, (y + dy) mod h).
Image rolled(const Image& image, std::int64_t dx, std::int64_t dy) {
  const ImageInfo& info = image.info();
  Image result(info);
  for (std::int64_t y = 0; y < info.height; ++y)
    for (std::int64_t x = 0; x < info.width; ++x)
      for (int c = 0; c < info.channels; ++c) {
        const std::int64_t sx = ((x + dx) % info.width + info.width) % info.width;
        const std::int64_t sy = ((y + dy) % info.height + info.height) % info.height;
        put_sample(result, x, y, c, oracle::sample_at(image, sx, sy, c));
      }
  return result;
}

TEST_CASE("an impulse gives the taps") {
  const std::vector<double> taps{1, 2, 5, -3, 0.5, 7};
  std::vector<double> impulse(9, 0.0);
  impulse[4] = 1;
  for (const std::int64_t up : {1, 2, 3, 7})
    for (const bool flip : {false, true}) {
      const FilterRequest request{
          .up = {up, 1}, .padding = Padding{5, 5, 0, 0}, .flip = flip, .normalize = false};
      const std::vector<double> response =
          values_of(run(filtering({taps, {1}}, request, Border::zero), row_of(PixelType::f32, impulse)));
      // Output o covers upsampled positions o - 5 to o; tap k of the convolution meets the impulse at 4 * up.
      std::vector<double> expected(response.size(), 0.0);
      for (std::size_t k = 0; k < taps.size(); ++k)
        expected[std::size_t(4 * up) + k] = flip ? taps[taps.size() - 1 - k] : taps[k];
      INFO("up " << up << " flip " << flip);
      CHECK(response == expected);
    }
}

TEST_CASE("an impulse gives the matrix of a direct 2-D filter") {
  const TapMatrix matrix{2, 3, {1, 2, 3, 4, 5, 7}};
  ResampleSpec spec;
  spec.operation = FilterRequest{.padding = Padding{2, 2, 1, 1}, .normalize = false};
  spec.filter = matrix;
  spec.border.kind = Border::zero;
  Image image = constant_image(shape(PixelType::u8, 5, 5), 0);
  put_sample(image, 2, 2, 0, 1);
  const Image response = run(spec, image);
  CHECK(response.info().width == 7);
  for (std::int64_t y = 0; y < 6; ++y)
    for (std::int64_t x = 0; x < 7; ++x) {
      const bool inside = x >= 2 && x < 5 && y >= 2 && y < 4;
      CHECK(oracle::sample_at(response, x, y, 0) ==
            (inside ? matrix.values[std::size_t((y - 2) * 3 + x - 2)] : 0.0));
    }
}

TEST_CASE("downsampling keeps every down-th result of the full convolution") {
  const Image image = random_image(shape(PixelType::u16, 41, 30, 2), 9);
  const AxisTaps taps{{1, 4, 6, 4, 1}, {1, 3, 3, 1}};
  const Image full = run(filtering(taps, {.padding = Padding{2, 2, 1, 2}}, Border::mirror), image);
  const Image kept =
      run(filtering(taps, {.down = {3, 4}, .padding = Padding{2, 2, 1, 2}}, Border::mirror), image);
  for (std::int64_t y = 0; y < kept.info().height; ++y)
    for (std::int64_t x = 0; x < kept.info().width; ++x)
      for (int c = 0; c < 2; ++c)
        CHECK(std::abs(oracle::sample_at(kept, x, y, c) - oracle::sample_at(full, 3 * x, 4 * y, c)) <= 1);
}

void check_constant(const ResampleSpec& spec, const ImageInfo& info, double value) {
  const Image image = constant_image(info, value);
  const Image result = run(spec, image);
  INFO(describe(spec, info) << " of " << value);
  double furthest = 0, allowed = 0;
  for (const double v : values_of(result)) furthest = std::max(furthest, std::abs(v - value));
  if (is_float(info.type))
    allowed = oracle::evaluate(spec, image).error[0] + (info.type == PixelType::f16 ? 0x1p-11 * value : 0.0);
  CHECK(furthest <= allowed);
}

TEST_CASE("constants stay with every named filter, border and pixel type") {
  for (const char* kernel : kernels)
    for (const Border border : borders) {
      if (border == Border::zero) continue;
      for (const PixelType type : types) {
        const double value = is_float(type)             ? 0.75
                             : is_signed_integer(type) ? -double(full_scale(type)) - 1
                                                       : double(full_scale(type));
        for (const Pair<std::int64_t> size : {Pair<std::int64_t>{31, 3}, {5, 40}, {13, 11}})
          check_constant(resizing(kernel, ToSize{size.x, size.y}, border, value), shape(type, 13, 11), value);
      }
    }
}

TEST_CASE("constants stay at every ratio around a size") {
  for (const char* kernel : {"gaussian", "lanczos3", "box"})
    for (const double value : {65535.0, 40000.0, 1.0})
      for (std::int64_t in = 500; in <= 522; ++in)
        check_constant(resizing(kernel, ToSize{512, 1}), shape(PixelType::u16, in, 1), value);
  ImageInfo twelve = shape(PixelType::u16, 853, 2);
  twelve.maxval = 4095;
  for (const char* kernel : kernels) check_constant(resizing(kernel, ToSize{2500, 2}), twelve, 4095);
}

TEST_CASE("constants stay at 2000- and 60000-fold reduction and enlargement") {
  for (const char* kernel : kernels)
    for (const double value : {65535.0, 40000.0}) {
      check_constant(resizing(kernel, ToSize{2, 1}), shape(PixelType::u16, 4000, 1), value);
      check_constant(resizing(kernel, ToSize{1, 3}), shape(PixelType::u16, 1, 6000), value);
    }
  for (const char* kernel : {"gaussian", "box", "lanczos3", "kaiser"})
    for (const Border border : {Border::edge, Border::mirror}) {
      check_constant(resizing(kernel, ToSize{1, 1}, border), shape(PixelType::u16, 60000, 1), 65535);
      check_constant(resizing(kernel, ToSize{1, 1}, border), shape(PixelType::u16, 1, 60000), 65535);
      check_constant(resizing(kernel, ToSize{60000, 1}, border), shape(PixelType::u16, 1, 1), 65535);
      check_constant(resizing(kernel, ToSize{1, 60000}, border), shape(PixelType::u16, 1, 1), 65535);
    }
}

/// Sum of the outputs and their centre in input pixels for an impulse of 1 at `place` of a row of `n`.
struct Spot {
  double mass, centre;
};
Spot spot_of_impulse(const ResampleSpec& spec, std::int64_t n, std::int64_t place) {
  Image row(shape(PixelType::f32, n, 1));
  std::memset(row.data(), 0, row.size_bytes());
  put_sample(row, place, 0, 0, 1);
  const std::vector<double> out = values_of(run(spec, row));
  Spot spot{0, 0};
  const double pitch = double(n) / double(out.size());
  for (std::size_t o = 0; o < out.size(); ++o) {
    spot.mass += out[o];
    spot.centre += out[o] * ((double(o) + 0.5) * pitch - 0.5);
  }
  spot.centre /= spot.mass;
  return spot;
}

TEST_CASE("impulses stay where they are, to 1e-5 of an input pixel") {
  for (const char* filter : kernels) {
    if (std::string(filter) == "nearest") continue;
    for (const Fraction factor : {Fraction{2, 1}, {3, 1}, {4, 1}, {7, 1}, {3, 2}, {7, 3}, {1, 2}, {1, 4}, {1, 9}, {3, 7}, {25, 86}}) {
      const bool whole = factor.den == 1;  // else the mean over a period counts
      const std::int64_t n = 40 * factor.den;
      const ResampleSpec spec = resizing(filter, ByScale{factor, {1, 1}});
      double shift = 0, mass = 0;
      INFO(filter << " by " << factor.num << "/" << factor.den);
      for (std::int64_t place = n / 2; place < n / 2 + factor.den; ++place) {
        const Spot spot = spot_of_impulse(spec, n, place);
        if (whole) REQUIRE(std::abs(spot.centre - double(place)) < 1e-5);
        shift += spot.mass * (spot.centre - double(place));
        mass += spot.mass;
      }
      REQUIRE(std::abs(shift / mass) < 1e-5);
    }
  }
}

TEST_CASE("a scale, factors and a percentage are the same resize") {
  const Image image = random_image(shape(PixelType::u16, 83, 61), 4);
  const Image quarter = run(resizing("lanczos3", ByScale{*parse_fraction("1/4"), *parse_fraction("1/4")}), image);
  CHECK(byte_difference(quarter, run(resizing("lanczos3", ByScale{*parse_fraction("25%"), *parse_fraction("0.25")}), image)) == "");
  CHECK(byte_difference(quarter, run(resizing("lanczos3", ByFactors{{1, 1}, {4, 4}}), image)) == "");
}

TEST_CASE("resampling is linear") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomCase one = random_case(8 * seed + 4 + 40000);  // f32
    if (one.has_epilogue || one.has_specials || one.spec.border.kind == Border::constant) continue;
    if (const auto* resize = std::get_if<ResizeRequest>(&one.spec.operation))
      if (resize->nodata || one.image.info().alpha != Alpha::none) continue;
    one.spec.depth = Depth::same;
    const Image a = random_image(one.image.info(), seed), b = random_image(one.image.info(), seed + 1000);
    std::vector<double> mixed = values_of(a);
    const std::vector<double> second = values_of(b);
    for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = 2 * mixed[i] - 0.5 * second[i];
    const std::vector<double> ra = values_of(run(one.spec, a)), rb = values_of(run(one.spec, b));
    const std::vector<double> rm = values_of(run(one.spec, image_of(one.image.info(), mixed)));
    const double error = 2 * oracle::evaluate(one.spec, a).error[0] + oracle::evaluate(one.spec, b).error[0];
    if (error == 0) continue;  // copied
    INFO(one.description);
    double furthest = 0;
    for (std::size_t i = 0; i < rm.size(); ++i)
      furthest = std::max(furthest, std::abs(rm[i] - (2 * ra[i] - 0.5 * rb[i])));
    CHECK(furthest <= 3 * error);
  }
}

/// `turned`, turned back, must be a right result of the unturned picture: equal to `plain` but for ties
/// within E.
void check_equal_but_ties(const ResampleSpec& spec, const Image& image, const Image& plain,
                          const Image& turned_back) {
  INFO(describe(spec, image.info()));
  CHECK(oracle::disagreement(oracle::evaluate(spec, image), turned_back).value_or("") == "");
  const std::vector<double> wanted = values_of(plain), got = values_of(turned_back);
  std::int64_t differing = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) differing += wanted[i] != got[i];
  if (!is_float(image.info().type)) CHECK(differing * 20 <= std::int64_t(wanted.size()) + 40);
}

TEST_CASE("flips and transposes commute with resizing") {
  for (const char* kernel : kernels)
    for (const Border border : borders)
      for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f32})
        for (const Pair<std::int64_t> size : {Pair<std::int64_t>{18, 14}, {3, 5}, {4, 21}, {9, 7}}) {
          if (std::string(kernel) == "nearest") continue;  // between two pixels it takes the later one
          const Image image = random_image(shape(type, 9, 7), std::uint64_t(size.x));
          const ResampleSpec spec = resizing(kernel, ToSize{size.x, size.y}, border, 1),
                             turned = resizing(kernel, ToSize{size.y, size.x}, border, 1);
          const Image plain = run(spec, image);
          check_equal_but_ties(spec, image, plain, flipped_x(run(spec, flipped_x(image))));
          check_equal_but_ties(spec, image, plain, flipped_y(run(spec, flipped_y(image))));
          check_equal_but_ties(spec, image, plain, transposed(run(turned, transposed(image))));
        }
}

TEST_CASE("banks are symmetric") {
  for (const char* kernel : {"gaussian", "mitchell", "lanczos3", "kaiser"}) {
    const Plan plan = plan_case(resizing(kernel, ToSize{61, 29}), shape(PixelType::u8, 37, 47));
    for (const Axis* axis : {&plan.operation.x, &plan.operation.y})
      for (std::int64_t o = 0; o < axis->out; ++o) {
        const TapRun a = axis->view().locate(o), b = axis->view().locate(axis->out - 1 - o);
        REQUIRE(a.count == b.count);
        REQUIRE(a.first + a.count - 1 == axis->in - 1 - b.first);
        for (std::int64_t k = 0; k < a.count; ++k)
          REQUIRE(std::abs(a.taps[k] - b.taps[a.count - 1 - k]) <= 1e-7 * std::abs(a.taps[k]));
      }
  }
}

TEST_CASE("one axis gives the bits of the other") {
  const Image image = random_image(shape(PixelType::u16, 33, 17), 4);
  const AxisTaps taps{{1, 4, 6, 4, 1}, {1}}, turned{{1}, {1, 4, 6, 4, 1}};
  const FilterRequest request{.padding = Padding{2, 2, 0, 0}}, other{.padding = Padding{0, 0, 2, 2}};
  for (const Border border : borders)
    CHECK(byte_difference(transposed(run(filtering(taps, request, border), image)),
                          run(filtering(turned, other, border), transposed(image))) == "");
}

TEST_CASE("moving the picture by whole periods moves the result, bit for bit") {
  const Image image = random_image(shape(PixelType::f32, 30, 21), 12);
  for (const char* kernel : kernels)
    for (const auto& [size, step_in, step_out] :
         {std::tuple<Pair<std::int64_t>, Pair<std::int64_t>, Pair<std::int64_t>>{{20, 35}, {3, 3}, {2, 5}},
          {{60, 7}, {1, 3}, {2, 1}}}) {
      const ResampleSpec spec = resizing(kernel, ToSize{size.x, size.y}, Border::wrap);
      INFO(kernel);
      CHECK(byte_difference(rolled(run(spec, image), step_out.x, step_out.y),
                            run(spec, rolled(image, step_in.x, step_in.y))) == "");
    }
}

TEST_CASE("a shift by whole pixels moves the samples, bit for bit") {
  const Image image = random_image(shape(PixelType::u16, 30, 21, 3), 13);
  for (const char* kernel : kernels) {
    if (std::string(kernel) == "nearest") continue;
    ResampleSpec spec = resizing(kernel, ToSize{20, 35}, Border::wrap);
    const Image moved = run(spec, rolled(image, 4, -3));
    std::get<ResizeRequest>(spec.operation).shift = {{4, 1}, {-3, 1}};
    INFO(kernel);
    CHECK(byte_difference(moved, run(spec, image)) == "");
  }
}

TEST_CASE("the same size, scale 1 and equal factors copy every pixel type") {
  for (const PixelType type : types)
    for (const char* kernel : kernels) {
      const Image image = random_image(shape(type, 19, 8, 4), 3);
      for (const ResizeTarget& target : {ResizeTarget(ToSize{19, 8}), ResizeTarget(ByScale{{1, 1}, {1, 1}}),
                                         ResizeTarget(ByFactors{{3, 2}, {3, 2}})})
        CHECK(byte_difference(image, run(resizing(kernel, target, Border::zero), image)) == "");
    }
}

TEST_CASE("one NaN spoils only the outputs whose taps meet it") {
  std::vector<double> values(16, 1.0);
  values[5] = NAN;
  const Image image = row_of(PixelType::f32, values);
  const std::vector<double> result = values_of(run(filtering({{1, 1, 1}, {1}}, {}, Border::edge), image));
  for (std::size_t i = 0; i < 16; ++i) CHECK(std::isnan(result[i]) == (i >= 4 && i <= 6));
}

TEST_CASE("an infinity near a zero border stays an infinity") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char* kernel : {"gaussian", "lanczos3", "triangle"})
    for (const std::int64_t size : {2, 9, 12}) {
      const Image image = row_of(PixelType::f32, {infinity, infinity, infinity, infinity});
      ResampleSpec spec = resizing("box", ToSize{size, 1}, Border::zero);
      for (const double v : values_of(run(spec, image))) CHECK(v == infinity);
      spec = resizing(kernel, ToSize{size, 1}, Border::zero);
      const Image one = row_of(PixelType::f32, {infinity, 0, 0, 0});
      CHECK_FALSE(std::isnan(values_of(run(spec, one)).front()));
    }
}

TEST_CASE("overshoot clamps and never wraps") {
  const std::vector<double> step{0, 0, 0, 65535, 65535, 65535}, taps{-1, 0, 9, 16, 9, 0, -1};
  const FilterRequest request{.up = {2, 1}, .padding = Padding{3, 3, 0, 0}};
  const std::vector<double> result =
      values_of(run(filtering({taps, {1}}, request, Border::edge), row_of(PixelType::u16, step)));
  const std::vector<double> expected{0, 0, 0, 0, 0, 32768, 65535, 65535, 65535, 65535};
  REQUIRE(result.size() >= expected.size());
  CHECK(std::equal(expected.begin(), expected.end(), result.begin()));
  std::vector<double> wide(25, 0.0);
  wide.resize(50, 65535.0);
  CHECK(values_of(run(resizing("lanczos3", ToSize{10, 1}), row_of(PixelType::u16, wide))) ==
        std::vector<double>{0, 0, 291, 0, 4326, 61209, 65535, 65244, 65535, 65535});
}

TEST_CASE("nothing is clipped between the passes") {
  const Image cross = image_of(shape(PixelType::u8, 3, 3), {0, 255, 0, 255, 255, 255, 0, 255, 0});
  const AxisTaps taps{{-1, 6, -1}, {-1, 6, -1}};
  CHECK(values_of(run(filtering(taps, {.padding = Padding{1, 1, 1, 1}}, Border::edge), cross))[4] == 191);
}

TEST_CASE("extremes stay inside the range of an integer image, whatever the filter") {
  for (const char* kernel : kernels)
    for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::u32, PixelType::s32}) {
      ImageInfo info = shape(type, 24, 17);
      if (type == PixelType::u16) info.maxval = 4095;
      Random random(6);
      std::vector<double> values;
      const double low = is_signed_integer(type) ? -double(info.maxval) - 1 : 0;
      for (int i = 0; i < 24 * 17; ++i) values.push_back(random.chance(50) ? low : double(info.maxval));
      for (const double v : values_of(run(resizing(kernel, ToSize{41, 29}), image_of(info, values)))) {
        REQUIRE(v >= low);
        REQUIRE(v <= info.maxval);
      }
    }
}

TEST_CASE("one colour stays under any opaque enough alpha") {
  ImageInfo info = shape(PixelType::u8, 21, 16, 4);
  info.alpha = Alpha::straight;
  Random random(8);
  Image image(info);
  for (std::int64_t y = 0; y < 16; ++y)
    for (std::int64_t x = 0; x < 21; ++x) {
      for (int c = 0; c < 3; ++c)
        put_sample(image, x, y, c, std::vector<double>{255, 192, 203}[std::size_t(c)]);
      put_sample(image, x, y, 3, double(random.between(40, 255)));
    }
  for (const char* kernel : {"gaussian", "box", "triangle"})
    for (const Pair<std::int64_t> size : {Pair<std::int64_t>{9, 7}, {50, 31}}) {
      const Image result = run(resizing(kernel, ToSize{size.x, size.y}), image);
      for (std::int64_t y = 0; y < size.y; ++y)
        for (std::int64_t x = 0; x < size.x; ++x) {
          REQUIRE(oracle::sample_at(result, x, y, 0) == 255);
          REQUIRE(oracle::sample_at(result, x, y, 1) == 192);
          REQUIRE(oracle::sample_at(result, x, y, 2) == 203);
        }
    }
}

TEST_CASE("hidden colour does not bleed into what is seen") {
  ImageInfo info = shape(PixelType::u8, 2, 2, 4);
  info.alpha = Alpha::straight;
  const Image image = image_of(info, {255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 0, 255, 0, 0});
  CHECK(values_of(run(resizing("box", ToSize{1, 1}), image)) == std::vector<double>{255, 0, 0, 191});
  ResampleSpec straight = resizing("box", ToSize{1, 1});
  std::get<ResizeRequest>(straight.operation).alpha_mode = AlphaMode::straight;
  CHECK(values_of(run(straight, image)) == std::vector<double>{191, 64, 0, 191});
}

TEST_CASE("around missing samples a constant stays or is missing") {
  Random random(10);
  for (const char* kernel : {"gaussian", "lanczos3", "box"})
    for (const Border border : borders) {
      std::vector<double> values;
      for (int i = 0; i < 20 * 20; ++i) values.push_back(random.chance(30) ? -2000.0 : 1000.0);
      ResampleSpec spec = resizing(kernel, ToSize{31, 9}, border, 1000);
      std::get<ResizeRequest>(spec.operation).nodata = -2000.0;
      bool seen[2] = {};
      for (const double v : values_of(run(spec, image_of(shape(PixelType::s16, 20, 20), values)))) {
        REQUIRE((v == 1000 || v == -2000));
        seen[v == 1000] = true;
      }
      CHECK(seen[1]);
    }
}

}  // namespace
}  // namespace upfirdn
