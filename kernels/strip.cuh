#pragma once
/// What the strip kernels share. A block makes a strip of an image: as wide as its lanes, walked down row by row. Each lane
/// loads the same few samples of every row, some rows ahead of their use, straight into registers, where they are filtered
/// along one axis; lanes that need each other's results meet in shared memory.
///
/// Both axes hold at most 64 taps a phase, so each sum is one run of the summation rule.
///
/// What lies beyond the image. Rows outside are loaded from where the border says. Of a zero border nothing is added by the
/// definition, but zeros are here: that changes a sum only where it is -0 (by underflow) when zeros follow, so zeros may
/// always come first, and always with integers; where they come last, kernels on floats check.

#include "core/sample_math.hpp"
#include "kernels/strip_operation.hpp"

namespace upfirdn::cuda {

/// Where a block works.
struct StripPlace {
  int strip, segment;
  const std::byte* input;
  std::byte* output;
};

__device__ inline StripPlace strip_place(const StripOperation& op) {
  const unsigned strips = unsigned(op.strips), segments = unsigned(op.segments);
  const unsigned strip = blockIdx.x % strips, rest = blockIdx.x / strips, image = rest / segments;
  return {int(strip), int(rest % segments), op.input + std::size_t(image) * op.in_image_stride,
          op.output + std::size_t(image) * op.out_image_stride};
}

template <class S>
inline constexpr bool is_integer_sample = std::is_same_v<S, std::uint8_t> || std::is_same_v<S, std::uint16_t> || std::is_same_v<S, std::int16_t>;

constexpr __host__ __device__ int floor_div(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

/// Largest power of two that divides `n`, at most 16.
constexpr __host__ __device__ int power_in(int n) { return (n & -n) < 16 ? (n & -n) : 16; }

/// `N` samples side by side, aligned for the widest accesses that their size allows.
template <class S, int N>
struct alignas(power_in(N * int(sizeof(S)))) Pack {
  S s[N];
};

/// `N` samples as they come from memory, in accesses of `Piece` samples.
template <class S, int N, int Piece>
struct Words {
  using Word = std::conditional_t<Piece * sizeof(S) == 16, uint4, std::conditional_t<Piece * sizeof(S) == 8, uint2,
               std::conditional_t<Piece * sizeof(S) == 4, unsigned, std::conditional_t<Piece * sizeof(S) == 2, unsigned short, unsigned char>>>>;
  Word words[N / Piece];

  /// The 4 bytes, or fewer if accesses are, that hold sample `i`.
  [[nodiscard]] __device__ unsigned word_of(int sample) const {
    const Word& w = words[sample / Piece];
    const int i = sample * int(sizeof(S)) / 4;
    if constexpr (sizeof(Word) == 16) return i % 4 == 0 ? w.x : i % 4 == 1 ? w.y : i % 4 == 2 ? w.z : w.w;
    else if constexpr (sizeof(Word) == 8) return i % 2 == 0 ? w.x : w.y;
    else return w;
  }
};

/// Samples as floats, exactly. Integers of up to 16 bits are put under the exponent of 2^23 and 2^23 taken away: two
/// instructions at full rate instead of a conversion at an eighth of it. `minus_zero` is -0, unknown to the compiler: adding it
/// changes no float, but frees the registers that hold the samples. Without it loads get others, and copies of what they bring
/// wait for it.
template <class S, int N, int Piece>
__device__ inline void to_floats(const Words<S, N, Piece>& samples, float minus_zero, float (&values)[N]) {
  constexpr int per_word = sizeof(S) * Piece >= 4 ? 4 / int(sizeof(S)) : Piece;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const unsigned word = samples.word_of(i);
    const int at = i % per_word;
    if constexpr (std::is_same_v<S, float>) {
      values[i] = __fadd_rn(__uint_as_float(word), minus_zero);
    } else if constexpr (std::is_same_v<S, Half>) {
      const __half2 pair = reinterpret_cast<const __half2&>(word);
      values[i] = at == 0 ? __low2float(pair) : __high2float(pair);
    } else if constexpr (sizeof(S) == 1) {
      values[i] = __fadd_rn(__uint_as_float(__byte_perm(word, 0x4b000000u, 0x7650 + at)), -8388608.0f);
    } else {
      constexpr bool is_signed = std::is_same_v<S, std::int16_t>;
      const unsigned biased = is_signed ? word ^ 0x80008000u : word;
      values[i] = __fadd_rn(__uint_as_float(__byte_perm(biased, 0x4b000000u, at == 0 ? 0x7610 : 0x7632)), is_signed ? -8421376.0f : -8388608.0f);
    }
  }
}

template <class S, int N>
__device__ inline void store_pack(std::byte* to, const Pack<S, N>& pack) {
  S* at = reinterpret_cast<S*>(to);
  constexpr int piece = power_in(N * int(sizeof(S))) / int(sizeof(S));
#pragma unroll
  for (int i = 0; i < N; i += piece) *reinterpret_cast<Pack<S, piece>*>(at + i) = reinterpret_cast<const Pack<S, piece>&>(pack.s[i]);
}
/// Only the first `count`.
template <class S, int N>
__device__ inline void store_some(std::byte* to, int count, const Pack<S, N>& pack) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (i < count) reinterpret_cast<S*>(to)[i] = pack.s[i];
}

