#include <catch2/catch.hpp>

#include <functional>
#include <vector>

#include "core/error.hpp"
#include "kernels/upfirdn.hpp"
#include "resample/backend.hpp"
#include "resample/plan.hpp"

namespace {

using namespace upfirdn;

/// A planned 2:1 reduction of a 16x12 image with everything it needs on the device.
struct Fixture {
  Plan plan;
  cuda::Stream stream = cuda::make_stream();
  cuda::DeviceOperation operation;
  cuda::DeviceBuffer in, out, counter;
  cuda::DeviceImage input, output;

  explicit Fixture(PixelType type = PixelType::u16) {
    ResampleSpec spec;
    spec.operation = ResizeRequest{.target = ByFactors{{1, 1}, {2, 2}}};
    const ImageInfo info{.width = 16, .height = 12, .channels = 1, .type = type, .maxval = full_scale(type)};
    plan = make_plan(spec, info, info);
    operation.prepare(plan.operation, stream.get());
    input = {in.reserve(2048), 16, 12, 1, type, 16 * size_bytes(type)};
    output = {out.reserve(1024), 8, 6, 1, type, 8 * size_bytes(type)};
    counter.reserve(8);
  }
  std::string launch() { return cuda::launch(operation, input, output, reinterpret_cast<unsigned long long*>(counter.data()), stream.get()); }
  std::string refusal(const std::function<void(Fixture&)>& spoil) {
    spoil(*this);
    try {
      launch();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  }
};

}  // namespace

TEST_CASE("the kernels run a planned operation", "[face]") {
  Fixture f;
  CHECK_NOTHROW(f.launch());
  CHECK(cudaStreamSynchronize(f.stream.get()) == cudaSuccess);
}

TEST_CASE("samples that float32 does not hold are filtered in double", "[face]") {
  for (const PixelType type : {PixelType::u32, PixelType::s32, PixelType::f64}) {
    Fixture f(type);
    CHECK(f.launch() == "fused, vertical first, 1 planes, double");
    CHECK(cudaStreamSynchronize(f.stream.get()) == cudaSuccess);
  }
}

TEST_CASE("the kernels name the argument that is wrong", "[face]") {
  using F = Fixture;
  static std::uint16_t host[16 * 12];
  CHECK(F().refusal([](F& f) { f.input.data = host; }) == "input: is not device memory");
  CHECK(F().refusal([](F& f) { f.output.data = host; }) == "output: is not device memory");
  CHECK(F().refusal([](F& f) { f.input.data = nullptr; }) == "input: is not device memory");
  CHECK(F().refusal([](F& f) { f.input.width = 15; }) == "input: is 15x12, planned are 16x12");
  CHECK(F().refusal([](F& f) { f.output.height = 7; }) == "output: is 8x7, planned are 8x6");
  CHECK(F().refusal([](F& f) { f.input.channels = 3; }) == "input: has 3 channels, planned are 1");
  CHECK(F().refusal([](F& f) { f.output.type = PixelType::u8; }) == "output: has samples of type u8, planned is u16");
  CHECK(F().refusal([](F& f) { f.input.stride_bytes = 30; }) == "input: stride_bytes is less than a row");
  CHECK(F().refusal([](F& f) { f.output.stride_bytes = 17; }) == "output: stride_bytes is not a multiple of a sample");
  CHECK(F().refusal([](F& f) { f.input.data = static_cast<char*>(f.input.data) + 1; }) == "input: data is not aligned to a sample");
}

TEST_CASE("the caller's device stays selected", "[face]") {
  int before = -1, after = -1;
  REQUIRE(cudaGetDevice(&before) == cudaSuccess);
  Fixture f;
  f.launch();
  REQUIRE(cudaGetDevice(&after) == cudaSuccess);
  CHECK(before == after);
}

TEST_CASE("device 1 works while 0 is current, with the same bytes", "[face]") {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  if (count < 2) {
    WARN("one device: nothing to see");
    return;
  }
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  const ImageInfo info{.width = 100, .height = 80, .channels = 1, .type = PixelType::u16, .maxval = 65535};
  ResampleSpec spec;
  spec.operation = ResizeRequest{.target = ByFactors{{1, 1}, {2, 2}}};
  const Plan plan = make_plan(spec, info, info);
  Image input(info);
  for (std::int64_t i = 0; i < info.width * info.height; ++i) reinterpret_cast<std::uint16_t*>(input.data())[i] = std::uint16_t(i * 40503);
  const auto run_on = [&](int ordinal) {
    const auto backend = make_cuda_backend(ordinal);
    Image output(plan.operation.output);
    ImageSource source(input);
    ImageSink sink(output);
    (void)backend->run(plan.operation, source, sink);
    int current = -1;
    REQUIRE(cudaGetDevice(&current) == cudaSuccess);
    CHECK(current == 0);
    return std::vector(output.data(), output.data() + plan.operation.output.row_bytes() * std::size_t(plan.operation.output.height));
  };
  CHECK(run_on(1) == run_on(0));
}

TEST_CASE("too large an allocation is an error of the device and leaves it usable", "[face]") {
  cuda::DeviceBuffer buffer;
  CHECK_THROWS_AS(buffer.reserve(std::size_t(1) << 50), Error);
  Fixture f;
  CHECK_NOTHROW(f.launch());
  CHECK(cudaStreamSynchronize(f.stream.get()) == cudaSuccess);
}
