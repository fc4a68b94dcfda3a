#include "support/oracle.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/images.hpp"
#include "support/random.hpp"
#include "support/random_cases.hpp"

namespace upfirdn {
namespace {

ResampleSpec operating(const std::vector<double>& taps, const FilterRequest& request, Border border) {
  ResampleSpec spec;
  spec.operation = request;
  spec.filter = AxisTaps{taps, {1}};
  spec.border.kind = border;
  return spec;
}

/// What both forms of the oracle make of a row of u8 samples.
std::vector<double> row(const ResampleSpec& spec, const std::vector<double>& samples) {
  const Image image = image_of(shape(PixelType::u8, std::int64_t(samples.size()), 1), samples);
  const Image result = oracle::emulate(spec, image);
  CHECK(oracle::disagreement(oracle::evaluate(spec, image), result) == std::nullopt);
  return values_of(result);
}

TEST_CASE("the oracle gives results worked out by hand") {
  const std::vector<double> binomial{1, 3, 3, 1};
  const FilterRequest up{.up = {2, 1}, .padding = Padding{2, 1, 0, 0}},
      down{.down = {2, 1}, .padding = Padding{1, 1, 0, 0}};
  CHECK(row(operating(binomial, up, Border::zero), {200, 200, 200, 200}) ==
        std::vector<double>{150, 200, 200, 200, 200, 200, 200, 150});
  CHECK(row(operating(binomial, down, Border::zero), {200, 200, 200, 200, 200, 200, 200, 200}) ==
        std::vector<double>{175, 200, 200, 175});
  CHECK(row(operating(binomial, up, Border::edge), {200, 200, 200, 200}) == std::vector<double>(8, 200));
  CHECK(row(operating({1}, {.up = {3, 1}, .padding = Padding{}, .normalize = false}, Border::zero),
            {1, 2, 3}) == std::vector<double>{1, 0, 0, 2, 0, 0, 3, 0, 0});
  const FilterRequest same{.padding = Padding{1, 1, 0, 0}},
      flipped{.padding = Padding{1, 1, 0, 0}, .flip = true};
  CHECK(row(operating({1, 2, 4}, same, Border::zero), {0, 0, 70, 0, 0}) ==
        std::vector<double>{0, 10, 20, 40, 0});
  CHECK(row(operating({1, 2, 4}, flipped, Border::zero), {0, 0, 70, 0, 0}) ==
        std::vector<double>{0, 40, 20, 10, 0});
  const FilterRequest wide{.padding = Padding{5, 5, 0, 0}};
  const std::vector<double> eleven(11, 1.0);
  CHECK(row(operating(eleven, wide, Border::reflect), {0, 110}) == std::vector<double>{50, 60});
  CHECK(row(operating(eleven, wide, Border::mirror), {0, 110}) == std::vector<double>{60, 50});
  CHECK(row(operating(eleven, wide, Border::edge), {0, 110}) == std::vector<double>{50, 60});
  CHECK(row(operating(eleven, wide, Border::zero), {0, 110}) == std::vector<double>{10, 10});
}

TEST_CASE("the oracle sees one wrong code in a result") {
  int caught = 0, tried = 0;
  for (std::uint64_t seed = 500; seed < 560; ++seed) {
    const RandomCase one = random_case(seed);
    const oracle::Reference reference = oracle::evaluate(one.spec, one.image);
    Image result = oracle::emulate(one.spec, one.image);
    if (is_float(result.info().type) || result.info().maxval < 100) continue;
    Random random(seed);
    const std::int64_t x = random.between(0, result.info().width - 1),
                       y = random.between(0, result.info().height - 1);
    const double value = oracle::sample_at(result, x, y, 0);
    put_sample(result, x, y, 0, value >= result.info().maxval ? value - 2 : value + 2);
    ++tried;
    caught += oracle::disagreement(reference, result).has_value();
  }
  INFO(tried << " tried");
  CHECK(tried > 20);
  CHECK(caught >= tried - 4);  // samples that clamp or are not checked (colour without alpha) may hide it
}

TEST_CASE("both forms of the oracle agree within the promised error") {
  for (std::uint64_t seed = 0; seed < 240; ++seed) {
    const RandomCase one = random_case(seed);
    INFO(one.description);
    CHECK(oracle::disagreement(oracle::evaluate(one.spec, one.image), oracle::emulate(one.spec, one.image))
              .value_or("") == "");
  }
}

TEST_CASE("random cases meet every pixel type, border, epilogue and special value") {
  int pairs[8][6] = {}, epilogues = 0, specials = 0, floats = 0, many_taps = 0;
  const int cases = 768;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const RandomCase one = random_case(seed);
    ++pairs[int(one.image.info().type)][int(one.spec.border.kind)];
    epilogues += one.has_epilogue;
    specials += one.has_specials;
    floats += is_float(one.image.info().type);
    const oracle::Setup setup = oracle::resolve(one.spec, one.image.info());
    std::size_t longest = 0;
    for (const oracle::AxisSetup* axis : {&setup.x, &setup.y})
      for (const oracle::Weights& weights : axis->outputs) longest = std::max(longest, weights.taps.size());
    many_taps += longest > 64;
  }
  for (const auto& borders : pairs)
    for (const int count : borders) CHECK(count == cases / 48);
  CHECK(epilogues > cases * 3 / 10);
  CHECK(specials > floats * 3 / 10);
  CHECK(many_taps > cases / 8);
}

TEST_CASE("random cases are the same on every machine") {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const RandomCase one = random_case(seed);
    for (std::size_t i = 0; i < one.image.size_bytes(); ++i)
      hash = (hash ^ std::to_integer<std::uint64_t>(one.image.data()[i])) * 1099511628211u;
  }
  CHECK(hash == 16568037813325037900u);
}

}  // namespace
}  // namespace upfirdn
