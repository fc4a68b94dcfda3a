#pragma once
/// The work that `bench` times, on the CPU and on CUDA.

#include <cstdint>
#include <string>
#include <vector>

#include "core/image.hpp"
#include "core/operation.hpp"
#include "resample/spec.hpp"

namespace upfirdn {

struct BenchCase {
  std::string name;
  ResampleSpec spec;
  std::int64_t width = 0, height = 0;  ///< of the input; 0: any
  int channels = 1;
  Alpha alpha = Alpha::none;
  std::string plain = {};  ///< name of the case without what this one adds; empty: it adds nothing
};

/// The operator with binomial taps on both axes, zero border.
[[nodiscard]] ResampleSpec operator_spec(int up, int down, int taps, bool epilogue = false);
/// A resize by a named filter, edge border.
[[nodiscard]] ResampleSpec resize_spec(const std::string& filter, std::int64_t width, std::int64_t height);

/// One channel: the operator, with and without epilogue, and resizes.
[[nodiscard]] std::vector<BenchCase> bench_cases();
/// The rest of the operator, on geometries of `bench_cases`: borders, long filters, alpha, light, nodata, epilogue, 4 channels.
[[nodiscard]] std::vector<BenchCase> further_bench_cases();
/// The case for pixels of more channels.
[[nodiscard]] BenchCase with_channels(BenchCase bench_case, int channels);

/// Random samples: all codes of integers, floats from -0.25 to 0.75.
[[nodiscard]] Image noise_image(const ImageInfo& info);

/// Multiply-adds of both passes for one image.
[[nodiscard]] double multiply_adds(const Operation& operation);

}  // namespace upfirdn
