#include <catch2/catch.hpp>

#include "resample/backend.hpp"
#include "support/images.hpp"
#include "support/random_cases.hpp"
#include "support/run_case.hpp"

namespace {

using namespace upfirdn;

bool same_bytes(const ResampleSpec& spec, const Image& image) {
  static const auto cpu = make_cpu_backend(0);
  static const auto cuda = make_cuda_backend(0);
  return byte_difference(run_case(spec, image, *cpu), run_case(spec, image, *cuda)).empty();
}

ResampleSpec filter_spec(std::vector<double> taps, std::int64_t up, std::int64_t down, Border border) {
  ResampleSpec spec;
  const std::int64_t half = std::int64_t(taps.size()) / 2 + 1;  // enough for images of one pixel
  spec.operation = FilterRequest{.up = {up, up}, .down = {down, down}, .padding = Padding{half, half, half, half}};
  spec.filter = AxisTaps{taps, taps};
  spec.border = {border, 37};
  return spec;
}

}  // namespace

TEST_CASE("every pixel type, border, ragged size and number of taps gives the bytes of the CPU", "[geometry]") {
  for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::f16, PixelType::f32})
    for (const Border border : {Border::zero, Border::edge, Border::reflect, Border::mirror, Border::wrap, Border::constant})
      for (const std::int64_t side : {1, 2, 31, 33, 63, 65})
        for (const std::size_t taps : {1u, 4u, 13u, 65u}) {
          std::vector<double> values;
          for (std::size_t k = 0; k < taps; ++k) values.push_back(1.0 + double((k * 7) % 5));
          const Image image = random_image(shape(type, side, 34 - side / 2, 1 + int(taps % 3)), side + taps);
          INFO(name(type) << " border " << int(border) << " side " << side << " taps " << taps);
          CHECK(same_bytes(filter_spec(values, 1, 2, border), image));
          CHECK(same_bytes(filter_spec(values, 2, 1, border), image));
        }
}

TEST_CASE("more than 65535 rows or columns", "[geometry]") {
  for (const auto& [width, height] : {std::pair<std::int64_t, std::int64_t>{1, 70000}, {70000, 1}, {3, 140001}}) {
    const Image image = random_image(shape(PixelType::u16, width, height), 5);
    CHECK(same_bytes(filter_spec({1}, 1, 1, Border::zero), image));
    CHECK(same_bytes(filter_spec({1, 1}, 1, 2, Border::edge), image));
    CHECK(same_bytes(filter_spec({1, 3, 3, 1}, 2, 1, Border::reflect), image));
  }
}

TEST_CASE("an image of more than 2^31 samples", "[geometry][large]") {
  const Image image = random_image(shape(PixelType::u8, 65537, 32771), 9);
  ResampleSpec spec;
  spec.operation = ResizeRequest{.target = ToSize{1024, 512}};
  spec.filter = FilterKernel{.name = KernelName::box, .text = "box"};
  CHECK(same_bytes(spec, image));
}

TEST_CASE("an output of more than 2^31 samples", "[geometry][large]") {
  const Image image = random_image(shape(PixelType::u8, 16385, 16411), 11);
  CHECK(same_bytes(filter_spec({1, 1, 1}, 3, 1, Border::edge), image));
}
