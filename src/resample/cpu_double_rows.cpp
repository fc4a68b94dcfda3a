#include "resample/cpu_double_rows.hpp"

#include <algorithm>

#include "resample/cpu_double_sums.hpp"

namespace upfirdn {

void DoubleRows::resize(std::int64_t rows, std::int64_t row_doubles) {
  stride_ = row_doubles + spare_doubles;
  if (doubles_.size() < std::size_t(rows * stride_)) doubles_.resize(std::size_t(rows * stride_));
}

DoubleRowSteps::DoubleRowSteps(const Operation& operation)
    : op_(operation),
      x_(op_.x.view()),
      y_(op_.y.view()),
      math_(op_.samples.view<double>()),
      planes_(math_.planes),
      vertical_first_(op_.vertical_first || op_.matrix.has_value()),
      in_doubles_((x_.in + (op_.border == Border::constant ? 1 : 0)) * planes_),
      out_doubles_(x_.out * planes_) {
  if (op_.border != Border::constant) return;
  outside_row_.resize(std::size_t(std::max(in_doubles_, out_doubles_) + spare_doubles));
  for (std::int64_t i = 0; i < in_doubles_; ++i) outside_row_[std::size_t(i)] = op_.outside[std::size_t(i % planes_)];
  if (vertical_first_) return;
  Scratch scratch;
  const std::vector<double> line = outside_row_;
  const double* in = line.data();
  double* out = outside_row_.data();
  horizontal(&in, &out, 1, scratch);
}

std::size_t DoubleRowSteps::kept_bytes() const {
  return std::size_t((vertical_first_ ? in_doubles_ : out_doubles_) + spare_doubles) * sizeof(double);
}

void DoubleRowSteps::decode(const std::byte* stored, double* row) const {
  visit_filtered_type<double>(op_.input.type, [&](auto type) {
    const auto* pixel = reinterpret_cast<const decltype(type)*>(stored);
    if (!math_.premultiply && planes_ == math_.channels) {
      std::copy_n(pixel, x_.in * planes_, row);
      return;
    }
    for (std::int64_t x = 0; x < x_.in; ++x, pixel += math_.channels)
      for (int p = 0; p < planes_; ++p) row[x * planes_ + p] = math_.decode(pixel, p);
  });
  if (op_.border == Border::constant) std::copy_n(op_.outside.data(), planes_, row + x_.in * planes_);
}

void DoubleRowSteps::encode(const double* row, std::byte* stored, Scratch& scratch) const {
  visit_pixel_type(op_.output.type, [&](auto type) {
    auto* sample = reinterpret_cast<decltype(type)*>(stored);
    for (std::int64_t x = 0; x < x_.out; ++x, row += planes_)
      for (int c = 0; c < math_.channels; ++c) {
        bool nan = false;
        *sample++ = math_.encode<decltype(type)>(row[c], row[math_.companion_plane(c)], c, nan);
        scratch.nan_samples += nan ? 1 : 0;
      }
  });
}

/// Null: nothing is there.
const double* DoubleRowSteps::kept_row(const KeptRows& kept, std::int64_t source) const {
  if (source >= 0) return reinterpret_cast<const double*>(kept.row(source));
  return op_.border == Border::constant ? outside_row_.data() : nullptr;
}

void DoubleRowSteps::vertical(const KeptRows& kept, std::int64_t y, double* out, Scratch& scratch) const {
  const TapRun run = y_.locate(y);
  const std::int64_t n = vertical_first_ ? in_doubles_ : out_doubles_;
  scratch.lines.clear();
  for (std::int64_t k = 0; k < run.count; ++k) scratch.lines.push_back(kept_row(kept, source_index(run.first + k, y_.in, op_.border)));
  if (y_.mode == AxisMode::filter) return weigh_lines(run.taps, scratch.lines.data(), run.count, n, out);
  if (scratch.lines[0] != nullptr) std::copy_n(scratch.lines[0], n, out);
  else std::fill_n(out, n, 0.0);
}

/// Up to most_lanes rows are laid out [position][plane][row], filtered as rows are in the vertical pass, and laid back.
void DoubleRowSteps::horizontal(const double* const* in, double* const* out, std::int64_t rows, Scratch& scratch) const {
  const std::int64_t n = planes_ * rows;
  scratch.columns.resize(std::size_t(in_doubles_ * rows + spare_doubles));
  scratch.sums.resize(std::size_t(n + spare_doubles));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < in_doubles_; ++i) scratch.columns[std::size_t(i * rows + row)] = in[row][i];
  for (std::int64_t o = 0; o < x_.out; ++o) {
    const TapRun run = x_.locate(o);
    scratch.lines.clear();
    for (std::int64_t k = 0; k < run.count; ++k) {
      const std::int64_t source = source_index(run.first + k, x_.in, op_.border);
      const std::int64_t place = source < 0 ? x_.in : source;  // a constant border stands beyond the last column
      scratch.lines.push_back(source < 0 && op_.border == Border::zero ? nullptr : scratch.columns.data() + place * n);
    }
    const double* sums = scratch.sums.data();
    if (x_.mode == AxisMode::filter) weigh_lines(run.taps, scratch.lines.data(), run.count, n, scratch.sums.data());
    else if (scratch.lines[0] != nullptr) sums = scratch.lines[0];
    else std::fill_n(scratch.sums.data(), n, 0.0);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t p = 0; p < planes_; ++p) out[row][o * planes_ + p] = sums[p * rows + row];
  }
}

