#pragma once
/// What the strip kernels share. A warp makes a strip of an image: a few hundred samples across, walked down row by row. Rows
/// come by asynchronous copies into a ring in shared memory, are filtered along one axis in registers, handed to the other
/// lanes through shared memory, filtered along the other axis and stored. Nothing waits but the warp itself.
///
/// Both axes hold at most 64 taps a phase, so each sum is one run of the summation rule.

#include "core/sample_math.hpp"
#include "kernels/strip_operation.hpp"

namespace upfirdn::cuda {

/// Where a warp works.
struct StripPlace {
  int strip, segment;
  const std::byte* input;
  std::byte* output;
};

__device__ inline StripPlace strip_place(const StripOperation& op, std::int64_t warp) {
  const int strip = int(warp % op.strips);
  const std::int64_t rest = warp / op.strips;
  const std::int64_t image = rest / op.segments;
  return {strip, int(rest % op.segments), op.input + std::size_t(image) * op.in_image_stride,
          op.output + std::size_t(image) * op.out_image_stride};
}

/// Largest power of two that divides `n`, at most 16.
constexpr __host__ __device__ int power_in(int n) { return (n & -n) < 16 ? (n & -n) : 16; }

/// `N` samples side by side, aligned for the widest accesses that their size allows.
template <class S, int N>
struct alignas(power_in(N * int(sizeof(S)))) Pack {
  S s[N];
};

/// Samples as floats, exactly. Integers of up to 16 bits are put under the exponent of 2^23 and 2^23 taken away: two
/// instructions at full rate instead of a conversion at an eighth of it.
template <class S, int N>
__device__ inline void to_floats(const Pack<S, N>& pack, float (&values)[N]) {
  if constexpr (sizeof(S) == 4) {
    for (int i = 0; i < N; ++i) values[i] = to_float(pack.s[i]);
  } else if constexpr (std::is_same_v<S, std::uint8_t> && N % 4 == 0) {
    const auto* words = reinterpret_cast<const unsigned*>(&pack);
#pragma unroll
    for (int i = 0; i < N; ++i)
      values[i] = __fadd_rn(__uint_as_float(__byte_perm(words[i / 4], 0x4b000000u, 0x7650 + i % 4)), -8388608.0f);
  } else if constexpr (!std::is_same_v<S, Half> && sizeof(S) == 2 && N % 2 == 0) {
    constexpr bool is_signed = std::is_same_v<S, std::int16_t>;
    const auto* words = reinterpret_cast<const unsigned*>(&pack);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const unsigned word = is_signed ? words[i / 2] ^ 0x80008000u : words[i / 2];
      values[i] = __fadd_rn(__uint_as_float(__byte_perm(word, 0x4b000000u, i % 2 == 0 ? 0x7610 : 0x7632)),
                            is_signed ? -8421376.0f : -8388608.0f);
    }
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) values[i] = to_float(pack.s[i]);
  }
}

/// One value as a sample. Counts NaN that became 0 in `nans`.
template <class S>
__device__ inline S to_sample(const StripOperation& op, float value, unsigned& nans) {
  if constexpr (std::is_same_v<S, float>) {
    return value != value ? __uint_as_float(0x7fc00000u) : value;
  } else if constexpr (std::is_same_v<S, Half>) {
    return float_to_half(value);
  } else {
    if (value != value) ++nans, value = 0.0f;
    return S(__float2int_rn(fminf(fmaxf(value, op.out_min), op.out_max)));
  }
}

/// Filtered values as samples, after what follows the filter; `channel` is that of the first.
template <class S, int N>
__device__ inline Pack<S, N> to_samples(const StripOperation& op, float (&values)[N], int channel, unsigned& nans) {
  if (!op.plain) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      values[i] = op.after(values[i], channel);
      channel = channel + 1 == op.channels ? 0 : channel + 1;
    }
  }
  Pack<S, N> pack;
#pragma unroll
  for (int i = 0; i < N; ++i) pack.s[i] = to_sample<S>(op, values[i], nans);
  return pack;
}

