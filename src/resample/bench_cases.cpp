#include "resample/bench_cases.hpp"

#include <fmt/format.h>

#include <cstring>
#include <random>

namespace upfirdn {

ResampleSpec operator_spec(int up, int down, int taps, bool epilogue) {
  ResampleSpec spec;
  spec.operation = FilterRequest{.up = {up, up}, .down = {down, down}};
  spec.filter = AxisTaps{binomial_taps(taps), binomial_taps(taps)};
  spec.border.kind = Border::zero;
  if (epilogue) {
    spec.epilogue.bias = {0.125};
    spec.epilogue.activation = Activation::lrelu;
  }
  return spec;
}

ResampleSpec resize_spec(const std::string& filter, std::int64_t width, std::int64_t height) {
  ResampleSpec spec;
  spec.operation = ResizeRequest{.target = ToSize{width, height}};
  spec.filter = parse_filter(filter);
  return spec;
}

std::vector<BenchCase> bench_cases() {
  std::vector<BenchCase> cases;
  for (const int taps : {4, 8, 12}) cases.push_back({fmt::format("down 2, {} taps", taps), operator_spec(1, 2, taps)});
  cases.push_back({"down 2, 4 taps, bias + lrelu", operator_spec(1, 2, 4, true)});
  cases.push_back({"down 2, 12 taps, bias + lrelu", operator_spec(1, 2, 12, true)});
  cases.push_back({"down 4, 24 taps", operator_spec(1, 4, 24)});
  cases.push_back({"down 4, 24 taps, bias + lrelu", operator_spec(1, 4, 24, true)});
  for (const int taps : {4, 12}) cases.push_back({fmt::format("up 2, {} taps", taps), operator_spec(2, 1, taps)});
  cases.push_back({"up 4, 24 taps", operator_spec(4, 1, 24)});
  for (const int taps : {4, 13}) cases.push_back({fmt::format("blur, {} taps", taps), operator_spec(1, 1, taps)});
  for (const char* filter : {"lanczos3", "gaussian"}) {
    cases.push_back({fmt::format("2500x3000 -> 853x1024, {}", filter), resize_spec(filter, 853, 1024), 2500, 3000});
    cases.push_back({fmt::format("4096^2 -> 1024^2, {}", filter), resize_spec(filter, 1024, 1024), 4096, 4096});
    cases.push_back({fmt::format("1024^2 -> 1536^2, {}", filter), resize_spec(filter, 1536, 1536), 1024, 1024});
  }
  cases.push_back({"4096^2 / 16, lanczos3", resize_spec("lanczos3", 256, 256), 4096, 4096});
  cases.push_back({"4096^2 / 40, lanczos3", resize_spec("lanczos3", 102, 102), 4096, 4096});
  return cases;
}

BenchCase with_three_channels(BenchCase bench_case) {
  bench_case.name += ", 3 channels";
  bench_case.channels = 3;
  return bench_case;
}

Image noise_image(const ImageInfo& info) {
  Image image(info);
  std::mt19937 random(7);
  const std::size_t samples = std::size_t(info.width * info.height * info.channels);
  for (std::size_t i = 0; i < samples; ++i) {
    const auto bits = std::uint32_t(random());
    visit_pixel_type(info.type, [&](auto sample) {
      using S = decltype(sample);
      if constexpr (std::is_same_v<S, float>) sample = float(bits >> 8) * 0x1p-24f - 0.25f;
      else if constexpr (std::is_same_v<S, Half>) sample = float_to_half(float(bits >> 8) * 0x1p-24f - 0.25f);
      else sample = S(bits);
      std::memcpy(image.data() + i * sizeof sample, &sample, sizeof sample);
    });
  }
  return image;
}

double multiply_adds(const Operation& op) {
  const auto taps = [](const Axis& axis) {  // of all outputs of a line
    double sum = 0;
    for (const std::int64_t n : axis.count) sum += double(n);
    return sum / double(axis.count.size()) * double(axis.out);
  };
  const double x = taps(op.x), y = taps(op.y);
  return op.input.channels * (op.vertical_first ? y * double(op.x.in) + x * double(op.y.out) : x * double(op.y.in) + y * double(op.x.out));
}

}  // namespace upfirdn
