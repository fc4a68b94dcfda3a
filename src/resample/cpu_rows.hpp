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

namespace upfirdn {

/// Rows kept while outputs need them, by source row number; slots are used again in turn. Or all rows of an image in memory.
class KeptRows {
 public:
  KeptRows(std::int64_t capacity, std::size_t row_bytes)
      : capacity_(capacity), stride_(row_bytes), bytes_(std::size_t(capacity) * row_bytes), rows_(bytes_.data()) {}
  KeptRows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) : capacity_(count), stride_(stride_bytes), all_(rows) {}
  [[nodiscard]] std::byte* place(std::int64_t y) { return rows_ + std::size_t(y % capacity_) * stride_; }
  [[nodiscard]] const std::byte* row(std::int64_t y) const { return (all_ != nullptr ? all_ : rows_) + std::size_t(y % capacity_) * stride_; }
  [[nodiscard]] const float* floats(std::int64_t y) const { return reinterpret_cast<const float*>(row(y)); }
  [[nodiscard]] std::size_t stride_bytes() const { return stride_; }
  /// Rows from `y` on that lie one after the other.
  [[nodiscard]] std::int64_t in_a_piece(std::int64_t y) const { return capacity_ - y % capacity_; }

 private:
  std::int64_t capacity_;
  std::size_t stride_;
  std::vector<std::byte> bytes_;
  std::byte* rows_ = nullptr;
  const std::byte* all_ = nullptr;
};

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
  std::vector<float> columns, sums, state, beyond;
  std::vector<const std::byte*> sources;
  std::vector<const float*> from;
  std::vector<float*> outputs, to;
  std::int64_t nan_samples = 0;
};

/// The steps of an operation. A row of floats holds `planes` values a pixel. While the vertical pass comes first and the
/// border is constant, rows carry one more pixel: what lies beyond the sides.
class RowSteps {
 public:
  explicit RowSteps(const Operation& operation);

  /// Rows are kept as they are stored: keep() is not needed. A pass that rolls decodes them as it goes.
  [[nodiscard]] bool keeps_stored() const { return keeps_stored_; }
  [[nodiscard]] std::size_t kept_bytes() const;
  /// Rows that a thread takes through the horizontal pass together; outputs of `make` begin at multiples of `row_group`.
  [[nodiscard]] std::int64_t lanes() const { return planes_ == 1 ? 32 : 16; }
  static constexpr std::int64_t row_group = 8;

  /// Fills kept rows from stored ones (`lanes` of each).
  void keep(const std::byte* const* stored, std::byte* const* kept, std::int64_t lanes, RowScratch& scratch) const;

  /// The vertical pass rolls through the image: roll_down() makes rows that finish() takes. Otherwise make() does all.
  [[nodiscard]] bool rolls_down() const { return !op_.matrix && y_.mode == AxisMode::filter && down_.rolling(); }
  /// Floats of a row between the passes, and of the state of a column.
  [[nodiscard]] std::int64_t kept_floats() const { return kept_floats_; }
  [[nodiscard]] std::int64_t column_state_floats() const { return state_floats(down_.slots(), down_.levels()); }
  /// Threads share the columns of roll_down() at multiples of this.
  [[nodiscard]] std::int64_t column_step() const { return widest_tile * planes_; }
  /// Columns `begin` to before `end` of the rows of outputs y to y + count - 1, which follow those of the call before.
  void roll_down(const KeptRows& kept, std::int64_t y, std::int64_t count, std::int64_t begin, std::int64_t end, float* state,
                 FloatRows& made, RowScratch& scratch) const;
  /// Makes stored rows from filtered ones, `lanes` of each.
  void finish(const float* const* rows, std::byte* const* stored, std::int64_t lanes, RowScratch& scratch) const;
  /// Makes `lanes` consecutive stored output rows, the first being `y`, from the rows kept.
  void make(const KeptRows& kept, std::int64_t y, std::byte* const* stored, std::int64_t lanes, RowScratch& scratch) const;

 private:
  void decode(const std::byte* stored, std::int64_t begin, std::int64_t end, float* row) const;
  void encode(const float* row, std::byte* stored, RowScratch& scratch) const {
    scratch.nan_samples += samples_.encode(row, op_.x.out, stored);
  }
  [[nodiscard]] const std::byte* kept_row(const KeptRows& kept, std::int64_t source) const {
    return source < 0 ? outside_row_.data() : kept.row(source);
  }
  void decode_lines(const KeptRows& kept, std::int64_t first, std::int64_t count, std::int64_t begin, std::int64_t end, RowScratch& scratch) const;
  void vertical(const KeptRows& kept, std::int64_t y, float* const* out, std::int64_t count, RowScratch& scratch) const;
  void horizontal(const float* const* in, float* const* out, std::int64_t lanes, RowScratch& scratch) const;
  void filter_chunk(const float* const* in, float* const* out, std::int64_t lanes, std::int64_t first, std::int64_t last, RowScratch& scratch) const;
  void gather(const float* in, float* out) const;
  void matrix_row(const KeptRows& kept, std::int64_t y, float* out) const;
  [[nodiscard]] float matrix_sum(const KeptRows& kept, const TapRun& down, const TapRun& right, int plane) const;

  const Operation& op_;
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
