#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "resample/backend.hpp"
#include "support/images.hpp"
#include "support/oracle.hpp"
#include "support/random_cases.hpp"
#include "support/run_case.hpp"

namespace upfirdn {
namespace {

/// Forces an instruction set and returns to the best one in the end.
class ForcedTarget {
 public:
  explicit ForcedTarget(const std::string& target) { force_cpu_target(target); }
  ~ForcedTarget() { force_cpu_target(cpu_targets().front()); }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
};

void check_bytes(std::uint64_t first, std::uint64_t last, int threads) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(threads);
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const RandomCase one = random_case(seed);
    INFO(one.description << ", " << threads << " threads");
    CHECK(byte_difference(oracle::emulate(one.spec, one.image), run_case(one.spec, one.image, *backend)) ==
          "");
  }
}

TEST_CASE("the CPU backend gives the bytes of the contract on random cases") {
  check_bytes(10000, 10600, 2);
}

TEST_CASE("every instruction set gives the bytes of the contract") {
  for (const std::string& target : cpu_targets()) {
    INFO(target);
    const ForcedTarget forced(target);
    check_bytes(20000, 20060, 1);
  }
}

TEST_CASE("the number of threads does not change a byte") {
  for (const int threads : {1, 2, 3, 8}) check_bytes(30000, 30060, threads);
}

TEST_CASE("500 random images of 16 bits have no wrong code outside of ties") {
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  int checked = 0;
  for (std::uint64_t seed = 40000; checked < 500; ++seed) {
    const RandomCase one = random_case(seed);
    if (one.image.info().type != PixelType::u16) continue;
    INFO(one.description);
    CHECK(oracle::disagreement(oracle::evaluate(one.spec, one.image), run_case(one.spec, one.image, *backend)).value_or("") == "");
    ++checked;
  }
}

TEST_CASE("an instruction set that cannot run here is refused with those that can") {
  try {
    force_cpu_target("Z80");
    FAIL_CHECK("accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    for (const std::string& target : cpu_targets())
      CHECK(std::string(error.what()).find(target) != std::string::npos);
  }
  CHECK_FALSE(cpu_targets().empty());
  CHECK(make_cpu_backend(0)->name() == "cpu");
}

/// Passes rows on, counting them.
class CountingSource final : public RowSource {
 public:
  explicit CountingSource(const Image& image) : rows_(image) {}
  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    rows_.read_rows(rows, count, stride_bytes);
    read_ += count;
  }
  [[nodiscard]] std::int64_t read() const { return read_; }

 private:
  ImageSource rows_;
  std::int64_t read_ = 0;
};

/// Notes how far reading had come when the first row was written.
class NotingSink final : public RowSink {
 public:
  NotingSink(Image& image, const CountingSource& source) : rows_(image), source_(source) {}
  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (read_at_first_row_ < 0) read_at_first_row_ = source_.read();
    rows_.write_rows(rows, count, stride_bytes);
  }
  [[nodiscard]] std::int64_t read_at_first_row() const { return read_at_first_row_; }

 private:
  ImageSink rows_;
  const CountingSource& source_;
  std::int64_t read_at_first_row_ = -1;
};

TEST_CASE("rows stream: output begins long before the input ends, and every row is read once") {
  const Image image = random_image(shape(PixelType::u16, 5, 20000), 1);
  for (const char* filter : {"lanczos3", "nearest"}) {
    ResampleSpec spec;
    spec.operation = ResizeRequest{.target = ByFactors{{1, 1}, {3, 3}}};
    spec.filter = parse_filter(filter);
    const Plan plan = plan_case(spec, image.info());
    CountingSource source(image);
    Image out(plan.operation.output);
    NotingSink sink(out, source);
    make_cpu_backend(2)->run(plan.operation, source, sink);
    CHECK(source.read() == 20000);
    CHECK(sink.read_at_first_row() < 5000);
  }
}

TEST_CASE("NaN that becomes 0 is counted, over all threads") {
  std::vector<double> values(64 * 40, 1.0);
  for (const std::size_t i : {0u, 100u, 2000u, 2559u}) values[i] = NAN;
  const Image image = image_of(shape(PixelType::f32, 64, 40), values);
  ResampleSpec spec;
  spec.operation = FilterRequest{.padding = Padding{}};
  spec.filter = AxisTaps{{1}, {1}};
  spec.depth = Depth::bits8;
  for (const int threads : {1, 4}) {
    RunResult result;
    const std::unique_ptr<Backend> backend = make_cpu_backend(threads);
    const Image out = run_case(spec, image, *backend, &result);
    CHECK(result.nan_samples == 4);
    CHECK(oracle::sample_at(out, 36, 1, 0) == 0);
    CHECK(oracle::sample_at(out, 37, 1, 0) == 255);
  }
  spec.depth = Depth::f32;
  RunResult result;
  (void)run_case(spec, image, *make_cpu_backend(1), &result);
  CHECK(result.nan_samples == 0);
}

TEST_CASE("denormal numbers are kept") {
  const float tiny = 3 * std::numeric_limits<float>::denorm_min();
  const Image image = constant_image(shape(PixelType::f32, 40, 3), double(tiny));
  ResampleSpec spec;
  spec.operation = FilterRequest{.padding = Padding{1, 1, 0, 0}};
  spec.filter = AxisTaps{{1, 2, 1}, {1}};
  spec.border.kind = Border::edge;
  for (const std::string& target : cpu_targets()) {
    const ForcedTarget forced(target);
    for (const int threads : {1, 3}) {
      const Image out = run_case(spec, image, *make_cpu_backend(threads));
      CHECK(byte_difference(oracle::emulate(spec, image), out) == "");
      CHECK(oracle::sample_at(out, 5, 1, 0) > 0);
    }
  }
}

TEST_CASE("copied samples keep their bits, NaN payloads included") {
  Image image(shape(PixelType::f32, 3, 2));
  const std::uint32_t bits[6] = {0x7f800001u, 0xffc12345u, 0x80000000u,
                                 0x00000001u, 0x7f800000u, 0x3f800000u};
  std::memcpy(image.data(), bits, sizeof bits);
  ResampleSpec spec;
  spec.operation = ResizeRequest{.target = ToSize{3, 2}};
  CHECK(byte_difference(image, run_case(spec, image, *make_cpu_backend(2))) == "");
  spec.operation = ResizeRequest{.target = ToSize{6, 4}};
  spec.filter = parse_filter("nearest");
  const Image doubled = run_case(spec, image, *make_cpu_backend(2));
  CHECK(std::memcmp(doubled.row(2) + 4, bits + 3, 4) == 0);
  CHECK(std::memcmp(doubled.row(1) + 4, bits, 4) == 0);
}

TEST_CASE("an error of the source or the sink passes through") {
  class Broken final : public RowSource {
   public:
    void read_rows(std::byte*, std::int64_t, std::size_t) override {
      throw Error(ExitCode::image_failed, "a.png: is cut off");
    }
  };
  ResampleSpec spec;
  spec.operation = ResizeRequest{.target = ToSize{8, 8}};
  const Plan plan = plan_case(spec, shape(PixelType::u8, 20, 20));
  Broken source;
  Image out(plan.operation.output);
  ImageSink sink(out);
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  CHECK_THROWS_AS(backend->run(plan.operation, source, sink), Error);
}

}  // namespace
}  // namespace upfirdn
