#include "resample/plan.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <string>

#include "core/error.hpp"
#include "support/describe.hpp"
#include "support/images.hpp"
#include "support/oracle.hpp"
#include "support/random_cases.hpp"
#include "support/run_case.hpp"

namespace upfirdn {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ResampleSpec resizing(const ResizeTarget& target, const char* filter = "gaussian") {
  ResampleSpec spec;
  spec.operation = ResizeRequest{.target = target};
  spec.filter = parse_filter(filter);
  return spec;
}

ResampleSpec filtering(const FilterChoice& filter, const FilterRequest& request = {}) {
  ResampleSpec spec;
  spec.operation = request;
  spec.filter = filter;
  spec.border.kind = Border::zero;
  return spec;
}

AxisTaps both(const std::vector<double>& taps) {
  return {taps, taps};
}

struct Failure {
  ExitCode code = ExitCode::ok;
  std::string message;
};

Failure failure_of(const ResampleSpec& spec, const ImageInfo& info = shape(PixelType::u8, 20, 10, 3)) {
  try {
    (void)plan_case(spec, info);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    CHECK(contains(error.what(), error.code() == ExitCode::usage ? ": " : " "));
    return {error.code(), error.what()};
  }
  return {};
}

void check_axis(const Axis& axis, const oracle::AxisSetup& expected, bool has_taps, Arithmetic arithmetic) {
  REQUIRE(axis.in == expected.in);
  REQUIRE(axis.out == expected.out);
  REQUIRE((axis.mode == AxisMode::gather) == expected.copied);
  for (std::int64_t o = 0; o < axis.out; ++o) {
    const TapRun run = axis.view().locate(o);
    const oracle::Weights& weights = expected.outputs[std::size_t(o)];
    REQUIRE(run.first == weights.first);
    if (expected.copied) continue;
    REQUIRE(run.count == std::int64_t(weights.taps.size()));
    for (std::int64_t k = 0; has_taps && k < run.count; ++k)
      REQUIRE(run.taps[k] == rounded_to(arithmetic, weights.taps[std::size_t(k)]));
  }
}

TEST_CASE("plans of random requests hold the positions and taps of the definition, to the bit") {
  for (std::uint64_t seed = 3000; seed < 3400; ++seed) {
    const RandomCase one = random_case(seed);
    INFO(one.description);
    const oracle::Setup setup = oracle::resolve(one.spec, one.image.info());
    const Plan plan = plan_case(one.spec, one.image.info());
    check_axis(plan.operation.x, setup.x, setup.matrix.empty(), plan.operation.arithmetic());
    check_axis(plan.operation.y, setup.y, setup.matrix.empty(), plan.operation.arithmetic());
    CHECK(plan.operation.matrix.has_value() == !setup.matrix.empty());
    if (setup.matrix.empty()) CHECK(plan.operation.vertical_first == setup.vertical_first);
    CHECK(plan.operation.output == setup.output);
  }
}

TEST_CASE("the operator's size is that of its formula") {
  const ImageInfo info = shape(PixelType::u8, 11, 7);
  for (const std::int64_t up : {1, 2, 3})
    for (const std::int64_t down : {1, 2, 5})
      for (const std::int64_t length : {1, 4, 9}) {
        const std::vector<double> taps(std::size_t(length), 1.0);
        FilterRequest request{.up = {up, 1}, .down = {down, 1}, .padding = Padding{3, 4, 8, 0}};
        const Plan padded = plan_case(filtering(both(taps), request), info);
        CHECK(padded.output.width == (11 * up + 7 - length) / down + 1);
        request.padding.reset();
        if (11 * up < down) continue;
        CHECK(plan_case(filtering(both(taps), request), info).output.width == 11 * up / down);
      }
}

TEST_CASE("an image smaller than the taps is that image's failure, with the numbers") {
  const Failure failure =
      failure_of(filtering(both(std::vector<double>(12, 1.0)), {.padding = Padding{0, 0, 0, 1}}));
  CHECK(failure.code == ExitCode::image_failed);
  CHECK(contains(failure.message, "12"));
  CHECK(contains(failure.message, "10"));
}

TEST_CASE("taps that sum to 0 name the way out") {
  const Failure filter = failure_of(filtering(both({1, 0, -1})));
  CHECK(filter.code == ExitCode::usage);
  CHECK(contains(filter.message, "--no-normalize"));
  CHECK(failure_of(filtering(both({1, 0, -1}), {.normalize = false})).code == ExitCode::ok);
  CHECK(failure_of(filtering(TapMatrix{2, 2, {1, -1, -1, 1}})).code == ExitCode::usage);
  ResampleSpec resize = resizing(ByFactors{});
  resize.filter = both({1, 0, -1});
  CHECK(failure_of(resize).code == ExitCode::usage);
  CHECK(contains(failure_of(resize).message, "filter"));
}

TEST_CASE("taps that cannot be aligned name the lengths that can") {
  ResampleSpec spec = resizing(ByFactors{{2, 2}, {1, 1}});
  spec.filter = both({1, 2, 1});
  const Failure failure = failure_of(spec);
  CHECK(failure.code == ExitCode::usage);
  CHECK(contains(failure.message, "2"));
  CHECK(contains(failure.message, "4"));
  spec.filter = both({1, 3, 3, 1});
  CHECK(failure_of(spec).code == ExitCode::ok);
}

TEST_CASE("what is wrong with every image is refused before any is opened") {
  ResampleSpec shifted = resizing(ByFactors{{2, 2}, {1, 1}});
  shifted.filter = both({1, 3, 3, 1});
  std::get<ResizeRequest>(shifted.operation).shift = {{1, 2}, {0, 1}};
  ResampleSpec nearest = resizing(ToSize{5, 5}, "nearest");
  std::get<ResizeRequest>(nearest.operation).shift = {{1, 2}, {0, 1}};
  ResampleSpec sized = resizing(ToSize{5, 5});
  sized.filter = both({1, 2, 1});
  ResampleSpec matrix = resizing(ByFactors{});
  matrix.filter = TapMatrix{2, 2, {1, 2, 3, 4}};
  ResampleSpec linear = resizing(ToSize{5, 5});
  std::get<ResizeRequest>(linear.operation).linear = true;
  linear.epilogue.bias = {1};
  ResampleSpec linear_float = resizing(ToSize{5, 5});
  std::get<ResizeRequest>(linear_float.operation).linear = true;
  linear_float.depth = Depth::f32;
  ResampleSpec linear_nodata = resizing(ToSize{5, 5});
  std::get<ResizeRequest>(linear_nodata.operation) = {.target = ToSize{5, 5}, .linear = true, .nodata = 3.0};
  ResampleSpec letterbox = resizing(ToLetterbox{5, 5});
  std::get<ResizeRequest>(letterbox.operation).one_way = OneWay::only_enlarge;
  ResampleSpec clamp = filtering(both({1}));
  clamp.epilogue.clamp = -1;
  for (const ResampleSpec* spec :
       {&shifted, &nearest, &sized, &matrix, &linear, &linear_float, &linear_nodata, &letterbox, &clamp}) {
    INFO(describe(*spec, shape(PixelType::u8, 20, 10)));
    CHECK_THROWS_AS(check_spec(*spec), Error);
    CHECK(failure_of(*spec).code == ExitCode::usage);
  }
  for (const std::int64_t side : {std::int64_t(0), std::int64_t(-3), std::int64_t(1) << 40}) {
    CHECK(failure_of(resizing(ToSize{side, 5})).code == ExitCode::usage);
    CHECK(failure_of(resizing(ToFit{5, side})).code == ExitCode::usage);
    CHECK(failure_of(resizing(ByFactors{{side, 1}, {1, 1}})).code == ExitCode::usage);
    CHECK(failure_of(filtering(both({1}), {.down = {1, side}})).code == ExitCode::usage);
  }
  CHECK(failure_of(filtering(parse_filter("nearest"))).code == ExitCode::usage);
  CHECK(failure_of(filtering(both({1}), {.gain = 1e300})).code == ExitCode::usage);
}

TEST_CASE("what depends on the image fails for that image") {
  ResampleSpec bias = filtering(both({1}));
  bias.epilogue.bias = {1, 2};
  CHECK(failure_of(bias).code == ExitCode::image_failed);
  CHECK(failure_of(bias, shape(PixelType::u8, 5, 5, 2)).code == ExitCode::ok);
  ResampleSpec linear = resizing(ToSize{5, 5});
  std::get<ResizeRequest>(linear.operation).linear = true;
  CHECK(failure_of(linear, shape(PixelType::f32, 9, 9)).code == ExitCode::image_failed);
  CHECK(failure_of(linear, shape(PixelType::s16, 9, 9)).code == ExitCode::image_failed);
  ResampleSpec nodata = resizing(ToSize{5, 5});
  std::get<ResizeRequest>(nodata.operation).nodata = 3.0;
  ImageInfo alpha = shape(PixelType::u8, 9, 9, 2);
  alpha.alpha = Alpha::straight;
  CHECK(failure_of(nodata, alpha).code == ExitCode::image_failed);
  CHECK(failure_of(resizing(ToSize{4, 2}, "gaussian:0.01")).code == ExitCode::ok);
  CHECK(failure_of(resizing(ToSize{50, 5}, "gaussian:0.01")).code == ExitCode::image_failed);
  CHECK(failure_of(resizing(ByFactors{{3, 3}, {1, 1}}, "gaussian:0.01")).code == ExitCode::usage);
  ResampleSpec signed_depth = resizing(ToSize{5, 5});
  signed_depth.depth = Depth::bits8;
  CHECK(failure_of(signed_depth, shape(PixelType::s16, 9, 9)).code == ExitCode::image_failed);
}

TEST_CASE("crops must lie inside the image") {
  ResampleSpec spec = resizing(ToSize{5, 5});
  const auto with = [&](const Crop& crop) {
    std::get<ResizeRequest>(spec.operation).crop = crop;
    return failure_of(spec).code;
  };
  CHECK(with({0, 0, 20, 10}) == ExitCode::ok);
  CHECK(with({19, 9, 1, 1}) == ExitCode::ok);
  for (const Crop& crop : {Crop{0, 0, 21, 10}, Crop{-1, 0, 5, 5}, Crop{0, 6, 5, 5}, Crop{20, 0, 1, 1},
                           Crop{0, 0, 0, 5}, Crop{1, 1, INT64_MAX, 1}, Crop{INT64_MAX, 0, 1, 1}})
    CHECK(with(crop) == ExitCode::image_failed);
}

TEST_CASE("too many pixels are refused from the header") {
  ResampleSpec spec = resizing(ToSize{100, 100});
  spec.max_pixels = 10000;
  CHECK(failure_of(spec).code == ExitCode::ok);
  spec.max_pixels = 9999;
  CHECK(contains(failure_of(spec).message, "--max-pixels"));
  spec.max_pixels = 199;
  CHECK(failure_of(spec).code == ExitCode::image_failed);
  CHECK(failure_of(resizing(ToSize{2000000000, 2000000000})).code == ExitCode::image_failed);
}

TEST_CASE("the size it already has is a copy of the bytes") {
  for (const char* filter : {"gaussian", "lanczos3", "nearest", "box"}) {
    CHECK(plan_case(resizing(ToSize{20, 10}, filter), shape(PixelType::u8, 20, 10)).operation.raw_copy);
    CHECK_FALSE(
        plan_case(resizing(ToSize{20, 11}, filter), shape(PixelType::u8, 20, 10)).operation.raw_copy ==
        (std::string(filter) != "nearest"));
  }
  ResampleSpec depth = resizing(ToSize{20, 10});
  depth.depth = Depth::bits16;
  CHECK_FALSE(plan_case(depth, shape(PixelType::u8, 20, 10)).operation.raw_copy);
  CHECK(plan_case(depth, shape(PixelType::u16, 20, 10)).operation.raw_copy);
}

TEST_CASE("a letterbox is filled with its code in every channel, rounded and clamped") {
  ImageInfo info = shape(PixelType::u16, 20, 10, 3);
  const auto fill = [&](double value) {
    const Plan plan = plan_case(resizing(ToLetterbox{8, 8, value}), info);
    REQUIRE(plan.letterbox.has_value());
    CHECK(plan.output.width == 8);
    CHECK(plan.output.height == 8);
    CHECK(plan.operation.output.height == 4);
    CHECK(plan.letterbox->y == 2);
    std::uint16_t code[3];
    REQUIRE(plan.letterbox->pixel.size() == sizeof code);
    std::memcpy(code, plan.letterbox->pixel.data(), sizeof code);
    CHECK(code[0] == code[1]);
    CHECK(code[1] == code[2]);
    return code[0];
  };
  CHECK(fill(0) == 0);
  CHECK(fill(300.5) == 300);
  CHECK(fill(1e9) == 65535);
  CHECK(fill(-4) == 0);
  info.maxval = 4095;
  CHECK(fill(5000) == 4095);
}

TEST_CASE("a depth has the full scale of its type, signed stays signed") {
  const auto depth = [](PixelType type, Depth to) { return with_depth(shape(type, 1, 1), to); };
  for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f16, PixelType::f32})
    for (const Depth to : {Depth::same, Depth::bits8, Depth::bits16, Depth::f16, Depth::f32})
      CHECK(depth(type, to) == oracle::stored_as(shape(type, 1, 1), to));
  CHECK(depth(PixelType::s16, Depth::bits16).type == PixelType::s16);
  CHECK(depth(PixelType::s16, Depth::f32).maxval == 1);
  CHECK_THROWS_AS(depth(PixelType::s16, Depth::bits8), Error);
  ImageInfo twelve = shape(PixelType::u16, 1, 1);
  twelve.maxval = 4095;
  CHECK(with_depth(twelve, Depth::same).maxval == 4095);
  CHECK(with_depth(twelve, Depth::bits16).maxval == 65535);
}

TEST_CASE("the operator says where its outputs are not aligned and where a constant gets a pattern") {
  const auto notes = [](const std::vector<double>& taps, std::int64_t up) {
    std::string text;
    for (const std::string& note :
         plan_case(filtering(both(taps), {.up = {up, up}}), shape(PixelType::u8, 20, 10)).notes)
      text += note + "\n";
    return text;
  };
  CHECK(notes({1, 3, 3, 1}, 2).empty());
  CHECK(contains(notes({1, 2, 1}, 2), "0.25"));
  CHECK(contains(notes({1, 2, 4, 1}, 2), "phase sums"));
}

}  // namespace
}  // namespace upfirdn
