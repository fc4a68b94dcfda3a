#include "resample/bench_cases.hpp"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <random>
#include <utility>

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
  cases.push_back({"down 4, 24 taps", operator_spec(1, 4, 24)});
  for (const auto& [down, taps] : {std::pair(2, 4), std::pair(2, 12), std::pair(4, 24)}) {
    const std::string plain = fmt::format("down {}, {} taps", down, taps);
    cases.push_back({.name = plain + ", bias + lrelu", .spec = operator_spec(1, down, taps, true), .plain = plain});
  }
  for (const int taps : {4, 12}) cases.push_back({fmt::format("up 2, {} taps", taps), operator_spec(2, 1, taps)});
  cases.push_back({"up 4, 24 taps", operator_spec(4, 1, 24)});
  for (const int taps : {4, 13}) cases.push_back({fmt::format("blur, {} taps", taps), operator_spec(1, 1, taps)});
  for (const char* filter : {"lanczos3", "gaussian"}) {
    cases.push_back({fmt::format("2500x3000 -> 853x1024, {}", filter), resize_spec(filter, 853, 1024), 2500, 3000});
    cases.push_back({fmt::format("4096^2 -> 1024^2, {}", filter), resize_spec(filter, 1024, 1024), 4096, 4096});
    cases.push_back({fmt::format("1024^2 -> 1536^2, {}", filter), resize_spec(filter, 1536, 1536), 1024, 1024});
  }
  const std::string plain = "4096^2 -> 1024^2, lanczos3";
  cases.push_back({.name = "4096^2 / 16, lanczos3", .spec = resize_spec("lanczos3", 256, 256), .width = 4096, .height = 4096, .plain = plain});
  cases.push_back({.name = "4096^2 / 40, lanczos3", .spec = resize_spec("lanczos3", 102, 102), .width = 4096, .height = 4096, .plain = plain});
  return cases;
}

std::vector<BenchCase> further_bench_cases() {
  std::vector<BenchCase> cases;
  cases.push_back({.name = "down 4, 100 taps", .spec = operator_spec(1, 4, 100), .plain = "down 4, 24 taps"});
  cases.push_back({.name = "blur, 100 taps", .spec = operator_spec(1, 1, 100), .plain = "blur, 13 taps"});
  for (const BenchCase& resize : bench_cases()) {
    if (resize.name != "4096^2 -> 1024^2, lanczos3" && resize.name != "1024^2 -> 1536^2, lanczos3") continue;
    const auto add = [&](const char* what, const std::function<void(BenchCase&, ResizeRequest&)>& change) {
      BenchCase further = resize;
      further.name += what;
      further.plain = resize.name;
      change(further, std::get<ResizeRequest>(further.spec.operation));
      cases.push_back(further);
    };
    add(", zero border", [](BenchCase& c, ResizeRequest&) { c.spec.border.kind = Border::zero; });
    add(", alpha", [](BenchCase& c, ResizeRequest&) { c.channels = 4, c.alpha = Alpha::straight; });
    add(", linear light", [](BenchCase&, ResizeRequest& request) { request.linear = true; });
    add(", nodata", [](BenchCase&, ResizeRequest& request) { request.nodata = 7; });
    add(", bias + lrelu", [](BenchCase& c, ResizeRequest&) { c.spec.epilogue = operator_spec(1, 1, 1, true).epilogue; });
    cases.push_back(with_channels(resize, 4));
  }
  return cases;
}

BenchCase with_channels(BenchCase bench_case, int channels) {
  bench_case.plain = bench_case.name;
  bench_case.name += fmt::format(", {} channels", channels);
  bench_case.channels = channels;
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