/// One value, rounded into the range of an integer sample type; NaN becomes 0.
template <class S>
__device__ inline S saturated(float value) {
  if constexpr (std::is_same_v<S, std::uint8_t>) {
    unsigned result;
    asm("cvt.rni.sat.u8.f32 %0, %1;" : "=r"(result) : "f"(value));
    return S(result);
  } else if constexpr (std::is_same_v<S, std::uint16_t>) {
    unsigned short result;
    asm("cvt.rni.sat.u16.f32 %0, %1;" : "=h"(result) : "f"(value));
    return result;
  } else if constexpr (std::is_same_v<S, std::int16_t>) {
    short result;
    asm("cvt.rni.sat.s16.f32 %0, %1;" : "=h"(result) : "f"(value));
    return result;
  } else {
    return S{};
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

/// Filtered values of `Channels` interleaved channels, from channel 0 on, as samples, after what follows the filter.
template <bool Careful, class S, int Channels, int N>
__device__ inline Pack<S, N> to_samples(const StripOperation& op, float (&values)[N], unsigned& nans) {
  Pack<S, N> pack;
  if (!Careful || op.fast) {
    if (op.after.any) {
#pragma unroll
      for (int i = 0; i < N; ++i) values[i] = op.after.simple(values[i], i % Channels);
    }
    if constexpr (std::is_same_v<S, Half> && N % 2 == 0) {
      bool nan = false;
#pragma unroll
      for (int i = 0; i < N; i += 2) {
        nan = nan || values[i] != values[i] || values[i + 1] != values[i + 1];
        const __half2 pair = __floats2half2_rn(values[i], values[i + 1]);
        reinterpret_cast<__half2&>(pack.s[i]) = pair;
      }
      if (!nan) return pack;
    }
#pragma unroll
    for (int i = 0; i < N; ++i) pack.s[i] = is_integer_sample<S> ? saturated<S>(values[i]) : to_sample<S>(op, values[i], nans);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) pack.s[i] = to_sample<S>(op, op.after(values[i], i % Channels), nans);
  }
  return pack;
}

/// source_index() for positions at most n - 1 beyond an end, as the launch has made sure of.
__device__ inline int near_source(int i, int n, Border border) {
  if (unsigned(i) < unsigned(n)) return i;
  if (border == Border::zero) return -1;
  if (border == Border::edge) return i < 0 ? 0 : n - 1;
  const int twice = border == Border::mirror ? 1 : 0;  // the end itself does not stand beyond it
  return i < 0 ? twice - 1 - i : 2 * n - 1 - twice - i;
}

/// First column of the `n` that a lane loads, moved into the row where it would begin or end beyond it. Rows hold `n` columns at
/// least, their padding included.
template <class S, int Piece>
__device__ inline int within_row(const StripOperation& op, int column, int n) {
  const int end = (op.in_columns + Piece - 1) / Piece * Piece;
  return max(min(column, end - n), 0);
}

/// The samples that a lane loads of each row, `N` from column `first_column` on in accesses of `Piece`, and their way from
/// device memory to registers, `Slots` rows ahead.
///
/// Kernels have two versions of their loop: a careful one, and one for where nothing lies beyond the image.
template <class S, int N, int Piece, int Slots>
class RowLoads {
 public:
  /// Rows from `first_row` to before `end_row`.
  __device__ RowLoads(const StripOperation& op, const std::byte* image, int first_column, int first_row, int end_row)
      : op_(op), column_(image + std::size_t(first_column) * sizeof(S)), at_(column_ + std::ptrdiff_t(first_row) * std::ptrdiff_t(op.in_stride)),
        next_(first_row), end_(end_row), whole_end_(max(min(end_row, op.in_rows), 0)) {
#pragma unroll
    for (int slot = 0; slot < Slots; ++slot) request<true>(slot);
  }
  /// What slot `slot` holds; the next row is asked for in its place. Slots are taken in turn.
  template <bool Careful>
  __device__ void take(int slot, float (&values)[N]) {
    to_floats(slots_[slot], op_.minus_zero, values);
    request<Careful>(slot);
  }

 private:
  using Samples = Words<S, N, Piece>;
  template <bool Careful>
  __device__ void request(int slot) {
    if constexpr (Careful) {
      if (unsigned(next_) < unsigned(whole_end_)) {
        load(slots_[slot], at_);
      } else if (next_ < end_) {
        const int source = near_source(next_, op_.in_rows, op_.border);
        slots_[slot] = Samples{};
        if (source >= 0) load(slots_[slot], column_ + std::size_t(source) * op_.in_stride);
      }
    } else {
      load(slots_[slot], at_);
    }
    ++next_, at_ += op_.in_stride;
  }
  static __device__ void load(Samples& samples, const std::byte* from) {
#pragma unroll
    for (int i = 0; i < N / Piece; ++i) {
      const auto* at = reinterpret_cast<const typename Samples::Word*>(from) + i;
      // What is read once passes the first-level cache; pieces that lanes read between each other's meet there.
      samples.words[i] = N == Piece ? __ldcg(at) : __ldg(at);
    }
  }

  const StripOperation& op_;
  const std::byte *column_, *at_;
  int next_, end_, whole_end_;  // rows 0 to before whole_end_ are those of the image that are wanted
  Samples slots_[Slots] = {};
};

/// Steps of a loop for which the careful version is not needed: first to before `end`.
struct FastSteps {
  int first, end;
  [[nodiscard]] __device__ bool holds(int step) const { return step >= first && step < end; }
};

/// Rows of floats that all lanes of a block see, `Rows` a stage. Each lane writes `N` columns of a row, and what stands beyond
/// the sides of the image is there as well: zeros, or copies that the warp makes that writes the original. Warps write a stage
/// and then read the one before it, so that none waits for the slowest: four stages are kept.
///
/// `Pad` columns on either side of those of the lanes have a place. With two planes even and odd quads lie apart, so that lanes
/// that write two of them meet all banks. Lanes keep in mind what they copy of at most `most_side_columns` columns; with
/// `WideSides` there may be more, and lanes find them again for each row.
template <int N, int Rows, int Pad, int Planes, bool WideSides = false>
class SharedRows {
 public:
  static constexpr bool wide_sides = WideSides;
  static constexpr int stages = 4;
  static constexpr int chunk = N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1;  // floats of an access
  struct Barriers {
    unsigned long long written[2];  // even and odd stages
  };
  [[nodiscard]] static constexpr __host__ __device__ int plane_floats(int lanes) {
    return (lanes * N + 2 * Pad) / Planes + (Planes == 2 ? 8 : 0) + (4 - lanes * N % 4) % 4;
  }
  [[nodiscard]] static constexpr __host__ __device__ std::size_t bytes(int lanes) { return std::size_t(stages * Rows * Planes) * std::size_t(plane_floats(lanes)) * sizeof(float); }
  static_assert(Pad % (4 * Planes) == 0 && (Planes == 1 || N == 8));

  /// All lanes of a block call it. Columns from `loaded` on are this lane's; those of lane 0 would begin at `first_column`. A
  /// lane that had to load other columns than its own leaves them to the lane whose own they are.
  /// `left` and `right_end` are the first and the end of the columns that windows reach.
  __device__ SharedRows(const StripOperation& op, float* memory, Barriers& barriers, int first_column, int loaded, int left, int right_end)
      : op_(op), memory_(memory), barriers_(barriers), plane_floats_(plane_floats(int(blockDim.x))), first_column_(first_column) {
    for (int i = int(threadIdx.x); i < stages * Rows * Planes * plane_floats_; i += int(blockDim.x)) memory[i] = 0.0f;
#if __CUDA_ARCH__ >= 800
    if (threadIdx.x < 2)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(&barriers.written[threadIdx.x])), "r"(blockDim.x / arrival_lanes) : "memory");
#endif
    write_place_ = place(loaded);
    const int moved = loaded - first_column - N * int(threadIdx.x);
    valid_ = moved > -N && moved < N ? op.in_columns - loaded : 0;
    if (op.border != Border::zero) lefts_ = max(-left, 0), sides_ = lefts_ + max(right_end - op.in_columns, 0);
    bool copies = false;
    const auto find = [&](int k) {
      const Copy copy = k < sides_ ? copy_of(k) : Copy{};
      copies |= copy.to >= 0;
      return copy;
    };
    if constexpr (WideSides) {
      for (int k = int(threadIdx.x) % 32; k < sides_; k += 32) (void)find(k);
    } else {
#pragma unroll
      for (int n = 0; n < slots; ++n) copies_[n] = find(int(threadIdx.x) % 32 + 32 * n);
    }
    at_side_ = __any_sync(~0u, valid_ < N || copies) != 0;
    __syncthreads();
  }
  /// Place of a column of the image, or of one beyond it, in a row.
  [[nodiscard]] __device__ int place(int column) const {
    const int i = column - first_column_ + Pad;
    return Planes == 1 ? i : (i / 4 & 1) * plane_floats_ + i / 8 * 4 + i % 4;
  }
  [[nodiscard]] __device__ float* row(int stage, int r) const { return memory_ + ((stage & (stages - 1)) * Rows + r) * Planes * plane_floats_; }
  __device__ void write(int stage, int r, const float (&values)[N]) const {
    float* const to = row(stage, r);
    if (!at_side_) return write_all(to + write_place_, values);
    if (valid_ >= N) write_all(to + write_place_, values);
    else
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (i < valid_) to[write_place_ + (Planes == 2 ? i / 4 * plane_floats_ + i % 4 : i)] = values[i];
    __syncwarp();
    const auto make = [&](const Copy& copy) {
      if (copy.to >= 0) to[copy.to] = to[copy.from];
    };
    if constexpr (WideSides) {
      for (int k = int(threadIdx.x) % 32; k < sides_; k += 32) make(copy_of(k));
    } else {
#pragma unroll
      for (int n = 0; n < slots; ++n) make(copies_[n]);
    }
  }
  /// Chunk of a row, counted from that in which this lane's columns would begin; may be negative.
  [[nodiscard]] __device__ Pack<float, chunk> read(const float* row, int n) const {
    const float* lane = row + (Planes == 2 ? Pad / 2 : Pad) + N / Planes * int(threadIdx.x);
    return *reinterpret_cast<const Pack<float, chunk>*>(lane + (Planes == 2 ? (n & 1) * plane_floats_ + (n - (n & 1)) * 2 : chunk * n));
  }
  /// This warp has written its part of a stage.
  __device__ void publish(int stage) const {
#if __CUDA_ARCH__ >= 800
    __syncwarp();
    if (int(threadIdx.x) % arrival_lanes == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&barriers_.written[stage & 1])) : "memory");
