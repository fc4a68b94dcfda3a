/// Ends with 0 if the CPU backend that is linked breaks the arithmetic contract on images with sparse Inf, NaN and -0: a mutant has to.

#include <cstdio>

#include "support/oracle.hpp"
#include "support/random_cases.hpp"
#include "support/run_case.hpp"

int main() {
  using namespace upfirdn;
  const std::unique_ptr<Backend> backend = make_cpu_backend(1);
  int with_specials = 0, wrong = 0;
  for (std::uint64_t seed = 50000; seed < 50600; ++seed) {
    const RandomCase one = random_case(seed);
    if (!one.has_specials) continue;
    ++with_specials;
    if (!byte_difference(oracle::emulate(one.spec, one.image), run_case(one.spec, one.image, *backend)).empty()) ++wrong;
  }
  std::printf("%d of %d cases with special values differ\n", wrong, with_specials);
  return wrong > 0 ? 0 : 1;
}
