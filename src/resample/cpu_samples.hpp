#pragma once
/// Between stored samples and the numbers that are filtered, by rows, for every instruction set: what SampleMathView defines
/// for one sample.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/operation.hpp"

namespace upfirdn {

/// Samples of any type as float, without further arithmetic.
void to_floats(PixelType type, const std::byte* samples, std::int64_t n, float* out);

/// What is the same for all rows of an operation. A chunk is a whole number of pixels.
struct SampleSteps {
  PixelType input, output;
  SampleMathView math;
  std::int64_t chunk_pixels;
  const std::int32_t* is_alpha;  ///< [samples of a chunk] not 0: the sample is alpha
  const float* bias;             ///< [samples of a chunk]
};

/// Rows in and out of an operation. Immutable: threads share it.
class SampleRows {
 public:
  explicit SampleRows(const Operation& operation);
  SampleRows(const SampleRows&) = delete;
  SampleRows& operator=(const SampleRows&) = delete;

  /// What is filtered are the samples as they are stored.
  [[nodiscard]] bool plain() const { return plain_; }
  /// planes of `pixels` pixels, [pixel][plane]; `planes` has room for 16 floats more.
  void decode(const std::byte* stored, std::int64_t pixels, float* planes) const;
  /// Returns how many NaN became 0.
  std::int64_t encode(const float* planes, std::int64_t pixels, std::byte* stored) const;

 private:
  bool plain_, stores_plainly_;
  std::vector<std::int32_t> is_alpha_;
  std::vector<float> bias_;
  SampleSteps steps_;
};

}  // namespace upfirdn
