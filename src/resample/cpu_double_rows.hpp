#pragma once
/// Rows of an operation in float64 (u32, s32 and f64 samples) on the CPU: what RowSteps is for float32, in plain steps.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/operation.hpp"
#include "resample/kept_rows.hpp"

namespace upfirdn {

/// Rows of doubles one after the other, with room for a vector more in each.
class DoubleRows {
 public:
  void resize(std::int64_t rows, std::int64_t row_doubles);
  [[nodiscard]] double* row(std::int64_t i) { return doubles_.data() + i * stride_; }

 private:
  std::int64_t stride_ = 0;
  std::vector<double> doubles_;
};

/// The steps of an operation. A row holds `planes` values a pixel; where the border is constant, rows that are not yet filtered
/// along x have one more pixel: what lies beyond the sides.
class DoubleRowSteps {
 public:
  /// Memory of one thread, grown as needed.
  struct Scratch {
    DoubleRows decoded, passed, filtered;
    std::vector<double> columns, sums;
    std::vector<const double*> lines;
    std::int64_t nan_samples = 0;
  };
  explicit DoubleRowSteps(const Operation& operation);

  // As RowSteps has them.
  static constexpr std::int64_t most_lanes = 8, row_group = 8;
  [[nodiscard]] bool keeps_stored() const { return false; }
  [[nodiscard]] std::size_t kept_bytes() const;
  [[nodiscard]] std::int64_t lanes() const { return most_lanes; }
  [[nodiscard]] std::int64_t rows_read_again() const { return 0; }
  void keep(const std::byte* const* stored, std::byte* const* kept, std::int64_t lanes, Scratch& scratch) const;
  void make(const KeptRows& kept, std::int64_t y, std::int64_t count, std::byte* stored, Scratch& scratch) const;

 private:
  void decode(const std::byte* stored, double* row) const;
  void encode(const double* row, std::byte* stored, Scratch& scratch) const;
  [[nodiscard]] const double* kept_row(const KeptRows& kept, std::int64_t source) const;
  void vertical(const KeptRows& kept, std::int64_t y, double* out, Scratch& scratch) const;
  void horizontal(const double* const* in, double* const* out, std::int64_t rows, Scratch& scratch) const;
  void matrix_row(const KeptRows& kept, std::int64_t y, double* out, Scratch& scratch) const;

  const Operation& op_;
  AxisView x_, y_;
  BasicSampleMath<double> math_;
  std::int64_t planes_;
  bool vertical_first_;
  std::int64_t in_doubles_, out_doubles_;  ///< of rows before and after the pass along x
  std::vector<double> outside_row_;        ///< beyond the top and bottom of a constant border, as the vertical pass reads it
};

}  // namespace upfirdn
