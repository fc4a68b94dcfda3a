#pragma once
/// All numbers that depend on the card. Measured on an H200 with `upfirdn_kernel_bench`; see README.md on tuning.

namespace upfirdn::cuda {

/// Blocks of a kernel: at most `max_warps` each; registers are held to what lets `min_blocks` of them share a multiprocessor.
struct BlockTuning {
  int max_warps, min_blocks;
};

/// A whole factor and a number of taps for which kernels are compiled; `up` or `down` is 1.
struct StripRow {
  int up, down, taps;
  int stage_rows;              ///< reductions: rows between two meetings of the lanes
  BlockTuning u8, u16, f32;    ///< by bytes of a sample
  BlockTuning rgb;             ///< three channels
};

inline constexpr StripRow strip_rows[] = {
    // up, down, taps, rows  1 byte   2 bytes  4 bytes   RGB
    {1, 2, 4, 4, {16, 1}, {16, 1}, {11, 2}, {16, 1}},
    {1, 2, 8, 4, {16, 1}, {16, 1}, {11, 2}, {12, 1}},
    {1, 2, 12, 4, {16, 1}, {16, 1}, {11, 2}, {12, 1}},
    {1, 4, 16, 4, {16, 1}, {16, 1}, {11, 2}, {12, 1}},
    {1, 4, 24, 4, {16, 1}, {16, 1}, {11, 2}, {12, 1}},
    {1, 1, 4, 2, {16, 1}, {16, 1}, {11, 2}, {16, 1}},
    {1, 1, 13, 2, {12, 1}, {12, 1}, {8, 2}, {8, 1}},
    {2, 1, 4, 0, {16, 1}, {16, 1}, {11, 2}, {12, 1}},
    {2, 1, 8, 0, {16, 1}, {16, 1}, {11, 2}, {12, 1}},
    {2, 1, 12, 0, {16, 1}, {16, 1}, {11, 2}, {12, 1}},
    {4, 1, 16, 0, {16, 1}, {16, 1}, {11, 2}, {12, 1}},
    {4, 1, 24, 0, {16, 1}, {16, 1}, {11, 2}, {12, 1}},
};
inline constexpr int strip_row_count = int(sizeof(strip_rows) / sizeof(strip_rows[0]));

/// Columns that a lane of a reduction filters down.
constexpr int strip_columns(int sample_bytes, int channels) { return channels == 3 ? 12 : sample_bytes == 4 ? 4 : 8; }

/// Warps on a multiprocessor from which on more gain less than wider strips do.
constexpr int enough_warps(int sample_bytes, bool enlarges) { return sample_bytes == 4 ? 22 : enlarges ? 11 : 16; }

/// Reductions by run-time factors: outputs under way down, at most; whether phases may have more than one run of taps.
struct ReduceRatioRow {
  int outputs;
  bool long_phases;
  BlockTuning narrow, wide;    ///< samples of 1 or 2 bytes; of 4
};
inline constexpr ReduceRatioRow reduce_ratio_rows[] = {
    // outputs, long, 1 or 2 bytes, 4 bytes
    {3, false, {16, 1}, {11, 2}},
    {6, false, {16, 1}, {20, 1}},
    {8, false, {12, 1}, {12, 1}},
    {6, true, {16, 1}, {16, 1}},
};
inline constexpr int reduce_ratio_row_count = int(sizeof(reduce_ratio_rows) / sizeof(reduce_ratio_rows[0]));

/// Enlargements by run-time factors: taps across that a lane holds, outputs of a lane, rows that it holds.
struct EnlargeRatioRow {
  int taps, outputs, rows;
  BlockTuning block;
};
inline constexpr EnlargeRatioRow enlarge_ratio_rows[] = {
    // taps, outputs, rows
    {6, 6, 6, {16, 1}},
    {8, 4, 8, {16, 1}},
};
inline constexpr int enlarge_ratio_row_count = int(sizeof(enlarge_ratio_rows) / sizeof(enlarge_ratio_rows[0]));

constexpr BlockTuning tuning_of(const StripRow& row, int sample_bytes, int channels) {
  if (channels == 3) return row.rgb;
  return sample_bytes == 1 ? row.u8 : sample_bytes == 2 ? row.u16 : row.f32;
}

}  // namespace upfirdn::cuda
