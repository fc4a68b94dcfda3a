#pragma once
/// All numbers that depend on the card: for each kernel and sample size, how many stages of rows a warp has in flight and how
/// many blocks a multiprocessor shall hold. Measured on an H200 with `upfirdn_kernel_bench`; see README.md on tuning.

namespace upfirdn::cuda {

struct StripTuning {
  int stages, min_blocks;
};

/// A whole factor and a number of taps for which kernels are compiled; `up` or `down` is 1.
struct StripRow {
  int up, down, taps;
  StripTuning u8, u16, f32;  ///< by bytes of a sample
};

inline constexpr StripRow strip_rows[] = {
    // up, down, taps   1 byte    2 bytes   4 bytes
    {1, 2, 4, {3, 6}, {3, 6}, {3, 7}},
    {1, 2, 8, {3, 5}, {3, 5}, {3, 6}},
    {1, 2, 12, {3, 4}, {3, 4}, {3, 5}},
    {1, 4, 16, {3, 4}, {3, 4}, {3, 5}},
    {1, 4, 24, {3, 4}, {3, 4}, {3, 5}},
    {1, 1, 4, {3, 5}, {3, 5}, {3, 7}},
    {1, 1, 13, {3, 3}, {3, 3}, {3, 4}},
    {2, 1, 4, {6, 6}, {6, 6}, {6, 7}},
    {2, 1, 8, {6, 4}, {6, 4}, {6, 6}},
    {2, 1, 12, {6, 3}, {6, 3}, {6, 4}},
    {4, 1, 16, {6, 4}, {6, 4}, {6, 5}},
    {4, 1, 24, {6, 4}, {6, 4}, {6, 4}},
};
inline constexpr int strip_row_count = int(sizeof(strip_rows) / sizeof(strip_rows[0]));

/// Run-time factors: taps across that a lane holds, outputs of a lane, and for a reduction outputs under way down (`slots`),
/// for an enlargement rows that it holds.
struct RatioRow {
  bool reduces;
  int taps, outputs, slots;
  StripTuning u8, u16, f32;
};
inline constexpr RatioRow ratio_rows[] = {
    // reduces, taps, outputs, slots   1 byte    2 bytes   4 bytes
    {true, 8, 6, 6, {3, 3}, {3, 3}, {2, 3}},
    {true, 14, 4, 6, {3, 3}, {3, 3}, {2, 3}},
    {true, 18, 3, 6, {3, 3}, {3, 3}, {2, 3}},
    {true, 24, 2, 6, {3, 3}, {3, 3}, {2, 3}},
    {false, 6, 6, 6, {2, 3}, {2, 3}, {2, 3}},
    {false, 8, 4, 8, {2, 3}, {2, 3}, {2, 3}},
};
inline constexpr int ratio_row_count = int(sizeof(ratio_rows) / sizeof(ratio_rows[0]));

template <class S>
constexpr StripTuning tuning_of(const RatioRow& row) {
  return sizeof(S) == 1 ? row.u8 : sizeof(S) == 2 ? row.u16 : row.f32;
}

/// Three channels need half as many registers again.
template <class S>
constexpr StripTuning tuning_of(int row, int channels) {
  const StripTuning one = sizeof(S) == 1 ? strip_rows[row].u8 : sizeof(S) == 2 ? strip_rows[row].u16 : strip_rows[row].f32;
  return channels == 1 ? one : StripTuning{one.stages, one.min_blocks * 2 / 3};
}

}  // namespace upfirdn::cuda
