// Every row of the tuning table, compile-time and run-time factors, on every sample type: CUDA against the CPU, byte for byte,
// at sizes around the edges of strips, segments and loads.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "kernels/tuning.hpp"
#include "resample/backend.hpp"
#include "support/describe.hpp"
#include "support/images.hpp"
#include "support/random_cases.hpp"
#include "support/run_case.hpp"

namespace {

using namespace upfirdn;

constexpr PixelType all_types[] = {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::f16, PixelType::f32};
constexpr Border borders[] = {Border::zero, Border::edge, Border::reflect, Border::mirror};

struct Size {
  std::int64_t width, height;
};

/// Taps of both signs that sum to 1, none alike.
std::vector<double> uneven_taps(int count) {
  std::vector<double> taps;
  for (int k = 0; k < count; ++k) taps.push_back(0.05 + 0.3 * ((k * 7 + 3) % 11) - 0.9 * (k % 3 == 1));
  return taps;
}

/// Zeros, infinities and NaN among float samples, so that a tap too many shows.
void spoil(Image& image) {
  const ImageInfo& info = image.info();
  if (!is_float(info.type)) return;
  const double special[] = {0.0, -0.0, std::numeric_limits<double>::infinity(), std::nan("")};
  for (int i = 0; i < 40; ++i)
    put_sample(image, (i * 37) % info.width, (i * 53) % info.height, i % info.channels, special[i % 4]);
}

struct Count {
  int strips = 0, all = 0;
};

void compare(const ResampleSpec& spec, const Image& image, const std::string& what, Count& count) {
  static const auto cpu = make_cpu_backend(0), cuda = make_cuda_backend(0);
  RunResult result;
  const Image expected = run_case(spec, image, *cpu), actual = run_case(spec, image, *cuda, &result);
  INFO(what << " " << name(image.info().type) << " " << image.info().width << "x" << image.info().height << "x"
            << image.info().channels << " " << name(spec.border.kind) << ": " << fmt::format("{}", fmt::join(result.notes, "; ")));
  CHECK(byte_difference(expected, actual).empty());
  ++count.all;
  count.strips += !result.notes.empty() && result.notes.back().find("strips") != std::string::npos;
}

/// The request on images of all types, with and without an epilogue.
void compare_all(ResampleSpec spec, const std::vector<Size>& sizes, const std::string& what) {
  Count count;
  for (const PixelType type : all_types)
    for (const int channels : {1, 3})
      for (const Border border : borders)
        for (std::size_t i = 0; i < sizes.size(); ++i) {
          Image image = random_image(shape(type, sizes[i].width, sizes[i].height, channels), i);
          if (i % 2 == 1) spoil(image);
          spec.border.kind = border;
          spec.epilogue = {};
          if (i % 3 == 2) {
            spec.epilogue.bias = {0.375};
            spec.epilogue.activation = i % 2 == 0 ? Activation::lrelu : Activation::relu;
            if (i % 2 == 0) spec.epilogue.activation_gain = 1.5;
            else spec.epilogue.clamp = 100;
          }
          compare(spec, image, what, count);
        }
  INFO(what);
  CHECK(count.strips * 10 >= count.all * 7);  // the smallest images may be too narrow
}

}  // namespace

TEST_CASE("every compile-time row gives the CPU's bytes", "[strips]") {
  for (const cuda::StripRow& row : cuda::strip_rows) {
    ResampleSpec spec;
    spec.operation = FilterRequest{.up = {row.up, row.up}, .down = {row.down, row.down}};
    spec.filter = AxisTaps{uneven_taps(row.taps), uneven_taps(row.taps)};
    compare_all(spec, {{37, 41}, {129, 66}, {257, 40}, {1024, 33}, {1030, 70}, {513, 300}, {2051, 40}},
                fmt::format("up {} down {} taps {}", row.up, row.down, row.taps));
  }
}

TEST_CASE("run-time rows give the CPU's bytes", "[strips]") {
  for (const char* filter : {"box", "triangle", "mitchell", "gaussian", "lanczos3"})
    for (const auto& [up, down] : {std::pair{1, 3}, {2, 5}, {7, 16}, {3, 2}, {4, 3}, {9, 4}}) {
      ResampleSpec spec;
      spec.operation = ResizeRequest{.target = ByFactors{{up, up}, {down, down}}};
      spec.filter = parse_filter(filter);
      compare_all(spec, {{101, 97}, {512, 70}, {1001, 65}}, fmt::format("{} {}/{}", filter, up, down));
    }
}

TEST_CASE("large reductions give the CPU's bytes", "[strips]") {
  for (const char* filter : {"box", "gaussian", "lanczos3"})
    for (const auto& [up, down] : {std::pair{1, 9}, {1, 16}, {3, 100}, {1, 40}, {1, 64}}) {
      ResampleSpec spec;
      spec.operation = ResizeRequest{.target = ByFactors{{up, up}, {down, down}}};
      spec.filter = parse_filter(filter);
      compare_all(spec, {{1001, 465}, {2050, 777}}, fmt::format("{} {}/{}", filter, up, down));
    }
}

TEST_CASE("fewer outputs than phases give the CPU's bytes", "[strips]") {
  Count count;
  for (const auto& [up, down] : {std::pair{7, 5}, {5, 7}})  // horizontal and vertical axis first
    for (const PixelType type : all_types)
      for (const Border border : borders)
        for (const int outputs : {3, 4}) {
          ResampleSpec spec;
          const Padding crop{.x0 = 0, .x1 = (outputs - 1) * down + 20 - 101 * up};
          spec.operation = FilterRequest{.up = {up, up}, .down = {down, down}, .padding = crop};
          spec.filter = AxisTaps{uneven_taps(20), uneven_taps(20)};
          spec.border.kind = border;
          Image image = random_image(shape(type, 101, 97), 5);
          if (is_float(type))
            for (int i = 0; i < 6; ++i) put_sample(image, i, i, 0, std::nan(""));
          const Operation planned = plan_case(spec, image.info()).operation;
          REQUIRE(planned.x.out < planned.x.period);
          REQUIRE(planned.vertical_first == (up < down));
          compare(spec, image, fmt::format("cropped {}/{}", up, down), count);
        }
}
