#pragma once
/// Taps as numbers: text and file formats, rank-1 factoring, normalisation.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace upfirdn {

/// Taps of a 2-D FIR in row-major order; at least 2 rows and 2 columns.
struct TapMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;
};

/// Taps for each axis.
struct AxisTaps {
  std::vector<double> x, y;
};

using Taps = std::variant<AxisTaps, TapMatrix>;

/// Reads "1,3,3,1". An empty list or item, or a tap that is not finite in float32, is Error(usage) naming `option`.
[[nodiscard]] std::vector<double> parse_taps(std::string_view text, std::string_view option);

/// Reads a text file of taps (white space or commas; # comments; BOM, CRLF, tabs, U+2212) or a `.npy` of f4, f8 or an
/// integer type, told apart by content. One line or column of text, or a 1-D array, serves both axes; an array of 1 x N
/// or N x 1 is N taps for its axis and the single tap 1 for the other. Errors are Error(usage) and name the line.
[[nodiscard]] Taps read_taps_file(const std::string& path);

/// The bytes of a taps file: text (one tap a line, shortest form that reads back the same), or 1-D float64 for a path in `.npy`.
[[nodiscard]] std::string taps_file_bytes(const std::string& path, const std::vector<double>& taps);

/// column * row = matrix when it is of rank 1 within 1e-6 of its largest tap (SEMANTICS 2), else nullopt.
[[nodiscard]] std::optional<AxisTaps> factor_rank_one(const TapMatrix& matrix);

/// Divides by the sum and multiplies by `factor`, in double. Taps that sum to 0 (|sum| < 1e-6 of the sum of magnitudes)
/// are Error(usage) that suggests `remedy`.
[[nodiscard]] std::vector<double> normalized(const std::vector<double>& taps, double factor, std::string_view remedy);

}  // namespace upfirdn
