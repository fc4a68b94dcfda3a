#include "core/axis.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/describe.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace upfirdn {
namespace {

constexpr Border borders[] = {Border::zero,   Border::edge, Border::reflect,
                              Border::mirror, Border::wrap, Border::constant};

/// Letters around abcd as the definition writes them.
std::string around(std::int64_t n, Border border, std::int64_t from, std::int64_t to) {
  std::string text;
  for (std::int64_t i = from; i <= to; ++i) {
    const std::int64_t k = source_index(i, n, border);
    text += k < 0 ? '.' : char('a' + k);
  }
  return text;
}

TEST_CASE("borders continue abcd as the definition shows") {
  CHECK(around(4, Border::edge, -3, 6) == "aaaabcdddd");
  CHECK(around(4, Border::reflect, -4, 7) == "dcbaabcddcba");
  CHECK(around(4, Border::mirror, -3, 6) == "dcbabcdcba");
  CHECK(around(4, Border::wrap, -3, 6) == "bcdabcdabc");
  CHECK(around(4, Border::zero, -2, 5) == "..abcd..");
  CHECK(around(4, Border::constant, -2, 5) == "..abcd..");
  CHECK(around(1, Border::mirror, -3, 3) == "aaaaaaa");
  CHECK(around(1, Border::reflect, -3, 3) == "aaaaaaa");
  CHECK(around(2, Border::mirror, -3, 4) == "babababa");
}

TEST_CASE("borders hold at any distance") {
  for (const Border border : borders)
    for (std::int64_t n = 1; n <= 9; ++n)
      for (const std::int64_t centre :
           {std::int64_t(0), std::int64_t(-4'000'000'000'000), std::int64_t(4'000'000'000'001)})
        for (std::int64_t i = centre - 40; i <= centre + 40; ++i) {
          INFO(name(border) << " n " << n << " i " << i);
          REQUIRE(source_index(i, n, border) == oracle::folded(i, n, border).value_or(-1));
        }
}

TEST_CASE("outputs repeat the phases, one step of input later") {
  Axis axis{.in = 10, .out = 7, .period = 3, .step = 2};
  axis.add_phase(-1, {1.0f, 2.0f});
  axis.add_phase(0, {3.0f});
  axis.add_phase(0, {4.0f, 5.0f, 6.0f});
  const AxisView view = axis.view();
  CHECK(axis.longest_phase() == 3);
  const TapRun run = view.locate(5);
  CHECK(run.phase == 2);
  CHECK(run.first == 2);
  CHECK(run.count == 3);
  CHECK(run.taps[2] == 6.0f);
  CHECK(view.locate(6).first == 3);
  CHECK(view.locate(6).count == 2);
}

/// Sums in runs of 64, then the sums in runs of 64, and so on, written recursively.
float nested(const std::vector<float>& sums) {
  if (sums.empty()) return 0.0f;
  if (sums.size() == 1) return sums[0];
  std::vector<float> next;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (i % 64 == 0) next.push_back(0.0f);
    next.back() += sums[i];
  }
  return nested(next);
}

TEST_CASE("run sums are summed in runs of 64, level by level") {
  Random random(3);
  for (std::size_t runs :
       {0u, 1u, 2u, 63u, 64u, 65u, 127u, 128u, 129u, 4095u, 4096u, 4097u, 8192u, 300000u}) {
    RunSums sums;
    std::vector<float> values;
    for (std::size_t i = 0; i < runs; ++i) {
      values.push_back(float(random.real(-1, 1)) * (random.chance(5) ? 1e6f : 1.0f));
      sums.add(values.back());
    }
    INFO(runs << " runs");
    CHECK(sums.total() == nested(values));
  }
}

TEST_CASE("a single run keeps its negative zero, several do not") {
  RunSums one, two, none;
  one.add(-0.0f);
  two.add(-0.0f);
  two.add(-0.0f);
  CHECK(std::signbit(one.total()));
  CHECK_FALSE(std::signbit(two.total()));
  CHECK_FALSE(std::signbit(none.total()));
}

}  // namespace
}  // namespace upfirdn
