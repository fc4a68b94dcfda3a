#include "filters/response.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <utility>

namespace upfirdn {
namespace {

using Complex = std::complex<double>;

/// Discrete Fourier transform in place; the size is a power of two (Cooley and Tukey 1965).
void transform(std::vector<Complex>& values) {
  const std::size_t n = values.size();
  for (std::size_t i = 1, reversed = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (reversed & bit) != 0; bit >>= 1) reversed ^= bit;
    reversed ^= bit;
    if (i < reversed) std::swap(values[i], values[reversed]);
  }
  std::vector<Complex> turns(n / 2);
  for (std::size_t k = 0; k < n / 2; ++k) turns[k] = std::polar(1.0, -2 * std::numbers::pi * double(k) / double(n));
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t start = 0; start < n; start += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const Complex odd = turns[k * (n / (2 * half))] * values[start + half + k];
        values[start + half + k] = values[start + k] - odd;
        values[start + k] += odd;
      }
}

}  // namespace

FrequencyResponse::FrequencyResponse(std::vector<double> taps, std::int64_t up, std::int64_t down)
    : taps_(std::move(taps)), coarse_(std::max(up, down)) {
  // At least 16 points for each of the T bins between 0 and the rate, so that no lobe is missed.
  std::vector<Complex> spectrum(std::bit_ceil(std::max<std::size_t>(16 * taps_.size(), 4096)));
  std::copy(taps_.begin(), taps_.end(), spectrum.begin());
  transform(spectrum);
  step_ = double(coarse_) / double(spectrum.size());
  for (std::size_t k = 0; k <= spectrum.size() / 2; ++k) grid_.push_back(std::abs(spectrum[k]));
  double magnitudes = 0;
  for (const double tap : taps_) magnitudes += std::abs(tap);
  relative_to_zero_ = grid_[0] > 1e-6 * magnitudes;
  reference_ = relative_to_zero_ ? grid_[0] : *std::max_element(grid_.begin(), grid_.end());
  if (reference_ == 0) reference_ = 1;
}

double FrequencyResponse::magnitude(double frequency) const {
  const double turn = 2 * std::numbers::pi * frequency / double(coarse_);
  const double middle = double(taps_.size() - 1) / 2;  // symmetric taps give a real sum
  double real = 0, imaginary = 0;
  for (std::size_t k = 0; k < taps_.size(); ++k) {
    real += taps_[k] * std::cos(turn * (double(k) - middle));
    imaginary += taps_[k] * std::sin(turn * (double(k) - middle));
  }
  return std::hypot(real, imaginary);
}

double FrequencyResponse::gain(double frequency) const { return magnitude(frequency) / reference_; }

double FrequencyResponse::refined(std::size_t k, double sign) const {
  double low = at(k == 0 ? 0 : k - 1), high = at(std::min(k + 1, grid_.size() - 1));
  for (int i = 0; i < 40; ++i) {  // ternary search in one lobe
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (sign * magnitude(a) < sign * magnitude(b) ? low : high) = sign * magnitude(a) < sign * magnitude(b) ? a : b;
  }
  return (low + high) / 2;
}

std::optional<double> FrequencyResponse::falls_to(double level) const {
  for (std::size_t k = 1; k < grid_.size(); ++k) {
    if (grid_[k] > level * reference_) continue;
    double low = at(k - 1), high = at(k);
    for (int i = 0; i < 50; ++i) {
      const double middle = (low + high) / 2;
      (gain(middle) > level ? low : high) = middle;
    }
    return high;
  }
  return std::nullopt;
}

FrequencyResponse::Peak FrequencyResponse::largest_from(double frequency) const {
  if (frequency > highest()) return {highest(), 0};
  const std::size_t first = std::size_t(std::ceil(frequency / step_));
  Peak peak{frequency, gain(frequency)};
  if (first >= grid_.size()) return peak;
  const auto largest = std::max_element(grid_.begin() + std::ptrdiff_t(first), grid_.end());
  const double there = std::max(frequency, refined(std::size_t(largest - grid_.begin()), 1));
  if (gain(there) > peak.gain) peak = {there, gain(there)};
  return peak;
}

std::optional<double> FrequencyResponse::stop_band() const {
  const std::optional<double> half = falls_to(0.5);
  if (!half) return std::nullopt;
  for (std::size_t k = std::size_t(*half / step_) + 1; k + 1 < grid_.size(); ++k)
    if (grid_[k] <= grid_[k - 1] && grid_[k] < grid_[k + 1]) return refined(k, -1);
  return std::nullopt;
}

std::vector<double> phase_sums(const std::vector<double>& taps, std::int64_t up) {
  std::vector<double> sums(std::size_t(up), 0.0);
  for (std::size_t k = 0; k < taps.size(); ++k) sums[k % std::size_t(up)] += taps[k];
  return sums;
}

double dc_ripple(const std::vector<double>& taps, std::int64_t up) {
  const std::vector<double> sums = phase_sums(taps, up);
  const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
  double magnitudes = 0;
  for (const double sum : sums) magnitudes += std::abs(sum);
  return magnitudes == 0 ? 0 : (*most - *least) / (magnitudes / double(sums.size()));
}

bool has_linear_phase(const std::vector<double>& taps) {
  const auto mirrored = [&](double sign) {
    for (std::size_t k = 0; k < taps.size(); ++k)
      if (std::abs(taps[k] - sign * taps[taps.size() - 1 - k]) > 1e-12 * std::abs(taps[k])) return false;
    return true;
  };
  return mirrored(1) || mirrored(-1);
}

std::optional<double> group_delay(const std::vector<double>& taps) {
  if (has_linear_phase(taps)) return double(taps.size() - 1) / 2;
  double total = 0, magnitude = 0, moment = 0;
  for (std::size_t k = 0; k < taps.size(); ++k) {
    total += taps[k];
    magnitude += std::abs(taps[k]);
    moment += double(k) * taps[k];
  }
  if (std::abs(total) < 1e-6 * magnitude) return std::nullopt;
  return moment / total;
}

}  // namespace upfirdn
