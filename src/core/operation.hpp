#pragma once
/// What a backend executes: all decisions are made, only samples are missing.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/axis.hpp"
#include "core/image.hpp"
#include "core/sample_math.hpp"

namespace upfirdn {

/// Taps of a direct 2-D FIR, by phase: the phase (py, px) has y.count[py] * x.count[px] taps in row-major order, which
/// form one sequence of the summation rule.
struct PhaseMatrix {
  std::vector<std::int64_t> offset;  ///< [y phases * x phases]
  std::vector<double> taps;          ///< floats, unless samples are filtered in float64
};

/// One resampling of one image of known shape, the same for every backend. Immutable once planned.
struct Operation {
  ImageInfo input;   ///< what is read (after a crop)
  ImageInfo output;  ///< what comes out (before a letterbox)
  Axis x, y;
  bool vertical_first = true;
  std::optional<PhaseMatrix> matrix;  ///< then `x` and `y` hold positions and counts only
  Border border = Border::edge;
  std::vector<double> outside;  ///< [planes] value beyond a `constant` border, as it is filtered
  SampleMath samples;
  bool raw_copy = false;       ///< both axes are gathered and nothing is computed: samples keep their bits
  std::vector<std::byte> outside_raw;  ///< [pixel bytes] the stored pixel beyond the border of a raw copy

  [[nodiscard]] Arithmetic arithmetic() const { return arithmetic_of(input.type); }
};

}  // namespace upfirdn
