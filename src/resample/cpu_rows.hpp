#pragma once
/// Rows of an operation on the CPU: decode, vertical pass, horizontal pass, encode. No state but the plan, so that threads
/// share it; each thread brings its own scratch memory.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/operation.hpp"
#include "resample/axis_program.hpp"
#include "resample/cpu_passes.hpp"
#include "resample/cpu_samples.hpp"
#include "resample/kept_rows.hpp"

namespace upfirdn {

/// Rows of floats one after the other, with room for a vector more in each.
class FloatRows {
 public:
  void resize(std::int64_t rows, std::int64_t row_floats) {
    stride_ = padded(row_floats);
    if (floats_.size() < std::size_t(rows * stride_)) floats_.resize(std::size_t(rows * stride_));
  }
  [[nodiscard]] static std::int64_t padded(std::int64_t row_floats) { return (row_floats + 15) / 16 * 16 + 16; }
  [[nodiscard]] float* row(std::int64_t i) { return floats_.data() + i * stride_; }

 private:
  std::int64_t stride_ = 0;
  std::vector<float> floats_;
};

/// Memory of one thread, grown as needed.
struct RowScratch {
  FloatRows decoded, passed, filtered;
  std::vector<float> columns, sums, state, rolling, beyond;
  std::vector<const std::byte*> sources;
  std::vector<float*> outputs;
  std::int64_t nan_samples = 0;
};

/// The steps of an operation in float32. A row of floats holds `planes` values a pixel. While the vertical pass comes first and the
/// border is constant, rows carry one more pixel: what lies beyond the sides.
class RowSteps {
 public:
  using Scratch = RowScratch;
  explicit RowSteps(const Operation& operation);

  /// Rows are kept as they are stored: keep() is not needed. A pass that rolls decodes them as it goes.
  [[nodiscard]] bool keeps_stored() const { return keeps_stored_; }
  [[nodiscard]] std::size_t kept_bytes() const;
  /// Rows that go through the horizontal pass together; outputs of `make` begin at multiples of `row_group`.
  [[nodiscard]] std::int64_t lanes() const { return planes_ == 1 ? 32 : 16; }
  static constexpr std::int64_t most_lanes = 32, row_group = 8;
  /// Source rows that `make` reads beside those of outputs before `y`, as it begins anew.
  [[nodiscard]] std::int64_t rows_read_again() const;

  /// Fills kept rows from stored ones (`lanes` of each).
  void keep(const std::byte* const* stored, std::byte* const* kept, std::int64_t lanes, RowScratch& scratch) const;

  /// Makes `count` consecutive stored output rows, the first being `y`, from the rows kept.
  void make(const KeptRows& kept, std::int64_t y, std::int64_t count, std::byte* stored, RowScratch& scratch) const;

 private:
  void decode(const std::byte* stored, std::int64_t begin, std::int64_t end, float* row) const;
  void encode(const float* row, std::byte* stored, RowScratch& scratch) const {
    scratch.nan_samples += samples_.encode(row, op_.x.out, stored);
  }
  [[nodiscard]] const std::byte* kept_row(const KeptRows& kept, std::int64_t source) const {
    return source < 0 ? outside_row_.data() : kept.row(source);
  }
  void decode_lines(const KeptRows& kept, std::int64_t first, std::int64_t count, std::int64_t begin, std::int64_t end, RowScratch& scratch) const;
  [[nodiscard]] bool rolls_down() const { return !op_.matrix && y_.mode == AxisMode::filter && down_.rolling(); }
  void roll_down(const KeptRows& kept, std::int64_t y, std::int64_t count, bool begins, RowScratch& scratch) const;
  void vertical(const KeptRows& kept, std::int64_t y, float* const* out, std::int64_t count, RowScratch& scratch) const;
  void finish(const float* const* rows, std::byte* const* stored, std::int64_t lanes, RowScratch& scratch) const;
  void make_lanes(const KeptRows& kept, std::int64_t y, std::byte* const* stored, std::int64_t lanes, RowScratch& scratch) const;
  void horizontal(const float* const* in, float* const* out, std::int64_t lanes, RowScratch& scratch) const;
  void filter_chunk(const float* const* in, float* const* out, std::int64_t lanes, std::int64_t first, std::int64_t last, RowScratch& scratch) const;
  void gather(const float* in, float* out) const;
  void matrix_row(const KeptRows& kept, std::int64_t y, float* out) const;
  [[nodiscard]] float matrix_sum(const KeptRows& kept, const TapRun& down, const TapRun& right, int plane) const;

  const Operation& op_;
  std::vector<float> outside_, matrix_taps_;  ///< of the operation
  AxisView x_, y_;
  SampleRows samples_;
  std::int64_t planes_;
  bool vertical_first_, keeps_stored_, decodes_late_, exact_, filters_across_;
  PixelType passed_type_;  ///< of what the vertical pass reads
  std::int64_t kept_floats_;
  AxisProgram across_, down_;
  std::vector<std::byte> outside_row_;  ///< beyond the top or bottom, as the vertical pass reads it
};

}  // namespace upfirdn
