#include "filters/response.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <string>

#include "filters/kernel.hpp"
#include "support/random.hpp"

namespace upfirdn {
namespace {

double decibels(double gain) {
  return 20 * std::log10(gain);
}

TEST_CASE("the response of two equal taps is a cosine") {
  const FrequencyResponse response({3, 3}, 1, 2);  // |cos(pi f / 2)|, f in cycles per output pixel
  for (const double f : {0.0, 0.1, 0.5, 0.75, 1.0})
    CHECK(response.gain(f) == Approx(std::abs(std::cos(std::numbers::pi * f / 2))).margin(1e-12));
  CHECK(response.highest() == 1);
  CHECK(*response.falls_to(std::sqrt(0.5)) == Approx(0.5).margin(1e-9));
  CHECK(*response.falls_to(0.5) == Approx(2.0 / 3).margin(1e-9));
  CHECK_FALSE(response.stop_band());
  const FrequencyResponse::Peak leak = response.largest_from(leak_frequency);
  CHECK(leak.frequency == Approx(0.75).margin(1e-9));
  CHECK(leak.gain == Approx(std::cos(std::numbers::pi * 0.375)));
}

TEST_CASE("the side lobe of a long box is at -13.26 dB") {
  const FrequencyResponse response(std::vector<double>(400, 0.25), 1, 400);
  CHECK(*response.stop_band() == Approx(1).margin(1e-4));
  const FrequencyResponse::Peak lobe = response.largest_from(*response.stop_band());
  CHECK(decibels(lobe.gain) == Approx(-13.26).margin(0.01));
  CHECK(lobe.frequency == Approx(1.4303).margin(1e-3));
}

TEST_CASE("taps that sum to 0 are measured against their largest gain") {
  const FrequencyResponse response({0.5, 0, -0.5}, 1, 1);  // sin(2 pi f)
  CHECK_FALSE(response.relative_to_zero());
  CHECK(response.gain(0.25) == Approx(1));
  CHECK(response.gain(0) == Approx(0).margin(1e-12));
}

TEST_CASE("designs keep their attenuation and their transition") {
  for (const double atten : {30.0, 50.0, 80.0, 100.0})
    for (const char* width : {"0.1", "0.2", "0.4"})
      for (const std::int64_t down : {4, 7, 30}) {
        const std::string text = "kaiser:atten=" + std::to_string(atten) + ",width=" + width;
        const FrequencyResponse response(prototype_taps(parse_filter(text), 1, down), 1, down);
        INFO(text << " down " << down);
        const double half = std::stod(width) / 2;
        CHECK(*response.falls_to(0.5) == Approx(0.5).margin(0.02 * half));
        CHECK(decibels(response.largest_from(0.5 + half).gain) < -atten + 2);  // Kaiser's formulas are approximate
        CHECK(response.gain(0.5 - half) > 1 - 2 * std::pow(10, -atten / 20));
      }
}

TEST_CASE("a cutoff below the folding frequency lets nothing alias") {
  const FrequencyResponse response(prototype_taps(parse_filter("kaiser:atten=70,width=0.2,cutoff=0.4"), 1, 8), 1, 8);
  CHECK(*response.falls_to(0.5) == Approx(0.4).margin(0.002));
  CHECK(decibels(response.largest_from(0.5).gain) < -69);
}

TEST_CASE("gains agree with a plain sum at random taps and frequencies") {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> taps;
    for (std::int64_t k = random.between(1, 90); k > 0; --k) taps.push_back(random.real(-1, 2));
    const std::int64_t up = random.between(1, 5), down = random.between(1, 5);
    const FrequencyResponse response(taps, up, down);
    const double f = random.real(0, response.highest());
    double real = 0, imaginary = 0, sum = 0;
    for (std::size_t k = 0; k < taps.size(); ++k) {
      const double angle = 2 * std::numbers::pi * f * double(k) / double(std::max(up, down));
      real += taps[k] * std::cos(angle), imaginary += taps[k] * std::sin(angle), sum += taps[k];
    }
    if (std::abs(sum) < 1) continue;
    REQUIRE(response.gain(f) == Approx(std::hypot(real, imaginary) / std::abs(sum)).margin(1e-10));
    const double edge = random.real(0, response.highest());
    const FrequencyResponse::Peak peak = response.largest_from(edge);
    REQUIRE(peak.frequency >= edge);
    for (int k = 0; k <= 50; ++k) REQUIRE(response.gain(edge + (response.highest() - edge) * k / 50) <= peak.gain * (1 + 1e-4));
  }
}

TEST_CASE("phases, delay and symmetry") {
  CHECK(phase_sums({1, 1}, 4) == std::vector<double>{1, 1, 0, 0});
  CHECK(dc_ripple({1, 1}, 4) == 2.0);
  CHECK(dc_ripple({1, 3, 3, 1}, 2) == 0.0);
  CHECK(*group_delay({1, 3, 3, 1}) == 1.5);
  CHECK(*group_delay({0.5, 0, -0.5}) == 1.0);
  CHECK(*group_delay({0, 0, 1, 1}) == 2.5);
  CHECK_FALSE(group_delay({1, 2, -3}));
  CHECK(has_linear_phase({1, 3, 3, 1}));
  CHECK_FALSE(has_linear_phase({1, 2, 3}));
}

}  // namespace
}  // namespace upfirdn
