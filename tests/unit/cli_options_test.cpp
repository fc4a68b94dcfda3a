// The command lines of `resize` and `filter` become requests, or one line that says what is wrong.
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "cli/convert_request.hpp"
#include "cli/option_table.hpp"
#include "core/error.hpp"

namespace upfirdn::cli {

namespace {

using Arguments = std::vector<std::string>;

Arguments with_files(Arguments options) {
  Arguments all{"in.png", "-o", "out.png"};
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

ConvertRequest resize(const Arguments& options) {
  return parse_resize_arguments(with_files(options));
}
ConvertRequest filter(const Arguments& options) {
  return parse_filter_arguments(with_files(options));
}

ResizeRequest resize_part(const Arguments& options) {
  return std::get<ResizeRequest>(resize(options).spec.operation);
}
FilterRequest filter_part(Arguments options) {
  options.insert(options.end(), {"--taps", "1,3,3,1"});
  return std::get<FilterRequest>(filter(options).spec.operation);
}
AxisTaps taps_of(const ConvertRequest& request) {
  return std::get<AxisTaps>(request.spec.filter);
}

/// The message of the usage error that `parse` throws.
template <class Parse>
std::string fault(const Parse& parse, const Arguments& arguments) {
  try {
    (void)parse(arguments);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return error.what();
  }
  return "no error";
}
std::string resize_fault(const Arguments& options) {
  return fault(resize, options);
}
std::string filter_fault(const Arguments& options) {
  return fault(filter, options);
}

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

}  // namespace

TEST_CASE("each geometry becomes its target") {
  const auto size = std::get<ToSize>(resize_part({"--size", "640x480"}).target);
  CHECK((size.width == 640 && size.height == 480));
  const auto wide = std::get<ToSize>(resize_part({"--size=640x"}).target);
  CHECK((wide.width == 640 && !wide.height));
  const auto high = std::get<ToSize>(resize_part({"--size", "x480"}).target);
  CHECK((!high.width && high.height == 480));
  CHECK(std::get<ToFit>(resize_part({"--fit", "3x4"}).target).height == 4);
  CHECK(std::get<ToCover>(resize_part({"--cover", "3x4"}).target).width == 3);
  CHECK(std::get<ToFill>(resize_part({"--fill", "3x4"}).target).width == 3);
  const auto box = std::get<ToLetterbox>(resize_part({"--letterbox", "3x4:127.5"}).target);
  CHECK((box.width == 3 && box.height == 4 && box.value == 127.5));
  CHECK(std::get<ToLetterbox>(resize_part({"--letterbox", "3x4"}).target).value == 0);
}

TEST_CASE("scales are exact fractions") {
  const auto decimal = std::get<ByScale>(resize_part({"--scale", "0.341"}).target);
  CHECK(decimal.x == Fraction{341, 1000});
  CHECK(decimal.y == Fraction{341, 1000});
  const auto pair = std::get<ByScale>(resize_part({"--scale", "50%,1/3"}).target);
  CHECK(pair.x == Fraction{1, 2});
  CHECK(pair.y == Fraction{1, 3});
  for (const char* bad : {"0", "-1", "1/0", "a", "1,2,3", "1,", "0,5x", "inf"}) {
    CAPTURE(bad);
    CHECK_THAT(resize_fault({"--scale", bad}), StartsWith("--scale: "));
  }
}

TEST_CASE("up and down are one way to say how big") {
  const auto both = std::get<ByFactors>(resize_part({"--up", "3,2", "--down", "4"}).target);
  CHECK(both.up == Pair<std::int64_t>{3, 2});
  CHECK(both.down == Pair<std::int64_t>{4, 4});
  CHECK(std::get<ByFactors>(resize_part({"--down", "2"}).target).up == Pair<std::int64_t>{1, 1});
}

TEST_CASE("exactly one geometry is accepted") {
  CHECK_THAT(resize_fault({}), Contains("--size") && Contains("--scale"));
  CHECK_THAT(resize_fault({"--size", "2x2", "--fit", "3x3"}), StartsWith("--size, --fit: "));
  CHECK_THAT(resize_fault({"--scale", "2", "--up", "2", "--down", "3"}),
             StartsWith("--scale, --up with --down: "));
  CHECK_THAT(resize_fault({"--scale", "2", "--only-shrink", "--only-enlarge"}),
             StartsWith("--only-shrink: "));
  CHECK_THAT(resize_fault({"--letterbox", "2x2", "--only-enlarge"}), Contains("--only-enlarge"));
}

TEST_CASE("sizes that are none are named") {
  for (const char* bad : {"10", "x", "0x5", "5x0", "-1x2", "1.5x2", "3x4x5", "axb", "2147483648x1", " 3x4"}) {
    CAPTURE(bad);
    CHECK_THAT(resize_fault({"--size", bad}), StartsWith("--size: ") && Contains(bad));
  }
  CHECK_THAT(resize_fault({"--fit", "10x"}), StartsWith("--fit: ") && Contains("both sides"));
}

TEST_CASE("memory is a number of bytes, or of larger units") {
  const auto memory = [](const char* text) { return parse_resize_arguments(with_files({"--scale", "2", "--memory", text})).run.memory_bytes; };
  CHECK(memory("77") == 77);
  CHECK(memory("3K") == 3072);
  CHECK(memory("800M") == std::int64_t(800) << 20);
  CHECK(memory("4G") == std::int64_t(4) << 30);
  CHECK(memory("1T") == std::int64_t(1) << 40);
  for (const char* bad : {"", "0", "-1", "4X", "G", "1.5G", "4GB", "9999999999T"}) {
    CAPTURE(bad);
    CHECK_THAT(resize_fault({"--scale", "2", "--memory", bad}), StartsWith("--memory: "));
  }
}

TEST_CASE("values may begin with a minus, apart or joined") {
  const Pair<Fraction> shift{{-1, 2}, {0, 1}};
  CHECK(resize_part({"--scale", "2", "--shift", "-0.5,0"}).shift == shift);
  CHECK(resize_part({"--scale", "2", "--shift=-.5,0"}).shift == shift);
  CHECK(taps_of(filter({"--taps", "-.5,1"})).x == std::vector<double>{-0.5, 1});
  CHECK(taps_of(filter({"--taps", "-1,2"})).y == std::vector<double>{-1, 2});
  const auto padding = filter_part({"--pad", "-1,2"}).padding;
  REQUIRE(padding);
  CHECK((padding->x0 == -1 && padding->x1 == -1 && padding->y0 == 2 && padding->y1 == 2));
  CHECK(filter({"--taps", "1", "--bias", "-0.5"}).spec.epilogue.bias == std::vector<double>{-0.5});
  CHECK(*resize_part({"--scale", "2", "--nodata", "-9999"}).nodata == -9999);
  CHECK(std::isnan(*resize_part({"--scale", "2", "--nodata", "nan"}).nodata));
  CHECK_FALSE(resize_part({"--scale", "2", "--nodata", "none"}).nodata);
}

TEST_CASE("a forgotten value is not taken from the next option") {
  CHECK_THAT(resize_fault({"--shift", "--scale", "2"}), StartsWith("--shift: needs a value"));
  CHECK_THAT(resize_fault({"--scale"}), StartsWith("--scale: needs a value"));
  CHECK_THAT(resize_fault({"--scale="}), StartsWith("--scale: "));
  CHECK_THAT(resize_fault({"--scale", ""}), StartsWith("--scale: "));
  CHECK_THAT(resize_fault({"--scale", "2", "--scale", "3"}), StartsWith("--scale: is given twice"));
  CHECK_THAT(resize_fault({"--scale", "2", "--linear=yes"}), StartsWith("--linear: takes no value"));
}

TEST_CASE("unknown options are named with the nearest known one") {
  CHECK_THAT(resize_fault({"--scael", "2"}), StartsWith("--scael: unknown option") && Contains("--scale?"));
  CHECK_THAT(resize_fault({"--frobnicate"}), Contains("upfirdn resize --help"));
  CHECK_THAT(resize_fault({"-z"}), StartsWith("-z: unknown option"));
  CHECK_THAT(filter_fault({"--size", "2x2"}), StartsWith("--size: unknown option"));
}

TEST_CASE("short options cluster and take joined values") {
  const ConvertRequest request = parse_resize_arguments({"-rvofolder/", "--scale", "2", "a.png"});
  CHECK(request.files.recursive);
  CHECK(request.reports.verbosity == Verbosity::verbose);
  CHECK(request.files.output == "folder/");
  CHECK(parse_resize_arguments({"-o=x.png", "--scale", "2", "a.png"}).files.output == "x.png");
  CHECK(parse_resize_arguments({"-o", "-", "--format", "png", "--scale", "2", "-"}).files.inputs ==
        Arguments{"-"});
}

TEST_CASE("files keep their order and names, also after two dashes") {
  const ConvertRequest request =
      parse_resize_arguments({"b.png", "--scale", "2", "[a]", "resize", "-o", "out/", "--", "-n", "--help"});
  CHECK(request.files.inputs == Arguments{"b.png", "[a]", "resize", "-n", "--help"});
  CHECK_FALSE(request.dry_run);
}

TEST_CASE("inputs and an output are needed") {
  CHECK_THAT(fault(parse_resize_arguments, {"-o", "x.png", "--scale", "2"}), StartsWith("IN: "));
  CHECK_THAT(fault(parse_resize_arguments, {"x.png", "--scale", "2"}), StartsWith("-o: "));
  CHECK_THAT(fault(parse_resize_arguments, {"", "-o", "x.png", "--scale", "2"}), Contains("empty file name"));
}

TEST_CASE("help is asked for anywhere before two dashes") {
  CHECK_THROWS_AS(parse_resize_arguments({"--frob", "--help"}), Error);
  CHECK_THROWS_AS(parse_resize_arguments({"--scale", "2", "--help", "--frob"}), HelpRequest);
  try {
    (void)parse_filter_arguments({"-h"});
    FAIL("no help");
  } catch (const HelpRequest& help) {
    CHECK_THAT(help.text,
               Contains("usage: upfirdn filter") && Contains("Examples:") && Contains("--no-normalize"));
  }
}

TEST_CASE("the operator's options become a filter request") {
  const FilterRequest plain = filter_part({});
  CHECK((plain.up == Pair<std::int64_t>{1, 1} && !plain.padding && !plain.flip && plain.normalize));
  const FilterRequest request = filter_part(
      {"--up", "2", "--down", "3,4", "--pad=2,1,-2,0", "--flip", "--no-normalize", "--gain", "0.25"});
  CHECK(request.up == Pair<std::int64_t>{2, 2});
  CHECK(request.down == Pair<std::int64_t>{3, 4});
  REQUIRE(request.padding);
  CHECK((request.padding->x0 == 2 && request.padding->x1 == 1 && request.padding->y0 == -2));
  CHECK((request.flip && !request.normalize && request.gain == 0.25));
  CHECK(filter_part({"--pad", "3"}).padding->y1 == 3);
  CHECK_FALSE(filter_part({"--pad", "auto"}).padding);
  for (const char* bad : {"1,2,3", "1,2,3,4,5", "a", "1.5", ",", "1,,2,3", "99999999999"}) {
    CAPTURE(bad);
    CHECK_THAT(filter_fault({"--taps", "1", "--pad", bad}), StartsWith("--pad: "));
  }
  CHECK_THAT(filter_fault({"--taps", "1", "--up", "0"}), StartsWith("--up: "));
}

TEST_CASE("borders default to zero in filter and to edge in resize") {
  CHECK(filter({"--taps", "1"}).spec.border.kind == Border::zero);
  CHECK(resize({"--scale", "2"}).spec.border.kind == Border::edge);
  const BorderRule rule = filter({"--taps", "1", "--border", "constant:-3.5"}).spec.border;
  CHECK((rule.kind == Border::constant && rule.value == -3.5));
  CHECK_THAT(filter_fault({"--taps", "1", "--border", "nearest"}), Contains("reflect"));
  CHECK_THAT(filter_fault({"--taps", "1", "--border", "constant"}), Contains("constant:V"));
}

TEST_CASE("one filter is chosen") {
  CHECK(std::get<FilterKernel>(resize({"--scale", "2"}).spec.filter).name == KernelName::gaussian);
  CHECK(std::get<FilterKernel>(resize({"--scale", "2", "--filter", "lanczos3"}).spec.filter).name ==
        KernelName::lanczos);
  CHECK_THAT(filter_fault({}), Contains("--taps-file"));
  CHECK_THAT(filter_fault({"--filter", "box", "--taps", "1"}), StartsWith("--filter, --taps: "));
  CHECK_THAT(filter_fault({"--taps", "1", "--taps-x", "1"}), StartsWith("--taps, --taps-x: "));
  CHECK_THAT(filter_fault({"--filter", "lanzcos3"}), Contains("lanczos"));
  CHECK_THAT(filter_fault({"--taps", "1,"}), StartsWith("--taps: "));
  const AxisTaps only_y = taps_of(filter({"--taps-y", "1,2"}));
  CHECK(only_y.x == std::vector<double>{1});
  CHECK(only_y.y == std::vector<double>{1, 2});
}

TEST_CASE("the epilogue is read with its alias and its words") {
  const EpilogueRequest epilogue =
      filter({"--taps", "1", "--bias", "1,-2,.5", "--act", "lrelu", "--alpha", "0.1", "--act-gain", "sqrt2",
              "--clamp", "256", "--value-range", "signed"})
          .spec.epilogue;
  CHECK(epilogue.bias == std::vector<double>{1, -2, 0.5});
  CHECK(epilogue.activation == Activation::lrelu);
  CHECK(epilogue.slope == 0.1);
  CHECK(epilogue.activation_gain == std::sqrt(2.0));
  CHECK(epilogue.clamp == 256.0);
  CHECK(epilogue.range == ValueRange::signed_unit);
  CHECK_THAT(filter_fault({"--taps", "1", "--slope", "1", "--alpha", "2"}), Contains("twice"));
  CHECK_THAT(filter_fault({"--taps", "1", "--clamp", "-1"}), StartsWith("--clamp: "));
  CHECK_THAT(filter_fault({"--taps", "1", "--bias", "1,,2"}), StartsWith("--bias: "));
  CHECK_THAT(filter_fault({"--taps", "1", "--gain", "1e39"}), StartsWith("--gain: "));
}

TEST_CASE("pixels, devices and files are read") {
  const ConvertRequest request =
      resize({"--scale",         "2",        "--depth",      "f16",         "--layout",  "nchw",
              "--alpha-channel", "last",     "--quality",    "80",          "--level",   "3",
              "--compression",   "lzw",      "--max-pixels", "1000",        "--threads", "3",
              "--device",        "cuda:1,0", "--verify",     "--overwrite", "-n",        "-q"});
  CHECK(request.spec.depth == Depth::f16);
  CHECK(request.run.codec.layout == ArrayLayout::nchw);
  CHECK(request.run.codec.array_alpha_last);
  CHECK((request.run.codec.quality == 80 && request.run.codec.level == 3 &&
         request.run.codec.compression == "lzw"));
  CHECK(request.spec.max_pixels == 1000);
  CHECK((request.run.threads == 3 && request.run.verify && request.dry_run));
  CHECK(request.run.device == Device::cuda);
  CHECK(request.run.cuda_ordinals == std::vector<int>{1, 0});
  CHECK(request.files.existing == Existing::overwrite);
  CHECK(request.reports.verbosity == Verbosity::quiet);
  CHECK(resize({"--scale", "2", "--device", "cuda:all"}).all_cuda_devices);
  for (const char* bad : {"gpu", "cuda:", "cuda:-1", "cuda:0,0", "cuda:x"}) {
    CAPTURE(bad);
    CHECK_THAT(resize_fault({"--scale", "2", "--device", bad}), StartsWith("--device: "));
  }
  CHECK_THAT(resize_fault({"--scale", "2", "--overwrite", "--skip-existing"}), StartsWith("--overwrite: "));
  CHECK_THAT(resize_fault({"--scale", "2", "-q", "-v"}), StartsWith("--quiet: "));
  CHECK_THAT(resize_fault({"--scale", "2", "--depth", "12"}), Contains("f32"));
}

TEST_CASE("what contradicts itself with any image is refused") {
  CHECK_THAT(resize_fault({"--scale", "2", "--linear", "--nodata", "0"}), Contains("--nodata"));
  CHECK_THAT(resize_fault({"--scale", "2", "--linear", "--bias", "1"}), Contains("--linear"));
  CHECK_THAT(resize_fault({"--size", "9x9", "--taps", "1,3,3,1"}), Contains("factors"));
  CHECK_THAT(resize_fault({"--down", "2", "--taps", "1,2,1"}), Contains("filter"));
  CHECK_THAT(filter_fault({"--taps", "1,-1"}), Contains("--no-normalize"));
  CHECK_THAT(resize_fault({"--scale", "2", "--crop", "0,0,0,4"}), StartsWith("--crop: "));
  CHECK_THAT(resize_fault({"--scale", "2", "--shift", "1"}), StartsWith("--shift: "));
}

}  // namespace upfirdn::cli
