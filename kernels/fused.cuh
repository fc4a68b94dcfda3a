#pragma once
/// The generic fused kernel: both axes in one launch, for any factors, taps, border, channels and sample types.
///
/// A block makes a tile of outputs. It walks along the second axis in chunks of positions: for each position in the chunk
/// it filters the first axis into shared memory (each sample once a tile), then every thread adds those positions to the
/// sums of its own pixel, taps in order. Shared memory bounds the chunk, never the taps.

#include "kernels/samples.cuh"
#include "kernels/tap_sum.cuh"

namespace upfirdn::cuda {

inline constexpr int fused_threads = 256;       // a block; one output pixel each
inline constexpr int fused_chunk_bytes = 38912;  // of shared memory
inline constexpr int fused_group = 4;           // channels that a thread takes together

/// Shape of the tiles and the groups of channels.
struct FusedTiles {
  int width, height;  ///< pixels; width * height = fused_threads
  std::int64_t across, down;
  int groups;
};

/// First axis at one position of the second: output `a` (its run given), plane `plane`.
template <bool VerticalFirst, bool Long, class Real>
__device__ Real first_axis_sum(const KernelOperation<Real>& op, const BasicTapRun<Real>& run, std::int64_t across, int plane) {
  const BasicAxisView<Real>& axis = VerticalFirst ? op.y : op.x;
  const auto value = [&](std::int64_t along) {
    if (along < 0 || across < 0) return op.outside[plane];
    return VerticalFirst ? load_plane(op, across, along, plane) : load_plane(op, along, across, plane);
  };
  if (axis.mode == AxisMode::gather) {
    const std::int64_t source = source_index(run.first, axis.in, op.border);
    return source < 0 && op.border == Border::zero ? Real(0) : value(source);
  }
  TapSum<Long, Real> sum;
  for (std::int64_t k = 0; k < run.count; ++k) {
    const std::int64_t source = source_index(run.first + k, axis.in, op.border);
    if (source >= 0 || op.border != Border::zero) sum.add(run.taps[k], value(source));
    sum.passed(k);
  }
  return sum.total(run.count);
}

template <bool VerticalFirst, int MaxPlanes, bool Long, class Real>
__global__ void __launch_bounds__(fused_threads) fused_kernel(const KernelOperation<Real> op, const FusedTiles tiles) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Real* const between = reinterpret_cast<Real*>(shared_bytes);  // [position][output of the first axis] or the other way round, planes innermost
  __shared__ BasicTapRun<Real> runs[fused_threads + 1];  // of the tile's outputs along both axes: a + b <= a * b + 1
  const BasicAxisView<Real>& first_axis = VerticalFirst ? op.y : op.x;
  const BasicAxisView<Real>& second_axis = VerticalFirst ? op.x : op.y;
  const int first_size = VerticalFirst ? tiles.height : tiles.width, second_size = VerticalFirst ? tiles.width : tiles.height;
  BasicTapRun<Real>* const first_runs = runs;
  BasicTapRun<Real>* const second_runs = runs + first_size;
  const int tile_x = int(threadIdx.x) % tiles.width, tile_y = int(threadIdx.x) / tiles.width;
  const int in_first = VerticalFirst ? tile_y : tile_x, in_second = VerticalFirst ? tile_x : tile_y;
  const std::int64_t all_tiles = tiles.across * tiles.down * tiles.groups;

