#pragma once
/// Polyphase banks: the taps of every phase of an axis, in double until each is rounded once to the arithmetic of the samples.

#include <cstdint>
#include <vector>

#include "core/axis.hpp"
#include "core/error.hpp"
#include "core/pixel.hpp"
#include "filters/kernel.hpp"
#include "resample/geometry.hpp"

namespace upfirdn {

/// Bank of a named filter with a kernel: each phase normalised to sum 1, zero weights dropped at both ends (SEMANTICS 4).
/// Throws Error(`code`) for a phase without weights, naming the smallest parameter that works.
[[nodiscard]] Axis kernel_axis(const FilterKernel& kernel, const AxisGeometry& geometry, ExitCode code,
                               Arithmetic arithmetic = Arithmetic::float32);

/// Input positions of `nearest`, or of a copied axis (up = down).
[[nodiscard]] Axis nearest_axis(const AxisGeometry& geometry);

/// Bank of taps for integer factors in a resize: centred, each phase normalised. `taps.size() + up - down` is odd.
[[nodiscard]] Axis centred_axis(const std::vector<double>& taps, const AxisGeometry& geometry, ExitCode code,
                                Arithmetic arithmetic = Arithmetic::float32);

/// One axis of the literal operator.
struct FilterGeometry {
  std::int64_t in = 0, out = 0;
  std::int64_t up = 1, down = 1;
  std::int64_t pad_before = 0;  ///< of upsampled samples
};

/// Bank of the literal operator: `correlation` are the taps as they are laid over the samples (reversed unless flipped), rounded.
[[nodiscard]] Axis filter_axis(const std::vector<double>& correlation, const FilterGeometry& geometry);

/// First input position and first tap of output `o` of the literal operator (SEMANTICS 1: i0 and j0).
struct FilterStart {
  std::int64_t position, tap;
};
[[nodiscard]] FilterStart filter_start(std::int64_t o, const FilterGeometry& geometry);

}  // namespace upfirdn
