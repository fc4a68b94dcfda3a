#pragma once
/// A second implementation of the definition, written from its text and sharing no code with the product:
/// slow, plain, in more bits than the product (`evaluate`, with the promised error bound) and in the contract
/// in float32 or float64 (`emulate`, byte for byte).
///
/// Both leave out the letterbox and work on the crop; the picture they give is what a backend gives.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/image.hpp"
#include "resample/spec.hpp"

namespace upfirdn::oracle {

/// Of the definition: more bits than float64 has.
using Exact = long double;

/// The taps that one output of an axis uses, in ascending input position.
struct Weights {
  std::int64_t first = 0;      ///< input position of the first tap, before the border rule
  std::int64_t j0 = 0;         ///< index of the first tap in the prototype (operator and custom taps)
  std::vector<double> taps{};  ///< before the rounding to the arithmetic
};

/// One axis of an operation.
struct AxisSetup {
  std::int64_t in = 0, out = 0;
  std::int64_t up = 1, down = 1;    ///< as planned: reduced by resize, not by filter
  bool copied = false;              ///< output o is the input at outputs[o].first
  std::vector<Weights> outputs{};   ///< [out]
  std::vector<double> prototype{};  ///< of filter: f of the definition, normalised
  std::int64_t p0 = 0, p1 = 0;      ///< of filter
};

/// A request resolved for one image.
struct Setup {
  ImageInfo input{};   ///< after the crop
  ImageInfo output{};  ///< before a letterbox
  AxisSetup x{}, y{};
  bool vertical_first = true;
  bool flip = false;
  std::vector<double> matrix{};  ///< taps of a direct 2-D FIR in row-major order; empty: separable
};

/// Type and maxval after `--depth`.
[[nodiscard]] ImageInfo stored_as(const ImageInfo& input, Depth depth);

/// Sizes, factors and taps. The request must be valid.
[[nodiscard]] Setup resolve(const ResampleSpec& spec, const ImageInfo& input);

/// The result before rounding and how far a correct implementation may be from it.
struct Reference {
  ImageInfo info{};
  std::vector<Exact> value{};  ///< [y][x][channel], output codes
  std::vector<double>
      error{};  ///< of each value; infinity: not checked (colour of nearly transparent pixels)
};
[[nodiscard]] Reference evaluate(const ResampleSpec& spec, const Image& image);

/// The first sample of `actual` that the reference does not allow, as text; nullopt if it never does.
[[nodiscard]] std::optional<std::string> disagreement(const Reference& reference, const Image& actual);

/// The bytes that the contract prescribes.
[[nodiscard]] Image emulate(const ResampleSpec& spec, const Image& image);

/// The part of an image that the request's crop names; the whole image without a crop.
[[nodiscard]] Image cropped(const ResampleSpec& spec, const Image& image);

/// Source index of position `i` of `n`, nullopt where the border has no sample (zero, constant).
[[nodiscard]] std::optional<std::int64_t> folded(std::int64_t i, std::int64_t n, Border border);

/// A sample as a number.
[[nodiscard]] double sample_at(const Image& image, std::int64_t x, std::int64_t y, int channel);

/// Nearest value of the pixel type to a finite or infinite number: half to even, integers clamped.
[[nodiscard]] double rounded_to(PixelType type, Exact value, double maxval);

}  // namespace upfirdn::oracle
