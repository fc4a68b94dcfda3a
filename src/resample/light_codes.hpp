#pragma once
/// From light to the nearest code of a transfer curve, without a search: a first guess, and thresholds that correct it.

#include <cstdint>
#include <vector>

namespace upfirdn {

/// The guess is a line within each 128th of an octave of light; it is at most a code or two off, and whoever uses it goes on
/// to the code c with threshold(c) <= light < threshold(c + 1).
class LightCodes {
 public:
  static constexpr int bucket_shift = 16;  ///< of a float's bits: sign, exponent and seven bits of its mantissa remain
  LightCodes() = default;
  /// `thresholds`: [codes] ascending and positive, light from which on the code is at least k + 1.
  explicit LightCodes(const std::vector<float>& thresholds);

  [[nodiscard]] float lowest() const { return thresholds_[1]; }
  [[nodiscard]] float highest() const { return thresholds_[thresholds_.size() - 2]; }
  [[nodiscard]] std::int32_t highest_code() const { return std::int32_t(thresholds_.size()) - 2; }
  /// Bits of `lowest` shifted: the number of the first bucket.
  [[nodiscard]] std::int32_t first_bucket() const { return first_bucket_; }
  [[nodiscard]] const float* base() const { return base_.data(); }    ///< [bucket] code at its begin, with a fraction
  [[nodiscard]] const float* slope() const { return slope_.data(); }  ///< [bucket] codes a unit of light
  /// threshold(c): light from which on the code is at least c; -Inf for 0, Inf for highest_code() + 1.
  [[nodiscard]] const float* thresholds() const { return thresholds_.data(); }

 private:
  std::int32_t first_bucket_ = 0;
  std::vector<float> thresholds_, base_, slope_;
};

}  // namespace upfirdn
