// The CUDA kernels against the card's own copy speed: the benchmark without codecs.
//   upfirdn_kernel_bench [--only PART] [--type T] [--shape PART] [--rounds N] [--gray] [--no-check]
// Exit 0: all bytes equal the CPU's; 1: not so; 77: no CUDA device.

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "resample/backend.hpp"
#include "resample/cuda_bench.hpp"

int main(int argc, char** argv) {
  using namespace upfirdn;
  KernelBenchOptions options;
  for (int i = 1; i < argc; ++i) {
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (std::strcmp(argv[i], "--only") == 0) options.only = value();
    else if (std::strcmp(argv[i], "--type") == 0) options.only_type = value();
    else if (std::strcmp(argv[i], "--shape") == 0) options.only_shape = value();
    else if (std::strcmp(argv[i], "--rounds") == 0) options.rounds = std::atoi(value());
    else if (std::strcmp(argv[i], "--gray") == 0) options.gray_only = true;
    else if (std::strcmp(argv[i], "--no-check") == 0) options.check_bytes = false;
  }
  if (const CudaStatus status = cuda_status(); status.devices.empty()) {
    fmt::print("skipped: {}\n", status.problem);
    return 77;
  }
  bool equal = true;
  fmt::print("{}\n", kernel_time_heading());
  const std::string probes = bench_kernels(options, [&](const KernelTime& t) {
    equal = equal && t.equal;
    fmt::print("{}\n", kernel_time_line(t));
    std::fflush(stdout);
  });
  fmt::print("{}\n", probes);
  return equal ? 0 : 1;
}
