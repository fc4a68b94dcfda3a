#pragma once
/// What the strip kernels for any factors share: positions and taps come from tables in device memory.

#include "kernels/row_program.hpp"
#include "kernels/strip.cuh"
#include "kernels/tap_sum.cuh"

namespace upfirdn::cuda {

inline constexpr int ratio_alignment = 16;  // of a strip's first column
inline constexpr int ratio_overhang = 16;   // columns beyond those of the lanes that windows of a strip may reach on either side
inline constexpr int ratio_pad = 32;        // columns that have a place there, those of unused taps included

/// First column for a window that begins at column `start`: of the image, as far as the overhang allows.
constexpr __host__ __device__ std::int64_t ratio_first_column(std::int64_t start) {
  if (start >= 0) return start / ratio_alignment * ratio_alignment;
  const std::int64_t beyond = -start - ratio_overhang;
  return beyond <= 0 ? 0 : -((beyond + ratio_alignment - 1) / ratio_alignment * ratio_alignment);
}

/// AxisView::locate() in 32 bits.
struct NearRun {
  int first, count;
  const float* taps;
};
__device__ inline NearRun locate(const BasicAxisView<float>& axis, int output) {
  const int cycle = output / int(axis.period), phase = output - cycle * int(axis.period);
  const auto read = [&](const std::int64_t* from) { return int(__ldg(reinterpret_cast<const long long*>(from) + phase)); };
  return {cycle * int(axis.step) + read(axis.first), read(axis.count), axis.taps + read(axis.offset)};
}

/// The sum of a sample across, tap by tap, leaving out what does not exist. Not inlined: it is rarely needed. `zero`: place of
/// column 0 in the row. `Long`: a phase may have more than one run of taps.
template <int Channels, bool Long>
__device__ __noinline__ float exact_sum(const StripOperation& op, const float* row, int sample, int zero) {
  const int pixel = sample / Channels, channel = sample % Channels;
  const NearRun run = locate(op.x, pixel);
  TapSum<Long> sum;
#pragma unroll 1
  for (int k = 0; k < run.count; ++k) {
    const int position = run.first + k;
    if (op.border != Border::zero || unsigned(position) < unsigned(op.in_columns / Channels))
      sum.add(__ldg(run.taps + k), row[zero + position * Channels + channel]);
    sum.passed(k);
  }
  return sum.total(run.count);
}

/// The row program as a warp reads it: an entry a lane, from device memory to memory that the warp shares.
class RowEntries {
 public:
  static constexpr int at_once = 32;
  struct alignas(16) Memory {
    float taps[at_once][most_row_outputs];
    int numbers[at_once][2];
  };
  /// From entry `first` on, and round again.
  __device__ RowEntries(const StripOperation& op, Memory* of_warps, int first)
      : op_(op), memory_(of_warps[threadIdx.x / 32]), lane_entry_(first + int(threadIdx.x) % at_once) {}
  /// All lanes of the warp call it before they read; entry 0 is then the one `step` after the last.
  __device__ void move(int step) {
    at_ += step;
    if (at_ < at_once) return;
    at_ = 0;
    __syncwarp();
    const int lane = int(threadIdx.x) % at_once, entry = lane_entry_ % op_.row_entries;
    const float4* const taps = reinterpret_cast<const float4*>(op_.row_taps) + 2 * entry;
    const float4 low = __ldg(taps), high = __ldg(taps + 1);
    *reinterpret_cast<int2*>(memory_.numbers[lane]) = __ldg(reinterpret_cast<const int2*>(op_.row_program) + entry);
    *reinterpret_cast<float4*>(&memory_.taps[lane][0]) = low;
    *reinterpret_cast<float4*>(&memory_.taps[lane][4]) = high;
    lane_entry_ += at_once;
    __syncwarp();
  }
  /// `Count` taps of entry `i`, of those stored from number `First` on.
  template <int First, int Count>
  __device__ void read_taps(int i, float (&taps)[Count]) const {
    static_assert(First + Count <= most_row_outputs);
#pragma unroll
    for (int k = First; k < First + Count; ++k) taps[k - First] = memory_.taps[at_ + i][k];
  }
  [[nodiscard]] __device__ int number(int i, int which) const { return memory_.numbers[at_ + i][which]; }

 private:
  const StripOperation& op_;
  Memory& memory_;
  int lane_entry_, at_ = at_once - 1;
};

/// Like RowLoads, but the samples wait in shared memory, a place for each lane: loops that wait for other loads as well have too
/// few scoreboards for registers that are loaded ahead.
template <class S, int N, int Slots>
class AsyncRowLoads {
 public:
  static constexpr int bytes = N * int(sizeof(S));  // of a lane and row
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
  [[nodiscard]] static constexpr std::size_t shared_bytes(int lanes) { return std::size_t(Slots * bytes) * std::size_t(lanes); }

  __device__ AsyncRowLoads(const StripOperation& op, const std::byte* image, std::byte* memory, int first_column, int first_row, int end_row)
      : op_(op), column_(image + std::size_t(first_column) * sizeof(S)), place_(memory + int(threadIdx.x) * bytes), next_(first_row), end_(end_row) {
#pragma unroll
    for (int slot = 0; slot < Slots; ++slot) request(slot);
  }
  __device__ void take(int slot, float (&values)[N]) {
    wait();
    const auto samples = *reinterpret_cast<const Words<S, N, N>*>(place(slot));
    to_floats(samples, op_.minus_zero, values);
    request(slot);
  }

 private:
  [[nodiscard]] __device__ std::byte* place(int slot) const { return place_ + slot * bytes * int(blockDim.x); }
  __device__ void request(int slot) {
    if (next_ < end_) {
      const int row = unsigned(next_) < unsigned(op_.in_rows) ? next_ : near_source(next_, op_.in_rows, op_.border);
      copy(place(slot), column_ + std::size_t(max(row, 0)) * op_.in_stride, row >= 0 ? bytes : 0);
    }
    ++next_;
    commit();
  }
#if __CUDA_ARCH__ >= 800
  /// Copies `existing` bytes and fills the others with 0.
  static __device__ void copy(std::byte* to, const std::byte* from, int existing) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from), "n"(bytes), "r"(existing)
                 : "memory");
  }
  static __device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  static __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(Slots - 1) : "memory"); }
#else
  static __device__ void copy(std::byte* to, const std::byte* from, int existing) {
    for (int i = 0; i < bytes; ++i) to[i] = i < existing ? from[i] : std::byte(0);
  }
  static __device__ void commit() {}
  static __device__ void wait() {}
#endif

  const StripOperation& op_;
  const std::byte* column_;
  std::byte* place_;
  int next_, end_;
};

/// Dynamic shared memory of a block: rows, row entries of each warp, and what the kernel has besides.
template <class Rows>
constexpr __host__ __device__ std::size_t ratio_shared_bytes(int lanes) {
  return Rows::bytes(lanes) + std::size_t(lanes / 32) * sizeof(RowEntries::Memory);
}
template <class Rows>
__device__ inline RowEntries::Memory* entries_memory() {
  return reinterpret_cast<RowEntries::Memory*>(reinterpret_cast<std::byte*>(dynamic_shared()) + Rows::bytes(int(blockDim.x)));
}

/// One value after what follows the filter, as a sample.
template <class S>
__device__ inline S finished(const StripOperation& op, float value, int channel, unsigned& nans) {
  if (op.after.any) value = op.after(value, channel);
  return is_integer_sample<S> && op.fast ? saturated<S>(value) : to_sample<S>(op, value, nans);
}

}  // namespace upfirdn::cuda
