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
inline constexpr std::int64_t widest_tile = 64;  ///< columns; ranges of columns begin at multiples of it

/// Goes on with outputs that roll through `state`, which begins as zeros: columns `begin` to before `end`. `exact`: samples may be
/// Inf or NaN, so that taps of 0 must not meet them.
void roll_lines(PixelType type, bool exact, const ProgramSlice& slice, std::int64_t begin, std::int64_t end, float* state);

/// Makes the outputs of a group. `state` has room for a tile.
void filter_group(PixelType type, const ProgramSlice& slice, std::int64_t begin, std::int64_t end, float* state);

/// to[c][first_to + r] = from[r][first_from + c], r < rows, c < columns. Both numbers are rounded up to multiples of 4: there have
/// to be as many pointers, and room.
void transpose(const float* const* from, std::int64_t rows, std::int64_t first_from, float* const* to, std::int64_t columns, std::int64_t first_to);

}  // namespace upfirdn
