// Catch2's main, but for machines without a CUDA device: those return 77, which CTest reports as skipped.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <cstdio>

#include "resample/backend.hpp"

int main(int argc, char** argv) {
  if (const upfirdn::CudaStatus status = upfirdn::cuda_status(); status.devices.empty()) {
    std::printf("skipped: %s\n", status.problem.c_str());
    return 77;
  }
  return Catch::Session().run(argc, argv);
}