/// Stores `N` samples at column `column` of a row of `columns`; those beyond its end are left out.
template <class S, int N>
__device__ inline void store_pack(std::byte* row, int column, int columns, const Pack<S, N>& pack) {
  S* at = reinterpret_cast<S*>(row) + column;
  constexpr int piece = power_in(N);
  if (column + N <= columns) {
#pragma unroll
    for (int i = 0; i < N; i += piece) *reinterpret_cast<Pack<S, piece>*>(at + i) = reinterpret_cast<const Pack<S, piece>&>(pack.s[i]);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i)
      if (column + i < columns) at[i] = pack.s[i];
  }
}

/// Row of the image that stands at row `row` outside of it; -1 beyond a zero border.
static __device__ __noinline__ int outside_row(int row, int rows, Border border) { return int(source_index(row, rows, border)); }

/// Stages of `Rows` rows of a strip, 32 * N samples wide, on their way from device to shared memory. From compute capability
/// 9.0 on the copy engine brings them (one bulk copy a row, a barrier a stage); older cards load them when they are waited
/// for.
template <class S, int N, int Rows, int Stages>
class RowRing {
 public:
  static constexpr int held = 32 * N;
  static constexpr int alignment = 16 / int(sizeof(S));  // columns
  struct alignas(16) Memory {  // bulk copies want 16 bytes
    Pack<S, N> rows[Stages][Rows][32];
    unsigned long long full[Stages];
  };

  /// Rows first_row ... end_row - 1; of each, the columns from `first_column` on, a multiple of `alignment`.
  __device__ RowRing(const StripOperation& op, const std::byte* image, Memory& memory, int lane, int columns, int first_column,
                     int first_row, int end_row)
      : op_(op), memory_(memory), lane_(lane), next_(first_row), end_(end_row) {
    const int from = max(first_column, 0), row_end = (op.in_columns + alignment - 1) / alignment * alignment;
    const int to = min(first_column + (columns + alignment - 1) / alignment * alignment, row_end);
    skipped_ = (from - first_column) * int(sizeof(S));
    bytes_ = max(to - from, 0) * int(sizeof(S));
    source_ = image + std::size_t(from) * sizeof(S);
#if __CUDA_ARCH__ >= 900
    if (lane == 0) {
#pragma unroll
      for (int i = 0; i < Stages; ++i) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&memory.full[i])) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < Stages; ++i) request(i);
#endif
  }
  /// Waits for the oldest stage.
  __device__ void wait() {
#if __CUDA_ARCH__ >= 900
    unsigned done = 0;
    do {
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done) : "r"(address(&memory_.full[stage_])), "r"(parity_) : "memory");
    } while (done == 0);
#else
    for (int r = 0; r < Rows && next_ + r < end_; ++r) {
      const int row = source_row(next_ + r), at = lane_ * N * int(sizeof(S)) - skipped_;
      if (row < 0 || at < 0 || at >= bytes_) continue;
      const std::byte* from = source_ + std::size_t(row) * op_.in_stride + at;
      memory_.rows[stage_][r][lane_] = *reinterpret_cast<const Pack<S, N>*>(from);
    }
    __syncwarp();
#endif
  }
  /// Samples of this lane in row `r` of the stage.
  [[nodiscard]] __device__ const Pack<S, N>& samples(int r) const { return memory_.rows[stage_][r][lane_]; }
  /// Gives the stage back and asks for another in its place.
  __device__ void release() {
    __syncwarp();
#if __CUDA_ARCH__ >= 900
    request(stage_);
#else
    next_ += Rows;
#endif
    if (++stage_ == Stages) stage_ = 0, parity_ ^= 1;
  }

 private:
  static __device__ unsigned address(const void* shared) { return unsigned(__cvta_generic_to_shared(shared)); }
  [[nodiscard]] __device__ int source_row(int row) const {
    return unsigned(row) < unsigned(op_.in_rows) ? row : outside_row(row, op_.in_rows, op_.border);
  }
#if __CUDA_ARCH__ >= 900
  /// Each lane below Rows asks for one row.
  __device__ void request(int stage) {
    if (next_ >= end_) return;
    const int row = next_ + lane_;
    const int source = lane_ < Rows && row < end_ ? source_row(row) : -1;
    const unsigned some = Rows == 1 ? (source >= 0) : __popc(__ballot_sync(~0u, source >= 0));
    const unsigned barrier = address(&memory_.full[stage]);
    if (lane_ == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(some * unsigned(bytes_)) : "memory");
    if (source >= 0)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       address(&memory_.rows[stage][Rows == 1 ? 0 : lane_][0]) + unsigned(skipped_)),
                   "l"(source_ + std::size_t(source) * op_.in_stride), "r"(bytes_), "r"(barrier)
                   : "memory");
    next_ += Rows;
  }
