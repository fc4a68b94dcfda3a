#include "filters/kernel.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <string>

#include "core/error.hpp"
#include "support/oracle_kernel.hpp"
#include "support/random.hpp"

namespace upfirdn {
namespace {

constexpr const char* kernels[] = {"gaussian",      "gaussian:0.7",     "gaussian:sigma=1/3", "box",
                                   "triangle",      "catmullrom",       "mitchell",           "cubic:0.2,0.4",
                                   "cubic:b=1,c=0", "lanczos2",         "lanczos3",           "lanczos:5/2",
                                   "kaiser",        "kaiser:beta=5,a=3", "kaiser:atten=80,width=0.2",
                                   "kaiser:atten=40,width=0.5,cutoff=0.4", "halfband", "halfband:atten=30,width=1"};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string usage_error(const std::string& text) {
  try {
    (void)parse_filter(text);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    return error.what();
  }
  return "accepted";
}

TEST_CASE("kernels agree with their formulas at every fraction") {
  Random random(11);
  for (const char* text : kernels) {
    const FilterKernel kernel = parse_filter(text);
    const oracle::Rational support = oracle::support_of(kernel);
    REQUIRE(oracle::Rational(kernel.support().num, kernel.support().den) == support);
    for (int i = 0; i < 2000; ++i) {
      const std::int64_t den = random.between(1, 5000);
      const std::int64_t reach = oracle::floor_of(support * oracle::Rational(den));
      const std::int64_t num = random.between(-reach, reach);
      INFO(text << " at " << num << "/" << den);
      REQUIRE(kernel(num, den) ==
              Approx(oracle::kernel_value(kernel, oracle::Rational(num, den))).margin(2e-15).epsilon(1e-14));
      REQUIRE(kernel(num, den) == kernel(-num, den));
      REQUIRE(kernel(num, den) == kernel(Int128(num) * 3, Int128(den) * 3));
    }
  }
}

TEST_CASE("kernels are exactly 0 where they should be") {
  for (const char* text : {"lanczos2", "lanczos3", "lanczos:5/2", "kaiser"})
    for (int i = 1; i <= 2; ++i) CHECK(parse_filter(text)(i * 7, 7) == 0.0);
  CHECK(parse_filter("lanczos:5/2")(5, 2) == 0.0);
  for (const char* text : {"triangle", "catmullrom", "mitchell", "cubic:0.2,0.4", "lanczos3"}) {
    const FilterKernel kernel = parse_filter(text);
    CHECK(kernel(kernel.support().num, kernel.support().den) == 0.0);
  }
  CHECK(parse_filter("box")(1, 2) == 0.5);
  CHECK(parse_filter("box")(-1, 2) == 0.5);
  CHECK(parse_filter("box")(499, 1000) == 1.0);
  CHECK(parse_filter("lanczos3")(0, 1) == 1.0);
  CHECK(parse_filter("catmullrom")(1, 1) == 0.0);
}

TEST_CASE("filters are read with positions, keys and defaults") {
  CHECK(parse_filter("gaussian").sigma == Fraction{1, 2});
  CHECK(parse_filter("gaussian:0.7").sigma == Fraction{7, 10});
  CHECK(parse_filter("gaussian:sigma=0.7").sigma == Fraction{7, 10});
  CHECK(parse_filter("lanczos2").a == Fraction{2, 1});
  CHECK(parse_filter("lanczos").a == Fraction{3, 1});
  CHECK(parse_filter("lanczos:a=2.5").a == Fraction{5, 2});
  CHECK(parse_filter("mitchell").b == Approx(1.0 / 3));
  CHECK(parse_filter("catmullrom").c == 0.5);
  CHECK(parse_filter("cubic:0.2,c=0.4").c == 0.4);
  CHECK(parse_filter("kaiser:a=3").beta == 8.0);
  CHECK(parse_filter("kaiser:a=3").a == Fraction{3, 1});
  CHECK(parse_filter("kaiser:6").beta == 6.0);
  CHECK(parse_filter("binomial:5").taps == 5);
  CHECK(parse_filter("kaiser:6").text == "kaiser:6");
}

TEST_CASE("an unknown filter or key is refused with what is known") {
  const std::string unknown = usage_error("lanczos4");
  for (const char* known : {"gaussian", "box", "triangle", "catmullrom", "mitchell", "cubic", "lanczos2",
                            "lanczos3", "lanczos", "kaiser", "binomial", "nearest"})
    CHECK(contains(unknown, known));
  CHECK(contains(usage_error("gaussian:width=2"), "sigma"));
  CHECK(contains(usage_error("kaiser:8,4,0.5,60,0.2,9"), "beta"));
  for (const char* bad :
       {"", ":", "gaussian:", "gaussian:x", "gaussian:0", "gaussian:-1", "gaussian:nan", "gaussian:sigma",
        "lanczos:0", "box:1", "nearest:1", "binomial:0", "binomial:2.5", "binomial:-3", "cubic:1,",
        "cubic:inf,0", "kaiser:-1", "gaussian:0.7;", "GAUSSIAN ",
        "kaiser:atten=80", "kaiser:width=0.2", "kaiser:atten=80,width=0.2,a=3", "kaiser:atten=20,width=0.2",
        "kaiser:atten=200,width=0.2", "kaiser:atten=80,width=0.001", "kaiser:cutoff=0", "kaiser:cutoff=2",
        "halfband:beta=3", "halfband:atten=0", "halfband:width=0"}) {
    INFO("'" << bad << "'");
    const std::string message = usage_error(bad);
    CHECK(message != "accepted");
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("a designed Kaiser filter follows Kaiser's formulas") {
  const FilterKernel kernel = parse_filter("kaiser:atten=80,width=0.2");
  CHECK(kernel.beta == Approx(0.1102 * (80 - 8.7)));
  CHECK(to_double(kernel.a) == Approx((80 - 7.95) / (2 * 14.36 * 0.2)).margin(1e-3));
  CHECK(parse_filter("kaiser:atten=30,width=1").beta == Approx(2.1166).margin(1e-3));  // Oppenheim and Schafer, 7.62
  CHECK(parse_filter("kaiser:atten=21,width=1").beta == 0.0);
}

TEST_CASE("half of a half-band filter's taps are 0 at factor 2, and the phases have equal sums") {
  for (const char* text : {"halfband", "halfband:atten=30", "halfband:atten=100,width=0.1"}) {
    const std::vector<double> taps = prototype_taps(parse_filter(text), 2, 1);
    INFO(text);
    REQUIRE(taps.size() % 4 == 3);
    CHECK(taps.front() != 0.0);
    const std::size_t middle = taps.size() / 2;
    double others = 0;
    for (std::size_t k = 0; k < taps.size(); ++k) {
      if (k == middle) CHECK(taps[k] == 1.0);
      else if ((k + middle) % 2 == 0) CHECK(taps[k] == 0.0);
      else others += taps[k];
    }
    CHECK(others == Approx(1).margin(0.06));
  }
}

TEST_CASE("binomial taps are Pascal's triangle") {
  CHECK(binomial_taps(1) == std::vector<double>{1});
  CHECK(binomial_taps(4) == std::vector<double>{1, 3, 3, 1});
  CHECK(binomial_taps(6) == std::vector<double>{1, 5, 10, 10, 5, 1});
}

TEST_CASE("prototypes have the parity of their factors, are symmetric and end within the support") {
  for (const char* text : kernels)
    for (std::int64_t up = 1; up <= 7; ++up)
      for (std::int64_t down = 1; down <= 7; ++down) {
        const FilterKernel kernel = parse_filter(text);
        if (oracle::prototype_of(kernel, up, down).empty()) continue;
        const std::vector<double> taps = prototype_taps(kernel, up, down);
        INFO(text << " up " << up << " down " << down);
        REQUIRE((std::int64_t(taps.size()) - (kernel.on_sample ? 1 : down - up + 1)) % 2 == 0);
        REQUIRE(std::equal(taps.begin(), taps.end(), taps.rbegin()));
        const std::vector<double> expected = oracle::prototype_of(kernel, up, down);
        REQUIRE(taps.size() == expected.size());
        for (std::size_t k = 0; k < taps.size(); ++k)
          REQUIRE(taps[k] == Approx(expected[k]).margin(2e-15).epsilon(1e-14));
      }
}

TEST_CASE("filters without a kernel say so") {
  CHECK_THROWS_AS(parse_filter("nearest").support(), std::logic_error);
  CHECK_THROWS_AS(parse_filter("binomial").support(), std::logic_error);
  CHECK_THROWS_AS(prototype_taps(parse_filter("nearest"), 2, 1), Error);
  CHECK(prototype_taps(parse_filter("binomial:4"), 2, 1) == std::vector<double>{1, 3, 3, 1});
  CHECK_THROWS_AS(prototype_taps(parse_filter("gaussian:0.01"), 2, 1), Error);
}

TEST_CASE("every filter is described in a line") {
  const std::vector<std::string> lines = describe_filters();
  CHECK(lines.size() == 13);
  for (const std::string& line : lines) {
    CHECK(line.size() < 110);
    CHECK(line.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace upfirdn