  for (std::int64_t tile = blockIdx.x; tile < all_tiles; tile += gridDim.x) {
    const std::int64_t x0 = tile % tiles.across * tiles.width, y0 = tile / tiles.across % tiles.down * tiles.height;
    PlaneGroup group{int(tile / (tiles.across * tiles.down)) * fused_group, 0, 0};
    group.channels = min(op.samples.channels - group.first_channel, fused_group);
    group.planes = op.samples.premultiply ? group.channels + 1
                   : op.samples.planes > op.samples.channels ? 2 * group.channels : group.channels;
    __syncthreads();
    const std::int64_t first0 = VerticalFirst ? y0 : x0, second0 = VerticalFirst ? x0 : y0;
    const int firsts = int(min(std::int64_t(first_size), first_axis.out - first0));
    const int seconds = int(min(std::int64_t(second_size), second_axis.out - second0));
    if (int(threadIdx.x) < firsts) first_runs[threadIdx.x] = first_axis.locate(first0 + threadIdx.x);
    if (int(threadIdx.x) < seconds) second_runs[threadIdx.x] = second_axis.locate(second0 + threadIdx.x);
    __syncthreads();
    std::int64_t begin = second_runs[0].first, end = begin;
    for (int i = 0; i < seconds; ++i) {
      begin = min(begin, second_runs[i].first);
      end = max(end, second_runs[i].first + second_runs[i].count);
    }
    if (op.border == Border::zero) begin = max(begin, std::int64_t(0)), end = min(end, second_axis.in);

    const bool mine = in_first < firsts && in_second < seconds;
    const BasicTapRun<Real> run = mine ? second_runs[in_second] : BasicTapRun<Real>{0, 0, nullptr, 0};
    TapSum<Long, Real> sums[MaxPlanes];
    Real gathered[MaxPlanes] = {};
    std::int64_t next = 0;  // tap that comes next
    const int chunk = int(fused_chunk_bytes / sizeof(Real)) / (first_size * group.planes);
    for (std::int64_t from = begin; from < end; from += chunk) {
      const int positions = int(min(std::int64_t(chunk), end - from));
      const int row = (VerticalFirst ? positions : firsts) * group.planes;
      const int elements = positions * firsts * group.planes;
      for (int e = int(threadIdx.x); e < elements; e += fused_threads) {
        const int down = e / row, across = e % row / group.planes, plane = e % group.planes;
        const int position = VerticalFirst ? across : down, a = VerticalFirst ? down : across;
        const std::int64_t source = source_index(from + position, second_axis.in, op.border);
        between[e] = first_axis_sum<VerticalFirst, Long>(op, first_runs[a], source, group.plane(op.samples, plane));
      }
      __syncthreads();
      if (mine && second_axis.mode == AxisMode::gather) {
        const std::int64_t position = run.first - from;
        if (position >= 0 && position < positions)
          for (int p = 0; p < MaxPlanes; ++p)
            if (p < group.planes)
              gathered[p] = between[(VerticalFirst ? in_first * row + int(position) * group.planes
                                                   : int(position) * row + in_first * group.planes) + p];
      } else if (mine) {
        for (; next < run.count && run.first + next < from + positions; ++next) {
          const std::int64_t position = run.first + next - from;  // negative: before the image, under a zero border
          const Real tap = run.taps[next];
          const int at = VerticalFirst ? in_first * row + int(position) * group.planes : int(position) * row + in_first * group.planes;
#pragma unroll
          for (int p = 0; p < MaxPlanes; ++p) {
            if (position >= 0 && p < group.planes) sums[p].add(tap, between[at + p]);
            sums[p].passed(next);
          }
        }
      }
      __syncthreads();
    }
    if (!mine) continue;
    Real values[MaxPlanes];
#pragma unroll
    for (int p = 0; p < MaxPlanes; ++p) {
      for (std::int64_t k = next; k < run.count; ++k) sums[p].passed(k);  // beyond the image, under a zero border
      values[p] = second_axis.mode == AxisMode::gather ? gathered[p] : sums[p].total(run.count);
    }
#pragma unroll
    for (int i = 0; i < MaxPlanes; ++i) {
      if (i >= group.channels) continue;
      Real companion = 0;
#pragma unroll
      for (int p = 0; p < MaxPlanes; ++p)
        if (p == group.companion(op.samples, i)) companion = values[p];
      store_sample(op, x0 + tile_x, y0 + tile_y, group.first_channel + i, values[i], companion);
    }
  }
}

}  // namespace upfirdn::cuda
