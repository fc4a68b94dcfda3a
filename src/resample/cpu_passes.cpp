#include "resample/cpu_passes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>


/// Loops over slots and vectors, which have to become registers.
#define UPFIRDN_UNROLL HWY_UNROLL(16)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "resample/cpu_passes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "resample/cpu_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace upfirdn::HWY_NAMESPACE {

/// Vectors side by side, so that the accumulators of all slots stay in registers.
constexpr int vectors_rolling(int slots) { return many_registers ? (slots <= 6 ? 4 : 2) : slots <= 2 ? 4 : slots <= 6 ? 2 : 1; }
constexpr int vectors_of_group(int slots) { return many_registers ? (slots <= 4 ? 4 : 2) : slots <= 1 ? 4 : slots <= 4 ? 2 : 1; }

/// `Count` vectors from `samples` on, of which `valid` samples may be read if that is not all.
template <class T, int Count, bool Whole>
HWY_INLINE void load_line(Floats d, const std::byte* line, std::int64_t column, std::int64_t valid, Vector (&values)[Count]) {
  const T* samples = reinterpret_cast<const T*>(line) + column;
  if constexpr (Whole) {
    UPFIRDN_UNROLL
    for (int c = 0; c < Count; ++c) values[c] = load_floats(d, samples + std::size_t(c) * hn::Lanes(d));
  } else {
    if (valid == std::int64_t(hn::Lanes(d))) return void(values[0] = load_floats(d, samples));
    T copy[16] = {};
    std::memcpy(copy, samples, std::size_t(valid) * sizeof(T));
    values[0] = load_floats(d, copy);
  }
}

/// A run of taps has ended: its sum goes to the first level, and as many levels carry on as `code` says beside 1.
HWY_NOINLINE void end_run(float* HWY_RESTRICT sum, std::size_t n, float* HWY_RESTRICT levels, int code) {
  for (std::size_t i = 0; i < n; ++i) {
    float carry = sum[i];
    for (int level = 0; level < code; ++level) {
      float& at = levels[std::size_t(level) * n + i];
      carry = at + carry;
      at = level + 1 < code ? 0.0f : carry;
    }
  }
}

/// Takes the total of a phase of several runs from its levels.
HWY_NOINLINE void take_total(float* HWY_RESTRICT levels, std::size_t n, int level_count, float* HWY_RESTRICT total) {
  for (std::size_t i = 0; i < n; ++i) {
    float sum = levels[i];
    for (int level = 1; level < level_count; ++level) sum = levels[std::size_t(level) * n + i] + sum;
    total[i] = sum;
  }
  std::fill_n(levels, std::size_t(level_count) * n, 0.0f);
}

/// Ends the runs of taps that end with a line, and begins the next ones. Apart from the loop over lines, whose sums must not
/// have an address.
template <int Slots, int Count>
HWY_INLINE void end_runs(Floats d, std::uint64_t run_ends, Vector (&sums)[Slots][Count], float* levels, std::size_t level_floats) {
  alignas(64) float run[Count * 16];
  UPFIRDN_UNROLL
  for (int s = 0; s < Slots; ++s) {
    const int code = int(run_ends >> (4 * s) & 15);
    if (code == 0) continue;
    UPFIRDN_UNROLL
    for (int c = 0; c < Count; ++c) {
      hn::StoreU(sums[s][c], d, run + std::size_t(c) * hn::Lanes(d));
      sums[s][c] = hn::Zero(d);
    }
    end_run(run, Count * hn::Lanes(d), levels + std::size_t(s) * level_floats, code);
  }
}

