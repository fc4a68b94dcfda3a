#pragma once
/// What the card itself can do, measured: the floors of a benchmark.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

namespace upfirdn::cuda {

/// Median time in microseconds of `work`, which enqueues on the stream it is given, over `rounds` rounds. The stream is kept
/// busy while the host enqueues, so that only the device's time counts. `work` gets the number of the round.
[[nodiscard]] double median_us(int rounds, const std::function<void(int round, cudaStream_t stream)>& work);

/// Fused multiply-adds, and conversions from and to integers, a clock and multiprocessor; the clock in GHz while they ran.
struct ArithmeticRates {
  double fma, convert, clock_ghz;
  int multiprocessors;
};
[[nodiscard]] ArithmeticRates measure_arithmetic();

/// Bias and leaky ReLU on `count` samples (a multiple of 4) in place: what an epilogue costs as a launch of its own.
void add_bias_lrelu(float* samples, std::size_t count, float bias, float slope, float gain, cudaStream_t stream);

}  // namespace upfirdn::cuda
