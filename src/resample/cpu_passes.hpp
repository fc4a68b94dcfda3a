#pragma once
/// The loops over samples of the CPU backend, compiled for every instruction set and chosen at run time. All keep the
/// arithmetic contract (SEMANTICS 5): one correctly rounded multiply-add a tap, in order, runs of 64 taps.

#include <cstddef>
#include <cstdint>

#include "core/pixel.hpp"
#include "resample/axis_program.hpp"

namespace upfirdn {

/// Lines of an AxisProgram with what they stand for in memory.
struct ProgramSlice {
  const ProgramLine* lines;
  const float* taps;                 ///< [line][slot]
  std::int64_t count;                ///< lines
  int slots, levels;                 ///< of the program
  const std::byte* const* sources;   ///< [line] samples; of a line beyond a border what stands there (any, where it has no taps)
  float* const* outputs;             ///< [completed output] or [output of the group]; room for 16 floats more
  std::int64_t output_count;
};

/// Floats of memory that a program needs for each column while it rolls; for a group: for all columns of a tile.
[[nodiscard]] inline std::int64_t state_floats(int slots, int levels) { return std::int64_t(slots) * (1 + levels); }
inline constexpr std::int64_t widest_tile = 64;  ///< columns

/// Goes on with outputs that roll through `state`, which begins as zeros. `exact`: samples may be
/// Inf or NaN, so that taps of 0 must not meet them.
void roll_lines(PixelType type, bool exact, const ProgramSlice& slice, std::int64_t columns, float* state);

/// Makes the outputs of a group. `state` has room for a tile.
void filter_group(PixelType type, const ProgramSlice& slice, std::int64_t columns, float* state);

inline constexpr std::int64_t transposed_rows = 16;  ///< rows that are transposed come in multiples of this

/// columns[c * rows + r] = from[r][first + c], r < rows, c < count. `count` is rounded up to a multiple of 4: there has to be room.
void rows_to_columns(const float* const* from, std::int64_t rows, std::int64_t first, float* columns, std::int64_t count);

/// to[r][first + c] = columns[c * rows + r], r < rows, c < count. Both numbers are rounded up, `count` to a multiple of
/// transposed_rows, `rows` is one of 4: there has to be room, and values of columns beyond the last.
void columns_to_rows(const float* columns, std::int64_t count, float* const* to, std::int64_t rows, std::int64_t first);

}  // namespace upfirdn