template <class T, int Slots, int Count, bool Exact, bool Whole>
HWY_NOINLINE void roll_tile(const ProgramSlice& slice, std::int64_t column, std::int64_t valid, float* state) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d), slot_floats = Count * lanes;
  float* const levels = state + Slots * slot_floats;
  const std::size_t level_floats = std::size_t(slice.levels) * slot_floats;
  Vector sums[Slots][Count];
  UPFIRDN_UNROLL
  for (int s = 0; s < Slots; ++s)
    UPFIRDN_UNROLL
    for (int c = 0; c < Count; ++c) sums[s][c] = hn::LoadU(d, state + s * slot_floats + c * lanes);
  float* const* output = slice.outputs;
  const float* HWY_RESTRICT taps = slice.taps;
  for (std::int64_t i = 0; i < slice.count; ++i, taps += Slots) {
    const ProgramLine& line = slice.lines[i];
    Vector values[Count];
    load_line<T, Count, Whole>(d, slice.sources[i], column, valid, values);
    const int some = Exact ? line.end_slot : Slots;
    UPFIRDN_UNROLL
    for (int s = 0; s < Slots; ++s) {
      if (Exact && s >= some) break;
      const Vector tap = hn::Set(d, taps[s]);
      UPFIRDN_UNROLL
      for (int c = 0; c < Count; ++c) sums[s][c] = fused_multiply_add(tap, values[c], sums[s][c]);
    }
    if (HWY_UNLIKELY(line.run_ends != 0)) end_runs(d, line.run_ends, sums, levels, level_floats);
    if (!line.completes) continue;
    float* const to = *output++ + column;
    UPFIRDN_UNROLL
    for (int c = 0; c < Count; ++c) hn::StoreU(sums[0][c], d, to + std::size_t(c) * lanes);
    if (HWY_UNLIKELY(slice.levels > 0)) {
      if ((line.run_ends & 15) != 0) take_total(levels, slot_floats, slice.levels, to);
      std::memmove(levels, levels + level_floats, (Slots - 1) * level_floats * sizeof(float));
      std::fill_n(levels + (Slots - 1) * level_floats, level_floats, 0.0f);
    }
    UPFIRDN_UNROLL
    for (int s = 0; s + 1 < Slots; ++s)
      UPFIRDN_UNROLL
      for (int c = 0; c < Count; ++c) sums[s][c] = sums[s + 1][c];
    UPFIRDN_UNROLL
    for (int c = 0; c < Count; ++c) sums[Slots - 1][c] = hn::Zero(d);
  }
  UPFIRDN_UNROLL
  for (int s = 0; s < Slots; ++s)
    UPFIRDN_UNROLL
    for (int c = 0; c < Count; ++c) hn::StoreU(sums[s][c], d, state + s * slot_floats + c * lanes);
}

template <class T, int Slots, int Count, bool Whole>
HWY_NOINLINE void group_tile(const ProgramSlice& slice, std::int64_t column, std::int64_t valid, float* levels) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d), level_floats = std::size_t(slice.levels) * Count * lanes;
  if (slice.levels > 0) std::fill_n(levels, Slots * level_floats, 0.0f);
  Vector sums[Slots][Count];
  UPFIRDN_UNROLL
  for (int s = 0; s < Slots; ++s)
    UPFIRDN_UNROLL
    for (int c = 0; c < Count; ++c) sums[s][c] = hn::Zero(d);
  std::uint64_t several = 0;
  const float* HWY_RESTRICT taps = slice.taps;
  for (std::int64_t i = 0; i < slice.count; ++i, taps += Slots) {
    const ProgramLine& line = slice.lines[i];
    Vector values[Count];
    load_line<T, Count, Whole>(d, slice.sources[i], column, valid, values);
    const int first = line.first_slot, end = line.end_slot;
    UPFIRDN_UNROLL
    for (int s = 0; s < Slots; ++s) {
      if (s < first || s >= end) continue;
      const Vector tap = hn::Set(d, taps[s]);
      UPFIRDN_UNROLL
      for (int c = 0; c < Count; ++c) sums[s][c] = fused_multiply_add(tap, values[c], sums[s][c]);
    }
    if (HWY_LIKELY(line.run_ends == 0)) continue;
    several |= line.run_ends;
    end_runs(d, line.run_ends, sums, levels, level_floats);
  }
  UPFIRDN_UNROLL
  for (int s = 0; s < Slots; ++s) {
    if (s >= slice.output_count) break;
    float* const to = slice.outputs[s] + column;
    UPFIRDN_UNROLL
    for (int c = 0; c < Count; ++c) hn::StoreU(sums[s][c], d, to + std::size_t(c) * lanes);
    if (HWY_UNLIKELY((several >> (4 * s) & 15) != 0)) take_total(levels + std::size_t(s) * level_floats, Count * lanes, slice.levels, to);
  }
}

