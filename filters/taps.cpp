#include "filters/taps.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/error.hpp"

namespace upfirdn {

std::vector<double> parse_taps(std::string_view text, std::string_view option) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ExitCode::usage, fmt::format("{}: {}; give numbers separated by commas, like 1,3,3,1", option, problem));
  };
  std::vector<double> taps;
  for (;;) {
    const std::size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    if (item.empty()) fail(taps.empty() && comma == std::string_view::npos ? "the list is empty" : "an item is empty");
    double value = 0;
    const char* begin = item.data() + (item.front() == '+' && !item.starts_with("+-") ? 1 : 0);
    const auto [stop, error] = std::from_chars(begin, item.data() + item.size(), value);
    if (error == std::errc::result_out_of_range) fail(fmt::format("'{}' is not finite in float32", item));
    if (error != std::errc() || stop != item.data() + item.size()) fail(fmt::format("'{}' is not a number", item));
    if (!std::isfinite(float(value))) fail(fmt::format("'{}' is not finite in float32", item));
    taps.push_back(value);
    if (comma == std::string_view::npos) return taps;
    text.remove_prefix(comma + 1);
  }
}

std::optional<AxisTaps> factor_rank_one(const TapMatrix& matrix) {
  std::size_t pivot = 0;
  for (std::size_t i = 1; i < matrix.values.size(); ++i)
    if (std::abs(matrix.values[i]) > std::abs(matrix.values[pivot])) pivot = i;
  const double largest = matrix.values[pivot];
  const std::size_t columns = std::size_t(matrix.columns), rows = std::size_t(matrix.rows);
  const std::size_t pivot_row = pivot / columns, pivot_column = pivot % columns;
  AxisTaps factors;
  if (largest == 0) return AxisTaps{std::vector<double>(columns, 0.0), std::vector<double>(rows, 0.0)};
  for (std::size_t c = 0; c < columns; ++c) factors.x.push_back(matrix.values[pivot_row * columns + c] / largest);
  for (std::size_t r = 0; r < rows; ++r) factors.y.push_back(matrix.values[r * columns + pivot_column]);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      const double product = factors.y[r] * matrix.values[pivot_row * columns + c] / largest;
      if (std::abs(matrix.values[r * columns + c] - product) > 1e-6 * std::abs(largest)) return std::nullopt;
    }
  return factors;
}

std::vector<double> normalized(const std::vector<double>& taps, double factor, std::string_view remedy) {
  double sum = 0, magnitudes = 0;
  for (const double tap : taps) sum += tap, magnitudes += std::abs(tap);
  if (std::abs(sum) < 1e-6 * magnitudes || magnitudes == 0)
    throw Error(ExitCode::usage, fmt::format("taps: they sum to {:.3g} and cannot be normalised; {}", sum, remedy));
  std::vector<double> scaled;
  scaled.reserve(taps.size());
  for (const double tap : taps) scaled.push_back(tap / sum * factor);
  return scaled;
}

}  // namespace upfirdn
