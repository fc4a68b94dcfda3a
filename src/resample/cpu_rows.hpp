#pragma once
/// One row at a time of an operation on the CPU: decode, vertical pass, horizontal pass, encode. No state but the plan, so
/// that threads share it; each thread brings its own scratch memory.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/operation.hpp"

namespace upfirdn {

/// Rows of floats kept while outputs need them, by source row number; slots are used again in turn.
class RowRing {
 public:
  RowRing(std::int64_t capacity, std::int64_t row_floats)
      : capacity_(capacity), row_floats_(row_floats), floats_(std::size_t(capacity * row_floats)) {}
  [[nodiscard]] float* row(std::int64_t y) { return floats_.data() + (y % capacity_) * row_floats_; }
  [[nodiscard]] const float* row(std::int64_t y) const { return floats_.data() + (y % capacity_) * row_floats_; }

 private:
  std::int64_t capacity_, row_floats_;
  std::vector<float> floats_;
};

/// Memory of one thread, grown as needed.
struct RowScratch {
  std::vector<float> rows, block, sums;
  std::vector<const float*> sources;
  std::int64_t nan_samples = 0;
};

/// The steps of an operation. A row of floats holds `planes` values a pixel. While the vertical pass comes first and the
/// border is constant, rows carry one more pixel: what lies beyond the sides.
class RowSteps {
 public:
  explicit RowSteps(const Operation& operation);

  /// Floats of a row that the ring keeps.
  [[nodiscard]] std::int64_t kept_floats() const { return kept_floats_; }
  /// Floats of a filtered output row.
  [[nodiscard]] std::int64_t output_floats() const { return op_.x.out * planes_; }

  /// Fills kept rows from stored ones (`lanes` of each).
  void keep(const std::byte* const* stored, float* const* kept, std::int64_t lanes, RowScratch& scratch) const;
  /// Makes `lanes` consecutive stored output rows, the first being `y`, from the rows kept.
  void make(const RowRing& ring, std::int64_t y, std::byte* const* stored, std::int64_t lanes, RowScratch& scratch) const;

 private:
  void decode(const std::byte* stored, float* row) const;
  void encode(const float* row, std::byte* stored, RowScratch& scratch) const;
  void vertical(const RowRing& ring, std::int64_t y, float* out, RowScratch& scratch) const;
  void horizontal(const float* const* in, float* const* out, std::int64_t lanes, RowScratch& scratch) const;
  void gather(const float* in, float* out) const;
  void filter_tile(const float* const* in, float* const* out, std::int64_t lanes, std::int64_t first, std::int64_t last,
                   RowScratch& scratch) const;
  void matrix_row(const RowRing& ring, std::int64_t y, float* out) const;
  [[nodiscard]] float matrix_sum(const RowRing& ring, const TapRun& down, const TapRun& right, int plane) const;

  const Operation& op_;
  AxisView x_, y_;
  SampleMathView math_;
  std::int64_t planes_;
  bool vertical_first_;
  bool plain_decode_, plain_encode_;
  std::int64_t kept_floats_;
  std::vector<float> outside_row_;  ///< a kept row beyond the top or bottom
};

}  // namespace upfirdn