#else
    (void)stage;
    __syncthreads();
#endif
  }
  /// Waits until all warps have written theirs. Stages are waited for in turn.
  __device__ void wait(int stage) const {
#if __CUDA_ARCH__ >= 800
    unsigned done = 0;
    do {
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done) : "r"(address(&barriers_.written[stage & 1])), "r"(unsigned(stage) >> 1 & 1) : "memory");
    } while (done == 0);
#else
    (void)stage;
#endif
  }

 private:
  // One lane speaks for its warp. compute-sanitizer's racecheck does not follow __syncwarp into a barrier: let each speak there.
#ifdef UPFIRDN_EVERY_LANE_ARRIVES
  static constexpr int arrival_lanes = 1;
#else
  static constexpr int arrival_lanes = 32;
#endif
  static constexpr int slots = most_side_columns / 32;
  static_assert(slots == 3);
  static __device__ unsigned address(const void* shared) { return unsigned(__cvta_generic_to_shared(shared)); }
  __device__ void write_all(float* to, const float (&values)[N]) const {
#pragma unroll
    for (int i = 0; i < N; i += chunk) {
      Pack<float, chunk> pack;
#pragma unroll
      for (int j = 0; j < chunk; ++j) pack.s[j] = values[i + j];
      *reinterpret_cast<Pack<float, chunk>*>(to + (Planes == 2 ? i / 4 * plane_floats_ : i)) = pack;
    }
  }
  /// Places in a row; `to` is negative where the original is written by another warp.
  struct Copy {
    int to = -1, from = 0;
  };
  /// Of column `k` of those beyond the sides.
  __device__ Copy copy_of(int k) const {
    const int column = k < lefts_ ? -1 - k : op_.in_columns + k - lefts_, pixel = floor_div(column, op_.channels);
    const int source = near_source(pixel, op_.in_columns / op_.channels, op_.border) * op_.channels + column - pixel * op_.channels;
    if (unsigned(source) >= unsigned(op_.in_columns)) return {};  // so far beyond are places of unused taps only
    if ((source - first_column_) / N / 32 != int(threadIdx.x) / 32) return {};
    return {place(column), place(source)};
  }

  const StripOperation& op_;
  float* memory_;
  Barriers& barriers_;
  int plane_floats_, first_column_, write_place_, valid_;
  int lefts_ = 0, sides_ = 0;  // columns beyond the left side, beyond both
  Copy copies_[WideSides ? 1 : slots];
  bool at_side_;
};

__device__ inline float* dynamic_shared() {
  extern __shared__ __align__(16) std::byte strip_memory[];
  return reinterpret_cast<float*>(strip_memory);
}

__device__ inline void count_nans(const StripOperation& op, unsigned nans) {
  if (nans != 0) atomicAdd(op.nan_samples, static_cast<unsigned long long>(nans));
}

}  // namespace upfirdn::cuda