/// Covers columns with tiles of `Count` vectors, then of two and of one: tile(count, whole, column, valid).
template <int Count, class Tile>
HWY_INLINE void cover(std::int64_t end, const Tile& tile) {
  const std::int64_t lanes = std::int64_t(hn::Lanes(Floats()));
  std::int64_t column = 0;
  for (; column + Count * lanes <= end; column += Count * lanes) tile(std::integral_constant<int, Count>(), std::true_type(), column, 0);
  if constexpr (Count > 2)
    for (; column + 2 * lanes <= end; column += 2 * lanes) tile(std::integral_constant<int, 2>(), std::true_type(), column, 0);
  for (; column < end; column += lanes) tile(std::integral_constant<int, 1>(), std::false_type(), column, std::min(lanes, end - column));
}

template <class T, bool Exact, int Slots>
void roll_columns(const ProgramSlice& slice, std::int64_t columns, float* state) {
  const std::int64_t column_floats = state_floats(Slots, slice.levels);
  cover<vectors_rolling(Slots)>(columns, [&](auto count, auto whole, std::int64_t column, std::int64_t valid) {
    roll_tile<T, Slots, decltype(count)::value, Exact, decltype(whole)::value>(slice, column, valid, state + column * column_floats);
  });
}

template <class T, bool Exact>
void roll_slots(const ProgramSlice& slice, std::int64_t columns, float* state) {
  switch (slice.slots) {
    case 1: return roll_columns<T, Exact, 1>(slice, columns, state);
    case 2: return roll_columns<T, Exact, 2>(slice, columns, state);
    case 3: return roll_columns<T, Exact, 3>(slice, columns, state);
    case 4: return roll_columns<T, Exact, 4>(slice, columns, state);
    case 5: return roll_columns<T, Exact, 5>(slice, columns, state);
    case 6: return roll_columns<T, Exact, 6>(slice, columns, state);
    case 8: return roll_columns<T, Exact, 8>(slice, columns, state);
    case 10: return roll_columns<T, Exact, 10>(slice, columns, state);
    case 14: return roll_columns<T, Exact, 14>(slice, columns, state);
    default: throw std::logic_error("roll_lines: no loop for this number of slots");
  }
}

void RollLines(PixelType type, bool exact, const ProgramSlice& slice, std::int64_t columns, float* state) {
  switch (type) {
    case PixelType::u8: return roll_slots<std::uint8_t, false>(slice, columns, state);
    case PixelType::u16: return roll_slots<std::uint16_t, false>(slice, columns, state);
    case PixelType::s16: return roll_slots<std::int16_t, false>(slice, columns, state);
    case PixelType::f16: return roll_slots<Half, true>(slice, columns, state);
    case PixelType::f32:
      return exact ? roll_slots<float, true>(slice, columns, state) : roll_slots<float, false>(slice, columns, state);
    case PixelType::u32:
    case PixelType::s32:
    case PixelType::f64: return;  // DoubleRowSteps filters these
  }
}

template <class T, int Slots>
void group_columns(const ProgramSlice& slice, std::int64_t columns, float* state) {
  cover<vectors_of_group(Slots)>(columns, [&](auto count, auto whole, std::int64_t column, std::int64_t valid) {
    group_tile<T, Slots, decltype(count)::value, decltype(whole)::value>(slice, column, valid, state);
  });
}

template <class T>
void group_slots(const ProgramSlice& slice, std::int64_t columns, float* state) {
  switch (slice.slots) {
    case 1: return group_columns<T, 1>(slice, columns, state);
    case 4: return group_columns<T, 4>(slice, columns, state);
    case 8: return group_columns<T, 8>(slice, columns, state);
    default: throw std::logic_error("filter_group: no loop for this number of slots");
  }
}

void FilterGroup(PixelType type, const ProgramSlice& slice, std::int64_t columns, float* state) {
  switch (type) {
    case PixelType::u8: return group_slots<std::uint8_t>(slice, columns, state);
    case PixelType::u16: return group_slots<std::uint16_t>(slice, columns, state);
    case PixelType::s16: return group_slots<std::int16_t>(slice, columns, state);
    case PixelType::f16: return group_slots<Half>(slice, columns, state);
    case PixelType::f32: return group_slots<float>(slice, columns, state);
    case PixelType::u32:
    case PixelType::s32:
    case PixelType::f64: return;  // DoubleRowSteps filters these
  }
}