#endif

  const StripOperation& op_;
  Memory& memory_;
  int lane_, next_, end_, stage_ = 0, skipped_, bytes_;
  unsigned parity_ = 0;
  const std::byte* source_;
};

/// A row of floats in shared memory that all lanes of a warp see, double-buffered. Lanes that bring 4 or 12 floats meet all
/// banks; those that bring 8 write two 16-byte chunks, and even and odd chunks lie apart.
template <int N>
class SharedRow {
 public:
  static constexpr int planes = N == 8 ? 2 : 1;
  static constexpr int lane_floats = N / planes;
  static constexpr int plane_floats = 32 * lane_floats + 8;
  static constexpr int floats = planes * plane_floats;
  using Memory = float[floats];

  [[nodiscard]] static __device__ int place(int i) {
    if constexpr (planes == 2) return (i / 4 & 1) * plane_floats + i / 8 * 4 + i % 4;
    return i;
  }
  static __device__ void write(Memory& memory, int lane, const float (&values)[N]) {
#pragma unroll
    for (int i = 0; i < N; i += 4)
      *reinterpret_cast<float4*>(&memory[lane_floats * lane + (planes == 2 ? i / 4 * plane_floats : i)]) =
          make_float4(values[i], values[i + 1], values[i + 2], values[i + 3]);
  }
  /// Quad `quad` counted from that of lane `lane`.
  [[nodiscard]] static __device__ float4 read(const Memory& memory, int lane, int quad) {
    return *reinterpret_cast<const float4*>(&memory[quad % planes * plane_floats + lane_floats * lane + 4 * (quad / planes)]);
  }
};

/// Fills the places of a strip's shared row that lie beyond the sides of the image from their sources within the strip.
class SideFixes {
 public:
  /// The strip holds columns [first, first + held); of them those up to `needed` matter.
  __device__ SideFixes(const StripOperation& op, int lane, int first, int held, int needed, int (*place)(int)) {
    if (op.border == Border::zero) return;
    const int pixels = op.in_columns / op.channels;
    const int left = first < 0 ? -first : 0, right_from = max(op.in_columns - first, 0), right = max(min(needed, held) - right_from, 0);
#pragma unroll
    for (int n = 0; n < slots; ++n) {
      const int k = lane + 32 * n;
      if (k >= left + right) continue;
      const int at = k < left ? k : right_from + k - left, column = first + at;
      const int channel = ((column % op.channels) + op.channels) % op.channels;
      const int source = int(source_index((column - channel) / op.channels, pixels, op.border)) * op.channels + channel - first;
      if (source < 0 || source >= held) continue;
      to_[n] = place(at);
      from_[n] = place(source);
    }
    any_ = left + right > 0;
  }
  [[nodiscard]] __device__ bool any() const { return any_; }
  template <class T>
  __device__ void apply(T* row) const {
#pragma unroll
    for (int n = 0; n < slots; ++n)
      if (to_[n] >= 0) row[to_[n]] = row[from_[n]];
    __syncwarp();
  }

 private:
  static constexpr int slots = 3;
  int to_[slots] = {-1, -1, -1}, from_[slots] = {};
  bool any_ = false;
};

/// Shared memory of a block: the rings of its warps and two rows between the axes for each.
template <class Ring, int RowFloats>
struct BlockMemory {
  alignas(16) typename Ring::Memory rings[strip_warps];
  alignas(16) float between[strip_warps][2][RowFloats];

  static __device__ BlockMemory& get() {
    extern __shared__ __align__(16) std::byte memory[];
    return *reinterpret_cast<BlockMemory*>(memory);
  }
};

__device__ inline void count_nans(const StripOperation& op, unsigned nans) {
  if (nans != 0) atomicAdd(op.nan_samples, static_cast<unsigned long long>(nans));
}

}  // namespace upfirdn::cuda
