#include "resample/bank.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "support/oracle_kernel.hpp"
#include "support/random.hpp"

namespace upfirdn {
namespace {

constexpr const char* kernels[] = {"gaussian", "gaussian:0.7", "box",      "triangle",  "catmullrom",
                                   "mitchell", "lanczos2",     "lanczos3", "lanczos:4", "kaiser"};

AxisGeometry axis_of(std::int64_t in, std::int64_t out) {
  const Fraction pitch = make_fraction(in, out);
  return {.in = in, .out = out, .up = pitch.den, .down = pitch.num};
}

/// Taps of the bank for output `o` against the weights of the definition, to the bit.
void check_output(const Axis& axis, std::int64_t o, const oracle::Weights& expected) {
  const TapRun run = axis.view().locate(o);
  REQUIRE(run.first == expected.first);
  REQUIRE(run.count == std::int64_t(expected.taps.size()));
  for (std::int64_t k = 0; k < run.count; ++k) {
    INFO("tap " << k);
    REQUIRE(run.taps[k] == float(expected.taps[std::size_t(k)]));
  }
}

void check_bank(const FilterKernel& kernel, const AxisGeometry& g) {
  const Axis axis = kernel_axis(kernel, g, ExitCode::image_failed);
  const oracle::Rational pitch(g.in, g.out);
  for (std::int64_t o = 0; o < g.out; o += std::max<std::int64_t>(1, g.out / 97)) {
    INFO(kernel.text << " " << g.in << " to " << g.out << " output " << o);
    oracle::Weights expected =
        oracle::named_weights(kernel, pitch, oracle::Rational(g.shift.num, g.shift.den), o + g.skip);
    oracle::normalize_phase(expected);
    check_output(axis, o, expected);
  }
}

TEST_CASE("taps of every named filter are those of the definition, to the bit") {
  const std::pair<std::int64_t, std::int64_t> sizes[] = {{7, 3},   {3, 7},   {100, 99},   {99, 100},
                                                         {64, 16}, {16, 64}, {853, 2500}, {2500, 853},
                                                         {1, 50},  {50, 1},  {5, 5}};
  for (const char* text : kernels)
    for (const auto& [in, out] : sizes) check_bank(parse_filter(text), axis_of(in, out));
}

TEST_CASE("shifts and cut outputs move the centre exactly") {
  for (const char* text : kernels) {
    AxisGeometry g = axis_of(37, 23);
    for (const Fraction& shift : {Fraction{1, 2}, Fraction{-7, 3}, Fraction{1, 10}, Fraction{5, 1}}) {
      g.shift = shift;
      check_bank(parse_filter(text), g);
    }
    g.shift = {0, 1};
    g.skip = 6;
    g.out = 11;
    const Axis axis = kernel_axis(parse_filter(text), g, ExitCode::image_failed);
    for (std::int64_t o = 0; o < g.out; ++o) {
      oracle::Weights expected =
          oracle::named_weights(parse_filter(text), oracle::Rational(37, 23), 0, o + 6);
      oracle::normalize_phase(expected);
      check_output(axis, o, expected);
    }
  }
}

TEST_CASE("weights of every phase sum to one") {
  for (const char* text : kernels)
    for (const auto& [in, out] :
         {std::pair<std::int64_t, std::int64_t>{853, 2500}, {2500, 853}, {120000, 2}, {3, 60000}}) {
      const Axis axis = kernel_axis(parse_filter(text), axis_of(in, out), ExitCode::image_failed);
      for (std::size_t p = 0; p < axis.count.size(); ++p) {
        double sum = 0, magnitudes = 0;
        for (std::int64_t k = 0; k < axis.count[p]; ++k) {
          const double tap = double(axis.taps[std::size_t(axis.offset[p] + k)]);
          sum += tap;
          magnitudes += std::abs(tap);
        }
        INFO(text << " " << in << " to " << out << " phase " << p);
        REQUIRE(std::abs(sum - 1) <= 0x1p-24 * magnitudes);
      }
    }
}

TEST_CASE("only the phases that outputs use are built") {
  const FilterKernel kernel = parse_filter("lanczos3");
  CHECK(kernel_axis(kernel, axis_of(853, 2500), ExitCode::image_failed).first.size() == 2500);
  AxisGeometry g = axis_of(1000003, 999999);
  g.out = 5;
  CHECK(kernel_axis(kernel, g, ExitCode::image_failed).first.size() == 5);
  CHECK(nearest_axis(axis_of(50, 100)).first.size() == 2);
}

TEST_CASE("nearest takes the pixel of integer arithmetic") {
  const auto source = [](std::int64_t in, std::int64_t out, std::int64_t o) {
    return nearest_axis(axis_of(in, out)).view().locate(o).first;
  };
  CHECK(source(128, 160, 127) == 102);
  CHECK(source(500, 480, 120) == 125);
  for (std::int64_t o = 0; o < 100; ++o) CHECK(source(500, 100, o) == 5 * o + 2);
  for (std::int64_t o = 0; o < 480; ++o) CHECK(source(500, 480, o) == (2 * o + 1) * 500 / (2 * 480));
}

TEST_CASE("a copied axis takes each sample once") {
  AxisGeometry g = axis_of(9, 9);
  g.skip = 2;
  g.out = 5;
  const Axis axis = nearest_axis(g);
  CHECK(axis.mode == AxisMode::gather);
  for (std::int64_t o = 0; o < 5; ++o) CHECK(axis.view().locate(o).first == o + 2);
}

TEST_CASE("a phase without weights names the smallest parameter that works") {
  const auto failure = [](const char* text, const AxisGeometry& g) -> std::string {
    try {
      (void)kernel_axis(parse_filter(text), g, ExitCode::image_failed);
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::image_failed);
      return error.what();
    }
    return "accepted";
  };
  for (const auto& [in, out] :
       {std::pair<std::int64_t, std::int64_t>{10, 30}, {10, 20}, {7, 9}, {100, 101}}) {
    const std::string message = failure("gaussian:0.01", axis_of(in, out));
    INFO(message);
    const std::size_t at = message.find("sigma that works is ");
    REQUIRE(at != std::string::npos);
    const std::string smallest = message.substr(at + 20);
    CHECK(failure(("gaussian:" + smallest).c_str(), axis_of(in, out)) == "accepted");
    const double value = std::stod(smallest);
    CHECK(failure(("gaussian:" + std::to_string(value * 0.99)).c_str(), axis_of(in, out)) != "accepted");
  }
  CHECK(failure("lanczos:0.3", axis_of(10, 20)) == "accepted");
  const std::string narrow = failure("lanczos:0.2", axis_of(10, 20));
  CHECK(narrow.find("a that works is ") != std::string::npos);
}

TEST_CASE("the operator's bank follows its closed form") {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    std::vector<double> taps;
    for (std::int64_t k = random.between(1, 20); k > 0; --k) taps.push_back(float(random.between(1, 99)));
    const FilterGeometry g{.in = 10,
                           .out = random.between(1, 12),
                           .up = random.between(1, 6),
                           .down = random.between(1, 6),
                           .pad_before = random.between(-9, 25)};
    const Axis axis = filter_axis(taps, g);
    REQUIRE(axis.first.size() == std::size_t(std::min(g.up, g.out)));
    for (std::int64_t o = 0; o < g.out; ++o) {
      const TapRun run = axis.view().locate(o);
      std::int64_t found = 0;
      for (std::int64_t j = 0; j < std::int64_t(taps.size()); ++j) {
        const std::int64_t upsampled =
            o * g.down - g.pad_before + j;  // position of tap j among the upsampled samples
        if (upsampled % g.up != 0) continue;
        REQUIRE(run.first + found == upsampled / g.up);
        REQUIRE(run.taps[found] == taps[std::size_t(j)]);
        ++found;
      }
      REQUIRE(run.count == found);
    }
  }
}

