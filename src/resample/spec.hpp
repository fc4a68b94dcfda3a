#pragma once
/// What the user asks for, validated as far as that needs no image.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/axis.hpp"
#include "core/fraction.hpp"
#include "core/image.hpp"
#include "core/sample_math.hpp"
#include "filters/kernel.hpp"
#include "filters/taps.hpp"

namespace upfirdn {

template <class T>
struct Pair {
  T x, y;
  friend bool operator==(const Pair&, const Pair&) = default;
};

struct BorderRule {
  Border kind = Border::edge;
  double value = 0;  ///< of `constant:V`, a stored code
};

/// Padding of upsampled samples; negative values crop.
struct Padding {
  std::int64_t x0 = 0, x1 = 0, y0 = 0, y1 = 0;
};

/// Named filter, taps per axis or 2-D taps.
using FilterChoice = std::variant<FilterKernel, AxisTaps, TapMatrix>;

/// `filter`: the literal upfirdn2d operator.
struct FilterRequest {
  Pair<std::int64_t> up{1, 1}, down{1, 1};
  std::optional<Padding> padding;  ///< none: `--pad auto`
  bool flip = false;
  bool normalize = true;
  double gain = 1;
};

// The ways to say how big. Sides are at least 1.
struct ToSize {
  std::optional<std::int64_t> width, height;  ///< one may be missing: from the aspect
};
struct ToFit { std::int64_t width, height; };
struct ToCover { std::int64_t width, height; };
struct ToFill { std::int64_t width, height; };
struct ToLetterbox { std::int64_t width, height; double value = 0; };
struct ByScale { Fraction x, y; };                     ///< output / input
struct ByFactors { Pair<std::int64_t> up{1, 1}, down{1, 1}; };
struct ToSpacing { Fraction x, y; };                   ///< mm a pixel
using ResizeTarget = std::variant<ToSize, ToFit, ToCover, ToFill, ToLetterbox, ByScale, ByFactors, ToSpacing>;

enum class OneWay { no, only_shrink, only_enlarge };
struct Crop { std::int64_t x = 0, y = 0, width = 0, height = 0; };
enum class AlphaMode { premultiplied, straight };

/// `resize`: to a size or by a factor, aligned.
struct ResizeRequest {
  ResizeTarget target;
  OneWay one_way = OneWay::no;
  std::optional<Crop> crop;
  Pair<Fraction> shift{};  ///< input pixels
  AlphaMode alpha_mode = AlphaMode::premultiplied;
  bool linear = false;
  std::optional<double> nodata;
  bool nodata_of_file = true;  ///< without `nodata`: what the file itself calls missing
};

struct EpilogueRequest {
  std::vector<double> bias;  ///< empty, one number, or one a channel
  Activation activation = Activation::none;
  double slope = 0.2;
  double activation_gain = 1;
  std::optional<double> clamp;
  ValueRange range = ValueRange::code;
};

/// `--depth`.
enum class Depth { same, bits8, bits16, f16, f32 };

struct ResampleSpec {
  std::variant<ResizeRequest, FilterRequest> operation;
  FilterChoice filter = FilterKernel{};
  BorderRule border;
  EpilogueRequest epilogue;
  Depth depth = Depth::same;
  std::int64_t max_pixels = std::int64_t(1) << 32;  ///< of the input and of the output image
};

}  // namespace upfirdn
