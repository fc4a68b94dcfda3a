#include "support/filter_grid.hpp"

#include <catch2/catch.hpp>

#include "resample/backend.hpp"
#include "support/oracle.hpp"
#include "support/run_case.hpp"

namespace upfirdn {
namespace {

TEST_CASE("every filter, factor and border agrees with float64 and gives the bytes of the contract") {
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  for (std::size_t filter = 0; filter < grid_filters().size(); ++filter)
    for (std::int64_t place = 0; place < grid_places(); ++place)
      for (const std::size_t samples : {std::size_t(0), 1 + std::size_t(place + std::int64_t(filter)) % 5}) {
        const RandomCase one = grid_case(filter, samples, place);
        INFO(one.description);
        const Image result = run_case(one.spec, one.image, *backend);
        const auto difference = oracle::disagreement(oracle::evaluate(one.spec, one.image), result);
        REQUIRE(difference.value_or("") == "");
        REQUIRE(byte_difference(oracle::emulate(one.spec, one.image), result) == "");
      }
}

}  // namespace
}  // namespace upfirdn