/// to(c)[r] = from(r)[c], r < rows, c < columns; rows: a multiple of transposed_rows, columns: of 4.
template <class From, class To>
HWY_INLINE void transpose(std::int64_t rows, std::int64_t columns, const From& from, const To& to) {
#if HWY_TARGET == HWY_SCALAR
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) to(c)[r] = from(r)[c];
#else
  const Floats d;
  const hn::RepartitionToWide<Floats> wide;
  constexpr std::int64_t lanes = hn::MaxLanes(Floats());
  const auto four = [&](std::int64_t r, std::int64_t c) { return hn::LoadU(hn::CappedTag<float, 4>(), from(r) + c); };
  const auto every_fourth = [&](std::int64_t r, std::int64_t c) {  // blocks of rows r, r + 4, ... so that whole vectors are written
    if constexpr (lanes == 4) {
      return four(r, c);
    } else if constexpr (lanes == 8) {
      return hn::Combine(d, four(r + 4, c), four(r, c));
    } else {
      const hn::Half<Floats> half;
      return hn::Combine(d, hn::Combine(half, four(r + 12, c), four(r + 8, c)), hn::Combine(half, four(r + 4, c), four(r, c)));
    }
  };
  for (std::int64_t r = 0; r < rows; r += lanes)
    for (std::int64_t c = 0; c < columns; c += 4) {
      const auto a = every_fourth(r, c), b = every_fourth(r + 1, c), e = every_fourth(r + 2, c), f = every_fourth(r + 3, c);
      const auto low_ab = hn::BitCast(wide, hn::InterleaveLower(d, a, b)), high_ab = hn::BitCast(wide, hn::InterleaveUpper(d, a, b));
      const auto low_ef = hn::BitCast(wide, hn::InterleaveLower(d, e, f)), high_ef = hn::BitCast(wide, hn::InterleaveUpper(d, e, f));
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, low_ab, low_ef)), d, to(c) + r);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, low_ab, low_ef)), d, to(c + 1) + r);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, high_ab, high_ef)), d, to(c + 2) + r);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, high_ab, high_ef)), d, to(c + 3) + r);
    }
#endif
}

void RowsToColumns(const float* const* from, std::int64_t rows, std::int64_t first, float* columns, std::int64_t count) {
  transpose(rows, (count + 3) / 4 * 4, [&](std::int64_t r) { return from[r] + first; }, [&](std::int64_t c) { return columns + c * rows; });
}

void ColumnsToRows(const float* columns, std::int64_t count, float* const* to, std::int64_t rows, std::int64_t first) {
  const std::int64_t rounded = (count + transposed_rows - 1) / transposed_rows * transposed_rows;
  transpose(rounded, rows, [&](std::int64_t c) { return columns + c * rows; }, [&](std::int64_t r) { return to[r] + first; });
}

}  // namespace upfirdn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upfirdn {

HWY_EXPORT(RollLines);
HWY_EXPORT(FilterGroup);
HWY_EXPORT(RowsToColumns);
HWY_EXPORT(ColumnsToRows);

void roll_lines(PixelType type, bool exact, const ProgramSlice& slice, std::int64_t columns, float* state) {
  HWY_DYNAMIC_DISPATCH(RollLines)(type, exact, slice, columns, state);
}
void filter_group(PixelType type, const ProgramSlice& slice, std::int64_t columns, float* state) {
  HWY_DYNAMIC_DISPATCH(FilterGroup)(type, slice, columns, state);
}
void rows_to_columns(const float* const* from, std::int64_t rows, std::int64_t first, float* columns, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(RowsToColumns)(from, rows, first, columns, count);
}
void columns_to_rows(const float* columns, std::int64_t count, float* const* to, std::int64_t rows, std::int64_t first) {
  HWY_DYNAMIC_DISPATCH(ColumnsToRows)(columns, count, to, rows, first);
}

}  // namespace upfirdn
#endif