void DoubleRowSteps::matrix_row(const KeptRows& kept, std::int64_t y, double* out, Scratch& scratch) const {
  const TapRun down = y_.locate(y);
  for (std::int64_t o = 0; o < x_.out; ++o) {
    const TapRun right = x_.locate(o);
    scratch.lines.clear();
    for (std::int64_t r = 0; r < down.count; ++r) {
      const double* row = kept_row(kept, source_index(down.first + r, y_.in, op_.border));
      for (std::int64_t c = 0; c < right.count; ++c) {
        const std::int64_t x = source_index(right.first + c, x_.in, op_.border);
        const bool nothing = row == nullptr || (x < 0 && op_.border == Border::zero);
        scratch.lines.push_back(nothing ? nullptr : row + (x < 0 ? x_.in : x) * planes_);
      }
    }
    const double* taps = op_.matrix->taps.data() + op_.matrix->offset[std::size_t(down.phase) * op_.x.first.size() + std::size_t(right.phase)];
    weigh_lines(taps, scratch.lines.data(), std::int64_t(scratch.lines.size()), planes_, out + o * planes_);
  }
}

void DoubleRowSteps::keep(const std::byte* const* stored, std::byte* const* kept, std::int64_t lanes, Scratch& scratch) const {
  const auto kept_doubles = [&](std::int64_t lane) { return reinterpret_cast<double*>(kept[lane]); };
  if (vertical_first_) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) decode(stored[lane], kept_doubles(lane));
    return;
  }
  scratch.decoded.resize(lanes, in_doubles_);
  const double* rows[most_lanes];
  double* to[most_lanes];
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    decode(stored[lane], scratch.decoded.row(lane));
    rows[lane] = scratch.decoded.row(lane), to[lane] = kept_doubles(lane);
  }
  horizontal(rows, to, lanes, scratch);
}

void DoubleRowSteps::make(const KeptRows& kept, std::int64_t y, std::int64_t count, std::byte* stored, Scratch& scratch) const {
  scratch.passed.resize(most_lanes, std::max(in_doubles_, out_doubles_));
  scratch.filtered.resize(most_lanes, out_doubles_);
  for (std::int64_t i = 0; i < count; i += most_lanes) {
    const std::int64_t lanes = std::min(most_lanes, count - i);
    const double* passed[most_lanes];
    double* made[most_lanes];
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      double* row = scratch.passed.row(lane);
      if (op_.matrix) matrix_row(kept, y + i + lane, row, scratch);
      else vertical(kept, y + i + lane, row, scratch);
      passed[lane] = row, made[lane] = scratch.filtered.row(lane);
    }
    const bool goes_across = vertical_first_ && !op_.matrix;
    if (goes_across) horizontal(passed, made, lanes, scratch);
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      encode(goes_across ? made[lane] : passed[lane], stored + std::size_t(i + lane) * op_.output.row_bytes(), scratch);
  }
}

}  // namespace upfirdn
