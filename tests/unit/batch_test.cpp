#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <set>

#include "app/batch.hpp"
#include "core/error.hpp"
#include "support/test_folder.hpp"

namespace upfirdn {

using Catch::Matchers::Contains;

namespace {

/// With images.
struct BatchPlace : Workplace {
  explicit BatchPlace(int images) {
    for (int i = 0; i < images; ++i) {
      const std::string name = std::to_string(i);
      write_text(name + ".pgm", "P5\n4 2\n255\n" + std::string(8, char('a' + i % 26)));
      jobs.push_back({name + ".pgm", name + ".out", "pgm"});
    }
  }
  std::vector<Job> jobs;
};

/// Devices that are the CPU, and fail from some image on.
struct FakeDevices {
  enum class Fault { none, out_of_memory, lost };
  struct Device {
    Fault fault = Fault::none;
    int images_before = 0;
    std::atomic<int> done = 0;
  };
  std::array<Device, 3> devices;

  class FakeBackend final : public Backend {
   public:
    FakeBackend(int ordinal, Device& device) : ordinal_(ordinal), device_(device), cpu_(make_cpu_backend(1)) {}
    [[nodiscard]] std::string name() const override { return "cuda:" + std::to_string(ordinal_); }
    RunResult run(const Operation& operation, RowSource& source, RowSink& sink) override {
      if (device_.fault != Fault::none && device_.done >= device_.images_before) {
        const std::string fault = name() + ": the kernel failed: injected; use --device cpu";
        if (device_.fault == Fault::lost) throw DeviceLost(fault);
        throw Error(ExitCode::device, fault);
      }
      ++device_.done;
      return cpu_->run(operation, source, sink);
    }

   private:
    int ordinal_;
    Device& device_;
    std::unique_ptr<Backend> cpu_;
  };

  RunOptions options(std::vector<int> ordinals) {
    RunOptions options;
    options.device = upfirdn::Device::cuda;
    options.cuda_ordinals = std::move(ordinals);
    options.make_cuda = [this](int ordinal) { return std::make_unique<FakeBackend>(ordinal, devices[std::size_t(ordinal)]); };
    return options;
  }
};

struct Outcome {
  int code = 0, done = 0, failed = 0, not_tried = 0;
  std::vector<std::string> warnings;
  std::set<std::string> devices;
};

Outcome run(const BatchPlace& place, const RunOptions& options) {
  ResampleSpec spec;
  spec.operation = ResizeRequest{.target = ToSize{2, 1}};
  Outcome outcome;
  std::size_t next = 0;
  outcome.code = run_jobs(spec, options, place.jobs, [&](const JobResult& result) {
    CHECK(result.job == &place.jobs[next++]);
    (result.error ? outcome.failed : outcome.done) += 1;
    outcome.not_tried += result.not_tried;
    outcome.warnings.insert(outcome.warnings.end(), result.warnings.begin(), result.warnings.end());
    if (!result.error) {
      outcome.devices.insert(result.backend);
      const auto number = std::size_t(result.job - place.jobs.data());
      CHECK(text_of(result.job->output) == "P5\n2 1\n255\n" + std::string(2, char('a' + number % 26)));
    }
  });
  CHECK(next == place.jobs.size());
  return outcome;
}

}  // namespace

TEST_CASE("images go to all devices asked for, and to no other") {
  const BatchPlace place(200);
  FakeDevices fake;
  const Outcome outcome = run(place, fake.options({0, 2}));
  CHECK(outcome.code == 0);
  CHECK(outcome.done == 200);
  CHECK(outcome.devices == std::set<std::string>{"cuda:0", "cuda:2"});
  CHECK(fake.devices[1].done == 0);
}

TEST_CASE("a device that fails is dropped with one line and the others do its images") {
  for (const auto fault : {FakeDevices::Fault::lost, FakeDevices::Fault::out_of_memory}) {
    for (const int before : {0, 7}) {
      const BatchPlace place(60);
      FakeDevices fake;
      fake.devices[1].fault = fault;
      fake.devices[1].images_before = before;
      const Outcome outcome = run(place, fake.options({0, 1, 2}));
      CHECK(outcome.code == 0);
      CHECK(outcome.done == 60);
      REQUIRE(outcome.warnings.size() == 1);
      CHECK_THAT(outcome.warnings[0], Contains("cuda:1") && Contains("injected") && Contains("other devices"));
    }
  }
}

TEST_CASE("where no device is left the remaining images fail untried") {
  const BatchPlace place(40);
  FakeDevices fake;
  for (auto& device : fake.devices) {
    device.fault = FakeDevices::Fault::lost;
    device.images_before = 5;
  }
  const Outcome outcome = run(place, fake.options({0, 1}));
  CHECK(outcome.code == int(ExitCode::device));
  CHECK(outcome.done >= 10);
  CHECK(outcome.done + outcome.failed == 40);
  CHECK(outcome.not_tried > 0);
  CHECK(outcome.warnings.size() <= 1);
}

TEST_CASE("an image that is too large for the only device says nothing about the next") {
  const BatchPlace place(3);
  FakeDevices fake;
  fake.devices[0].fault = FakeDevices::Fault::out_of_memory;
  const Outcome outcome = run(place, fake.options({0}));
  CHECK(outcome.code == int(ExitCode::device));
  CHECK(outcome.failed == 3);
  CHECK(outcome.not_tried == 0);
}

TEST_CASE("after a failure with fail_fast nothing is begun, and what is under way ends") {
  const BatchPlace place(50);
  write_text("3.pgm", "no image");
  ResampleSpec spec;
  spec.operation = ResizeRequest{.target = ToSize{2, 1}};
  RunOptions options;
  options.device = Device::cpu;
  options.images_in_flight = 2;
  options.fail_fast = true;
  int reports = 0;
  CHECK(run_jobs(spec, options, place.jobs, [&](const JobResult&) { ++reports; }) == int(ExitCode::image_failed));
  CHECK(reports >= 4);
  CHECK(reports < 50);
}

TEST_CASE("a report that can't be written ends the run, and no worker waits for another") {
  const BatchPlace place(8);
  write_text("7.pgm", "P5\n3000 3000\n255\n" + std::string(9000000, 'a'));  // the others wait for the last
  ResampleSpec spec;
  spec.operation = ResizeRequest{.target = ToSize{2, 1}};
  RunOptions options;
  options.device = Device::cpu;
  options.images_in_flight = 4;
  const auto refuse = [&](const JobResult& result) {
    if (result.job == &place.jobs.back()) throw Error(ExitCode::image_failed, "report: can't be written");
  };
  CHECK_THROWS_AS(run_jobs(spec, options, place.jobs, refuse), Error);
}

}  // namespace upfirdn