TEST_CASE("custom taps are centred, normalised by phase and trimmed") {
  const AxisGeometry g{.in = 8, .out = 16, .up = 2, .down = 1};
  const Axis axis = centred_axis({1, 3, 3, 1}, g, ExitCode::usage);
  CHECK(axis.view().locate(0).first == -1);
  CHECK(axis.view().locate(0).taps[0] == 0.25f);
  CHECK(axis.view().locate(0).taps[1] == 0.75f);
  CHECK(axis.view().locate(1).first == 0);
  CHECK(axis.view().locate(1).taps[0] == 0.75f);
  const AxisGeometry same{.in = 8, .out = 8, .up = 1, .down = 1};
  const Axis trimmed = centred_axis({0, 0, 2, 4, 2, 0, 0}, same, ExitCode::usage);
  CHECK(trimmed.count[0] == 3);
  CHECK(trimmed.first[0] == -1);
  CHECK(trimmed.taps == std::vector<double>{0.25, 0.5, 0.25});
  CHECK_THROWS_AS(centred_axis({1, 2}, AxisGeometry{.in = 8, .out = 24, .up = 3, .down = 2}, ExitCode::usage),
                  Error);
  CHECK_THROWS_AS(centred_axis({1, 1, -1, 1}, g, ExitCode::usage), Error);
}

}  // namespace
}  // namespace upfirdn
