#include "run_case.hpp"

#include <fmt/format.h>

#include <cstring>

#include "oracle.hpp"

namespace upfirdn {
namespace {

std::string shape_text(const ImageInfo& info) {
  return fmt::format("{}x{}x{} {} maxval {}", info.width, info.height, info.channels, name(info.type),
                     info.maxval);
}

}  // namespace

Plan plan_case(const ResampleSpec& spec, const ImageInfo& info) {
  check_spec(spec);
  return make_plan(spec, info, with_depth(info, spec.depth));
}

Image run_case(const ResampleSpec& spec, const Image& image, Backend& backend, RunResult* result) {
  const Plan plan = plan_case(spec, image.info());
  const Image part = oracle::cropped(spec, image);
  ImageSource source(part);
  Image out(plan.operation.output);
  ImageSink sink(out);
  const RunResult told = backend.run(plan.operation, source, sink);
  if (result != nullptr) *result = told;
  return out;
}

std::string byte_difference(const Image& expected, const Image& actual) {
  const ImageInfo& info = expected.info();
  if (!(info == actual.info()))
    return fmt::format("{} instead of {}", shape_text(actual.info()), shape_text(info));
  if (std::memcmp(expected.data(), actual.data(), expected.size_bytes()) == 0) return {};
  const std::size_t bytes = size_bytes(info.type);
  std::int64_t differing = 0;
  std::string first;
  for (std::int64_t y = 0; y < info.height; ++y)
    for (std::int64_t x = 0; x < info.width; ++x)
      for (int c = 0; c < info.channels; ++c) {
        const std::size_t at = std::size_t(x) * info.pixel_bytes() + std::size_t(c) * bytes;
        if (std::memcmp(expected.row(y) + at, actual.row(y) + at, bytes) == 0) continue;
        if (++differing == 1)
          first = fmt::format("({}, {}) channel {} is {} instead of {}", x, y, c,
                              oracle::sample_at(actual, x, y, c), oracle::sample_at(expected, x, y, c));
      }
  return fmt::format("{}; {} of {} samples differ", first, differing,
                     info.width * info.height * std::int64_t(info.channels));
}

}  // namespace upfirdn
