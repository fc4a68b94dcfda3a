#pragma once
/// Named filters as continuous kernels K(x) (SEMANTICS 4); x counts units of the coarser grid.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fraction.hpp"

namespace upfirdn {

enum class KernelName { gaussian, box, triangle, cubic, lanczos, kaiser, binomial, nearest };

/// A named filter with its parameters. The exact fractions decide which taps exist; values are doubles.
struct FilterKernel {
  KernelName name = KernelName::gaussian;
  Fraction sigma{1, 2};        ///< gaussian: standard deviation
  Fraction a{3, 1};            ///< lanczos, kaiser: support
  double beta = 8.0;           ///< kaiser: shape of the window
  Fraction cutoff{1, 2};       ///< kaiser: -6 dB point in cycles per unit of x
  bool on_sample = false;      ///< halfband: its taps are odd in number and centred on a sample
  double b = 0.0, c = 0.5;     ///< cubic: Mitchell-Netravali B and C
  int taps = 4;                ///< binomial: number of taps
  double atten = 0;            ///< designed kaiser and halfband: stop-band attenuation in dB; beta follows from it
  Fraction width{0, 1};        ///< the same: width of the transition in cycles per unit of x; `a` follows from both
  std::string text = "gaussian";  ///< as the user wrote it

  /// Half-width of K. Throws std::logic_error for binomial and nearest, which have no kernel.
  [[nodiscard]] Fraction support() const;
  /// K(num / den), exactly 0 where the definition says so. |num / den| <= support.
  [[nodiscard]] double operator()(Int128 num, Int128 den) const;
};

/// Reads NAME, NAME:v1,v2 or NAME:key=v,key=v. Throws Error(usage) that lists the known names or keys.
[[nodiscard]] FilterKernel parse_filter(std::string_view text);

/// One line a filter: name, parameters with defaults, what it is for. Of the filter `name` alone if there is one.
[[nodiscard]] std::vector<std::string> describe_filters(std::string_view name = {});

/// What a filter's text may be or begin with: "kaiser", "kaiser:beta=", ...
[[nodiscard]] std::vector<std::string> filter_words();

/// Pascal's triangle, row of n taps.
[[nodiscard]] std::vector<double> binomial_taps(int n);

/// The filter as taps for integer factors (SEMANTICS 4): h[k] = K((k - (T-1)/2) / (up * s)), s = max(down / up, 1), with T the
/// largest length of the parity of down - up + 1 within the support. For `halfband` T is the largest odd length with taps
/// at its ends that are not 0: with factor 2 every second tap but the middle one is 0. Not normalised. Throws Error(usage) for `nearest` and
/// where no tap is left.
[[nodiscard]] std::vector<double> prototype_taps(const FilterKernel& kernel, std::int64_t up, std::int64_t down);

}  // namespace upfirdn
