#include "kernels/probes.hpp"

#include <algorithm>
#include <vector>

#include "kernels/cuda_resources.hpp"

namespace upfirdn::cuda {
namespace {

__global__ void wait_kernel(long long nanoseconds) {
  long long start = 0, now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (now - start < nanoseconds);
}

constexpr int probe_threads = 1024, probe_steps = 2048, probe_chains = 8;

__global__ void fma_kernel(float a, float b, float* out, long long* clocks) {
  float sums[probe_chains];
  for (int i = 0; i < probe_chains; ++i) sums[i] = float(threadIdx.x + i);
  __syncthreads();
  const long long start = clock64();
  for (int step = 0; step < probe_steps; ++step)
#pragma unroll
    for (int i = 0; i < probe_chains; ++i) sums[i] = __fmaf_rn(sums[i], a, b);
  __syncthreads();
  if (threadIdx.x == 0) clocks[blockIdx.x] = clock64() - start;
  float sum = 0;
  for (const float s : sums) sum += s;
  out[blockIdx.x * probe_threads + threadIdx.x] = sum;
}

__global__ void convert_kernel(float* out, long long* clocks) {
  float values[probe_chains];
  for (int i = 0; i < probe_chains; ++i) values[i] = float(threadIdx.x + i);
  __syncthreads();
  const long long start = clock64();
  for (int step = 0; step < probe_steps / 8; ++step)
#pragma unroll
    for (int i = 0; i < probe_chains; ++i) values[i] = __int_as_float(__float2int_rn(values[i]));
  __syncthreads();
  if (threadIdx.x == 0) clocks[blockIdx.x] = clock64() - start;
  float sum = 0;
  for (const float v : values) sum += v;
  out[blockIdx.x * probe_threads + threadIdx.x] = sum;
}

struct TimedEvent {
  cudaEvent_t event = nullptr;
  TimedEvent() { check(cudaEventCreate(&event), "making an event"); }
  ~TimedEvent() { cudaEventDestroy(event); }
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;
};

__global__ void bias_lrelu_kernel(float4* samples, std::size_t count, float bias, float slope, float gain) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const auto after = [&](float value) {
    value += bias;
    return (value > 0.0f ? value : value * slope) * gain;
  };
  const float4 four = samples[i];
  samples[i] = {after(four.x), after(four.y), after(four.z), after(four.w)};
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

double median_us(int rounds, const std::function<void(int, cudaStream_t)>& work) {
  const Stream stream = make_stream();
  TimedEvent start, stop;
  std::vector<double> times;
  for (int round = -3; round < rounds; ++round) {  // the first ones warm up
    wait_kernel<<<1, 1, 0, stream.get()>>>(100000);
    check(cudaEventRecord(start.event, stream.get()), "recording an event");
    work(round + 3, stream.get());
    check(cudaEventRecord(stop.event, stream.get()), "recording an event");
    check(cudaStreamSynchronize(stream.get()), "the work measured");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start.event, stop.event), "reading a time");
    if (round >= 0) times.push_back(1000.0 * double(ms));
  }
  return median(times);
}

void add_bias_lrelu(float* samples, std::size_t count, float bias, float slope, float gain, cudaStream_t stream) {
  constexpr unsigned threads = 256;
  bias_lrelu_kernel<<<unsigned((count / 4 + threads - 1) / threads), threads, 0, stream>>>(reinterpret_cast<float4*>(samples), count / 4, bias, slope, gain);
  check(cudaGetLastError(), "launching the epilogue");
}

ArithmeticRates measure_arithmetic() {
  int device = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaGetDeviceProperties(&properties, device), "asking for a device's properties");
  const int blocks = properties.multiProcessorCount;
  DeviceBuffer out, clocks;
  out.reserve(std::size_t(blocks) * probe_threads * sizeof(float));
  clocks.reserve(std::size_t(blocks) * sizeof(long long));
  auto* floats = reinterpret_cast<float*>(out.data());
  auto* counts = reinterpret_cast<long long*>(clocks.data());
  std::vector<long long> host(static_cast<std::size_t>(blocks));
  const auto clocks_of = [&](auto&& launch) {
    launch();
    check(cudaMemcpy(host.data(), counts, host.size() * sizeof(long long), cudaMemcpyDeviceToHost), "copying a probe's clocks");
    return median(std::vector<double>(host.begin(), host.end()));
  };
  ArithmeticRates rates{0, 0, 0, properties.multiProcessorCount};
  double us = 0;
  const double fma_clocks = clocks_of([&] {
    us = median_us(5, [&](int, cudaStream_t stream) { fma_kernel<<<blocks, probe_threads, 0, stream>>>(0.5f, 1.0f, floats, counts); });
  });
  rates.fma = 1.0 * probe_threads * probe_steps * probe_chains / fma_clocks;
  rates.clock_ghz = fma_clocks / us / 1000;
  const double convert_clocks = clocks_of([&] {
    (void)median_us(5, [&](int, cudaStream_t stream) { convert_kernel<<<blocks, probe_threads, 0, stream>>>(floats, counts); });
  });
  rates.convert = 1.0 * probe_threads * (probe_steps / 8) * probe_chains / convert_clocks;
  return rates;
}

}  // namespace upfirdn::cuda
