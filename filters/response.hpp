#pragma once
/// What taps do to frequencies. A frequency counts cycles per pixel of the coarser image: per output pixel when reducing, per
/// input pixel when enlarging. Above 0.5, the folding frequency, nothing can be shown on the coarser grid: what passes there
/// appears as something else (an alias when reducing, an image of the grid when enlarging).

#include <cstdint>
#include <optional>
#include <vector>

namespace upfirdn {

inline constexpr double folding_frequency = 0.5;
/// From here on aliases fall into the lower half of the band, where they are seen best.
inline constexpr double leak_frequency = 0.75;

/// Frequency response of taps that run at `up` samples an input pixel and `down` samples an output pixel.
class FrequencyResponse {
 public:
  FrequencyResponse(std::vector<double> taps, std::int64_t up, std::int64_t down);
  /// Half the rate at which the taps run: max(up, down) / 2.
  [[nodiscard]] double highest() const { return double(coarse_) / 2; }
  /// Magnitude relative to that at frequency 0, or to the largest one if the taps sum to 0.
  [[nodiscard]] double gain(double frequency) const;
  [[nodiscard]] bool relative_to_zero() const { return relative_to_zero_; }

  /// First frequency at which the gain falls to `level`; none if it never does.
  [[nodiscard]] std::optional<double> falls_to(double level) const;
  struct Peak {
    double frequency, gain;
  };
  /// Largest gain from `frequency` on; gain 0 if that is above the highest frequency.
  [[nodiscard]] Peak largest_from(double frequency) const;
  /// Where the stop band begins: the first minimum after the gain has fallen to 1/2; none if the gain falls to the end.
  [[nodiscard]] std::optional<double> stop_band() const;

 private:
  [[nodiscard]] double magnitude(double frequency) const;
  /// The frequency within one step of grid point `k` where `magnitude` times `sign` is largest.
  [[nodiscard]] double refined(std::size_t k, double sign) const;
  [[nodiscard]] double at(std::size_t k) const { return step_ * double(k); }

  std::vector<double> taps_;
  std::int64_t coarse_;
  std::vector<double> grid_;  ///< magnitudes at 0, step, 2 step, ... to the highest frequency
  double step_, reference_ = 1;
  bool relative_to_zero_ = true;
};

/// Sum of h[p], h[p + up], ... for each phase p.
[[nodiscard]] std::vector<double> phase_sums(const std::vector<double>& taps, std::int64_t up);

/// Largest difference of two phase sums over the mean of their magnitudes: the pattern that a constant image gets.
[[nodiscard]] double dc_ripple(const std::vector<double>& taps, std::int64_t up);

/// True if the taps are symmetric or antisymmetric within 1e-12 of each: all frequencies are delayed alike.
[[nodiscard]] bool has_linear_phase(const std::vector<double>& taps);

/// Delay in upsampled samples: (T-1)/2 with linear phase, else that of slow signals, sum of k h[k] over the sum of h; none if
/// the taps sum to 0.
[[nodiscard]] std::optional<double> group_delay(const std::vector<double>& taps);

}  // namespace upfirdn
