// CUDA against the CPU, byte for byte, over random configurations, with a histogram of what they were.
//   upfirdn_gpu_parity [--cases N] [--first SEED] [--expect-mismatch]
//   upfirdn_gpu_parity --grid   every filter x factor x border x kind of samples
// Exit 0: all equal (with --expect-mismatch: some differ); 1: not so; 77: no CUDA device.

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <map>
#include <string>

#include "resample/backend.hpp"
#include "support/describe.hpp"
#include "support/filter_grid.hpp"
#include "support/random_cases.hpp"
#include "support/run_case.hpp"

namespace {

using namespace upfirdn;

struct Options {
  std::uint64_t cases = 3840, first = 0;
  bool expect_mismatch = false, grid = false;
};

Options parse(int argc, char** argv) {
  Options options;
  const auto number = [&](int i) {
    std::uint64_t value = 0;
    if (i < argc) std::from_chars(argv[i], argv[i] + std::strlen(argv[i]), value);
    return value;
  };
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--cases") == 0) options.cases = number(++i);
    else if (std::strcmp(argv[i], "--first") == 0) options.first = number(++i);
    else if (std::strcmp(argv[i], "--expect-mismatch") == 0) options.expect_mismatch = true;
    else if (std::strcmp(argv[i], "--grid") == 0) options.grid = true;
  }
  return options;
}

struct Histogram {
  std::map<std::string, std::int64_t> type_and_border, kernel, ratio;
  std::int64_t long_phases = 0, epilogues = 0, floats = 0, floats_with_specials = 0, samples = 0;

  void count(const RandomCase& c, const Operation& op, const std::string& kernel_name) {
    ++type_and_border[fmt::format("{:4} {}", name(c.image.info().type), name(c.spec.border.kind))];
    ++kernel[kernel_name];
    const auto taps = [&](const Axis& axis) { return axis.longest_phase(); };
    long_phases += std::max(taps(op.x), taps(op.y)) > run_length || (op.matrix && taps(op.x) * taps(op.y) > run_length);
    epilogues += c.has_epilogue;
    floats += is_float(c.image.info().type);
    floats_with_specials += c.has_specials;
    samples += op.output.width * op.output.height * op.output.channels;
    for (const Axis* axis : {&op.x, &op.y}) {
      const double r = double(std::max(axis->period, axis->step)) / double(std::min(axis->period, axis->step));
      ++ratio[r == 1 ? "   1" : r <= 2 ? "   2" : r <= 8 ? "   8" : r <= 64 ? "  64" : r <= 512 ? " 512" : "2500+"];
    }
  }
  void print() const {
    for (const auto& [what, n] : type_and_border) fmt::print("  {:16} {}\n", what, n);
    for (const auto& [what, n] : ratio) fmt::print("  axes with a ratio up to {}: {}\n", what, n);
    for (const auto& [what, n] : kernel) fmt::print("  kernel {}: {}\n", what, n);
    fmt::print("  more than 64 taps a phase: {}\n  with an epilogue: {}\n", long_phases, epilogues);
    fmt::print("  float inputs: {}, of which with NaN, Inf and -0: {}\n  output samples: {}\n", floats, floats_with_specials, samples);
  }
};

/// Runs cases on both backends and counts those that differ.
struct Comparison {
  std::unique_ptr<Backend> cpu = make_cpu_backend(0), cuda = make_cuda_backend(0);
  std::int64_t cases = 0, different = 0;

  /// What the CUDA backend told of the case.
  RunResult run(const RandomCase& c) {
    RunResult expected_result, actual_result;
    const Image expected = run_case(c.spec, c.image, *cpu, &expected_result);
    const Image actual = run_case(c.spec, c.image, *cuda, &actual_result);
    std::string difference = byte_difference(expected, actual);
    if (expected_result.nan_samples != actual_result.nan_samples)
      difference += fmt::format(" {} NaN counted instead of {}", actual_result.nan_samples, expected_result.nan_samples);
    ++cases;
    if (!difference.empty() && ++different <= 10) fmt::print("DIFFERENT: {}: {}\n", c.description, difference);
    return actual_result;
  }
};

void compare_random(Comparison& comparison, const Options& options) {
  Histogram histogram;
  for (std::uint64_t seed = options.first; seed < options.first + options.cases; ++seed) {
    const RandomCase c = random_case(seed);
    const RunResult told = comparison.run(c);
    histogram.count(c, plan_case(c.spec, c.image.info()).operation, told.notes.front());
  }
  histogram.print();
}

/// Prints how many cases of each filter and kind of samples were equal.
void compare_grid(Comparison& comparison) {
  fmt::print("equal of {} factors x borders:\n{:38}", grid_places(), "");
  for (const std::string& samples : grid_samples()) fmt::print(" {:>16}", samples);
  for (std::size_t filter = 0; filter < grid_filters().size(); ++filter) {
    fmt::print("\n{:38}", grid_filters()[filter]);
    for (std::size_t samples = 0; samples < grid_samples().size(); ++samples) {
      const std::int64_t before = comparison.different;
      for (std::int64_t place = 0; place < grid_places(); ++place) comparison.run(grid_case(filter, samples, place));
      fmt::print(" {:>16}", grid_places() - (comparison.different - before));
    }
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (const CudaStatus status = cuda_status(); status.devices.empty()) {
    fmt::print("skipped: {}\n", status.problem);
    return 77;
  }
  Comparison comparison;
  if (options.grid) compare_grid(comparison);
  else compare_random(comparison, options);
  fmt::print("{} of {} configurations give other bytes on CUDA than on the CPU ({})\n", comparison.different, comparison.cases,
             cpu_targets().front());
  return (comparison.different > 0) == options.expect_mismatch ? 0 : 1;
}
