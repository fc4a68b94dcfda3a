#include "resample/cpu_rows.hpp"

#include <algorithm>
#include <cstring>

#include "resample/row_window.hpp"

namespace upfirdn {
namespace {

constexpr std::int64_t chunk_lines = 256;  ///< columns that a horizontal pass lays out at once
constexpr std::int64_t decoded_floats = 512;  ///< of a row that are decoded before a vertical pass reads them
constexpr std::int64_t visit_lines = 8;  ///< rows that a vertical pass reads of some columns before it goes on to the next

bool is_identity(const AxisView& axis) {
  return axis.mode == AxisMode::gather && axis.in == axis.out && axis.period == 1 && axis.step == 1 && axis.first[0] == 0;
}

}  // namespace

RowSteps::RowSteps(const Operation& operation)
    : op_(operation),
      outside_(op_.outside.begin(), op_.outside.end()),
      x_(op_.x.view()),
      y_(op_.y.view()),
      samples_(op_),
      planes_(op_.samples.rule.planes),
      vertical_first_(op_.vertical_first || op_.matrix.has_value()),
      exact_(is_float(op_.input.type) || op_.border == Border::constant),
      filters_across_(!op_.matrix && !is_identity(x_)) {
  if (op_.matrix) matrix_taps_.assign(op_.matrix->taps.begin(), op_.matrix->taps.end());
  if (!op_.matrix) across_ = AxisProgram(x_, op_.border), down_ = AxisProgram(y_, op_.border);
  const bool passed_as_stored = samples_.plain() && op_.border != Border::constant;
  keeps_stored_ = vertical_first_ && !op_.matrix && (passed_as_stored || rolls_down());
  decodes_late_ = keeps_stored_ && !passed_as_stored;
  passed_type_ = keeps_stored_ && passed_as_stored ? op_.input.type : PixelType::f32;
  const std::int64_t extra = vertical_first_ && op_.border == Border::constant ? 1 : 0;
  kept_floats_ = ((vertical_first_ ? op_.x.in : op_.x.out) + extra) * planes_;
  if (op_.border != Border::zero && op_.border != Border::constant) return;
  std::vector<float> line(std::size_t(FloatRows::padded(std::max(kept_floats_, (op_.x.in + extra) * planes_))), 0.0f);
  if (op_.border == Border::constant)
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = outside_[i % std::size_t(planes_)];
  outside_row_.resize(line.size() * sizeof(float));
  if (vertical_first_ || op_.border == Border::zero) {
    std::memcpy(outside_row_.data(), line.data(), outside_row_.size());
    return;
  }
  RowScratch scratch;
  const float* in = line.data();
  float* out = reinterpret_cast<float*>(outside_row_.data());
  horizontal(&in, &out, 1, scratch);
}

std::size_t RowSteps::kept_bytes() const {
  return keeps_stored_ ? op_.input.row_bytes() : std::size_t(FloatRows::padded(kept_floats_)) * sizeof(float);
}

/// Values `begin` to before `end` of a row, whole pixels.
void RowSteps::decode(const std::byte* stored, std::int64_t begin, std::int64_t end, float* row) const {
  const std::int64_t first = begin / planes_, last = std::min(end / planes_, op_.x.in);
  samples_.decode(stored + std::size_t(first) * op_.input.pixel_bytes(), last - first, row);
  if (last < end / planes_) std::copy_n(outside_.data(), planes_, row + (last - first) * planes_);
}

/// Lines of the vertical pass to scratch.decoded.
void RowSteps::decode_lines(const KeptRows& kept, std::int64_t first, std::int64_t count, std::int64_t begin, std::int64_t end, RowScratch& scratch) const {
  scratch.sources.clear();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t source = down_.lines()[first + i].source;
    if (source >= 0) decode(kept.row(source), begin, end, scratch.decoded.row(i));
    scratch.sources.push_back(source < 0 ? outside_row_.data() : reinterpret_cast<const std::byte*>(scratch.decoded.row(i)));
  }
}

std::int64_t RowSteps::rows_read_again() const {
  if (!rolls_down()) return 0;
  const std::int64_t middle = op_.y.out / 2;
  return down_.first_line(middle) - down_.start_line(middle);
}

/// Outputs y to y + count - 1 to scratch.passed. They follow those of the call before unless they are the first of a strip; then
/// sums begin as zeros, and outputs before y, which get a part of their taps, are dropped.
void RowSteps::roll_down(const KeptRows& kept, std::int64_t y, std::int64_t count, bool begins, RowScratch& scratch) const {
  const std::int64_t piece = decodes_late_ ? std::max<std::int64_t>(1, decoded_floats / (widest_tile * planes_)) * widest_tile * planes_ : kept_floats_;
  const std::int64_t column_floats = state_floats(down_.slots(), down_.levels());
  if (begins) scratch.rolling.assign(std::size_t(column_floats * ((kept_floats_ + widest_tile - 1) / widest_tile) * widest_tile), 0.0f);
  scratch.decoded.resize(visit_lines, decodes_late_ ? piece : 0);
  scratch.passed.resize(count, kept_floats_);
  const std::int64_t last = down_.end_line(y + count - 1);
  std::int64_t line = down_.first_line(y), output = 0;
  if (begins)
    for (const std::int64_t start = down_.start_line(y); line > start; --line) output -= down_.lines()[line - 1].completes;
  while (line < last) {
    const std::int64_t lines = std::min(visit_lines, last - line);
    std::int64_t completed = 0;
    for (std::int64_t column = 0; column < kept_floats_; column += piece) {
      const std::int64_t columns = std::min(piece, kept_floats_ - column);
      scratch.outputs.clear(), completed = 0;
      for (std::int64_t i = line; i < line + lines; ++i)
        if (down_.lines()[i].completes) scratch.outputs.push_back(scratch.passed.row(std::max<std::int64_t>(output + completed++, 0)) + column);
      if (decodes_late_) {
        decode_lines(kept, line, lines, column, column + columns, scratch);
      } else {
        scratch.sources.clear();
        for (std::int64_t i = line; i < line + lines; ++i) scratch.sources.push_back(kept_row(kept, down_.lines()[i].source));
      }
      roll_lines(passed_type_, exact_, {down_.lines() + line, down_.taps(line), lines, down_.slots(), down_.levels(), scratch.sources.data(), scratch.outputs.data(), completed},
                 columns, scratch.rolling.data() + column * column_floats);
    }
    line += lines, output += completed;
  }
}

/// Outputs y to y + count - 1 of an axis that does not roll; `y` is a multiple of the group.
void RowSteps::vertical(const KeptRows& kept, std::int64_t y, float* const* out, std::int64_t count, RowScratch& scratch) const {
  if (y_.mode == AxisMode::gather) {
    for (std::int64_t i = 0; i < count; ++i)
      to_floats(passed_type_, kept_row(kept, source_index(y_.locate(y + i).first, y_.in, op_.border)), kept_floats_, out[i]);
    return;
  }
  scratch.state.resize(std::size_t(state_floats(down_.slots(), down_.levels()) * widest_tile));
  for (std::int64_t i = 0; i < count; i += down_.slots()) {
    const std::int64_t line = down_.first_line(y + i), lines = down_.end_line(y + i) - line;
    scratch.sources.clear();
    for (std::int64_t k = line; k < line + lines; ++k) scratch.sources.push_back(kept_row(kept, down_.lines()[k].source));
    filter_group(passed_type_, {down_.lines() + line, down_.taps(line), lines, down_.slots(), down_.levels(), scratch.sources.data(), out + i, std::min<std::int64_t>(down_.slots(), count - i)},
                 kept_floats_, scratch.state.data());
  }
}

void RowSteps::gather(const float* in, float* out) const {
  for (std::int64_t o = 0; o < x_.out; ++o, out += planes_) {
    std::int64_t source = source_index(x_.locate(o).first, x_.in, op_.border);
    if (source < 0 && op_.border == Border::zero) {
      std::fill_n(out, planes_, 0.0f);
      continue;
    }
    std::copy_n(source < 0 ? outside_.data() : in + source * planes_, planes_, out);
  }
}

/// Outputs first .. last - 1 of `lanes` rows: the samples they need are laid out [position][plane][lane], filtered as rows are
/// in the vertical pass, and laid back.
void RowSteps::filter_chunk(const float* const* in, float* const* out, std::int64_t lanes, std::int64_t first, std::int64_t last,
                            RowScratch& scratch) const {
  const std::int64_t line = across_.first_line(first), lines = across_.end_line(last - 1) - line, n = planes_ * lanes;
  RowRange range{x_.in + 1, -1};
  for (std::int64_t i = line; i < line + lines; ++i)
    if (across_.lines()[i].source >= 0) range.include(across_.lines()[i].source);
  const std::int64_t positions = std::max<std::int64_t>(range.last - range.first + 1, 0);
  scratch.columns.resize(std::size_t(positions * n + 4 * lanes));
  rows_to_columns(in, lanes, range.first * planes_, scratch.columns.data(), positions * planes_);
  scratch.beyond.assign(std::size_t(n + 4 * lanes), 0.0f);
  if (op_.border == Border::constant && vertical_first_) {
    rows_to_columns(in, lanes, x_.in * planes_, scratch.beyond.data(), planes_);  // where rows hold what is beyond their sides
  } else if (op_.border == Border::constant) {
    for (std::int64_t i = 0; i < n; ++i) scratch.beyond[std::size_t(i)] = outside_[std::size_t(i / lanes)];
  }
  scratch.sources.resize(std::size_t(lines));
  for (std::int64_t i = 0; i < lines; ++i) {
    const std::int64_t source = across_.lines()[line + i].source;
    scratch.sources[std::size_t(i)] = reinterpret_cast<const std::byte*>(source < 0 ? scratch.beyond.data() : scratch.columns.data() + (source - range.first) * n);
  }
  scratch.sums.resize(std::size_t((last - first) * n + transposed_rows * lanes));
  float* const sums = scratch.sums.data();
  scratch.outputs.resize(std::size_t(last - first));
  for (std::int64_t o = 0; o < last - first; ++o) scratch.outputs[std::size_t(o)] = sums + o * n;
  const ProgramSlice slice{across_.lines() + line, across_.taps(line), lines, across_.slots(), across_.levels(), scratch.sources.data(), scratch.outputs.data(), last - first};
  if (across_.rolling()) {
    roll_lines(PixelType::f32, exact_, slice, n, scratch.state.data());
  } else {
    for (std::int64_t o = first; o < last; o += across_.slots()) {
      const std::int64_t begin = across_.first_line(o), end = across_.end_line(o);
      filter_group(PixelType::f32, {across_.lines() + begin, across_.taps(begin), end - begin, across_.slots(), across_.levels(), scratch.sources.data() + (begin - line),
                                    scratch.outputs.data() + (o - first), std::min<std::int64_t>(across_.slots(), last - o)}, n, scratch.state.data());
    }
  }
  columns_to_rows(sums, (last - first) * planes_, out, lanes, first * planes_);
}

void RowSteps::horizontal(const float* const* in, float* const* out, std::int64_t lanes, RowScratch& scratch) const {
  if (x_.mode == AxisMode::gather) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) gather(in[lane], out[lane]);
    return;
  }
  std::vector<const float*> from(in, in + lanes);
  std::vector<float*> to(out, out + lanes);
  const std::int64_t used = (lanes + 15) / 16 * 16;
  scratch.filtered.resize(1, x_.out * planes_);
  from.resize(std::size_t(used), in[0]), to.resize(std::size_t(used), scratch.filtered.row(0));
  scratch.state.assign(std::size_t(state_floats(across_.slots(), across_.levels()) * std::max(planes_ * used, widest_tile)), 0.0f);
  for (std::int64_t first = 0; first < x_.out;) {
    const std::int64_t step = across_.rolling() ? 1 : across_.slots(), begin = across_.first_line(first);
    std::int64_t last = std::min(first + step, x_.out);
    while (last < x_.out && across_.end_line(last) - begin <= chunk_lines) last = std::min(last + step, x_.out);
    filter_chunk(from.data(), to.data(), used, first, last, scratch);
    first = last;
  }
}

float RowSteps::matrix_sum(const KeptRows& kept, const TapRun& down, const TapRun& right, int plane) const {
  const float* taps = matrix_taps_.data() + op_.matrix->offset[std::size_t(down.phase * std::int64_t(op_.x.first.size()) + right.phase)];
  RunSums sums;
  float sum = 0.0f;
  std::int64_t index = 0;
  for (std::int64_t r = 0; r < down.count; ++r) {
    const std::int64_t y = source_index(down.first + r, y_.in, op_.border);
    for (std::int64_t c = 0; c < right.count; ++c) {
      const std::int64_t x = source_index(right.first + c, x_.in, op_.border);
      const bool beyond = x < 0 || y < 0;
      if (!beyond) sum = fma_exact(taps[index], reinterpret_cast<const float*>(kept.row(y))[x * planes_ + plane], sum);
      else if (op_.border == Border::constant) sum = fma_exact(taps[index], outside_[std::size_t(plane)], sum);
      if (++index % run_length == 0) sums.add(sum), sum = 0.0f;
    }
  }
  if (index % run_length != 0) sums.add(sum);
  return sums.total();
}

void RowSteps::matrix_row(const KeptRows& kept, std::int64_t y, float* out) const {
  const TapRun down = y_.locate(y);
  for (std::int64_t o = 0; o < x_.out; ++o)
    for (int p = 0; p < planes_; ++p) *out++ = matrix_sum(kept, down, x_.locate(o), p);
}

void RowSteps::keep(const std::byte* const* stored, std::byte* const* kept, std::int64_t lanes, RowScratch& scratch) const {
  const auto kept_floats = [&](std::int64_t lane) { return reinterpret_cast<float*>(kept[lane]); };
  if (vertical_first_) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) decode(stored[lane], 0, kept_floats_, kept_floats(lane));
    return;
  }
  scratch.decoded.resize(lanes, op_.x.in * planes_);
  std::vector<const float*> rows;
  std::vector<float*> to;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    decode(stored[lane], 0, op_.x.in * planes_, scratch.decoded.row(lane));
    rows.push_back(scratch.decoded.row(lane)), to.push_back(kept_floats(lane));
  }
  horizontal(rows.data(), to.data(), lanes, scratch);
}

void RowSteps::finish(const float* const* rows, std::byte* const* stored, std::int64_t lanes, RowScratch& scratch) const {
  if (!vertical_first_ || !filters_across_) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) encode(rows[lane], stored[lane], scratch);
    return;
  }
  scratch.decoded.resize(lanes, op_.x.out * planes_);
  std::vector<float*> to;
  for (std::int64_t lane = 0; lane < lanes; ++lane) to.push_back(scratch.decoded.row(lane));
  horizontal(rows, to.data(), lanes, scratch);
  for (std::int64_t lane = 0; lane < lanes; ++lane) encode(to[std::size_t(lane)], stored[lane], scratch);
}

/// Without rolling: `y` is a multiple of row_group.
void RowSteps::make_lanes(const KeptRows& kept, std::int64_t y, std::byte* const* stored, std::int64_t lanes, RowScratch& scratch) const {
  scratch.passed.resize(lanes, std::max(kept_floats_, op_.x.out * planes_));
  float* passed[most_lanes];
  for (std::int64_t lane = 0; lane < lanes; ++lane) passed[lane] = scratch.passed.row(lane);
  if (op_.matrix) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) matrix_row(kept, y + lane, passed[lane]);
    for (std::int64_t lane = 0; lane < lanes; ++lane) encode(passed[lane], stored[lane], scratch);
    return;
  }
  const std::int64_t together = vertical_first_ && filters_across_ ? lanes : row_group;  // else rows stay in the cache
  for (std::int64_t i = 0; i < lanes; i += together) {
    const std::int64_t count = std::min(together, lanes - i);
    vertical(kept, y + i, passed + i, count, scratch);
    finish(passed + i, stored + i, count, scratch);
  }
}

void RowSteps::make(const KeptRows& kept, std::int64_t y, std::int64_t count, std::byte* stored, RowScratch& scratch) const {
  for (std::int64_t i = 0; i < count; i += lanes()) {
    const std::int64_t rows = std::min(lanes(), count - i);
    std::byte* to[most_lanes];
    for (std::int64_t row = 0; row < rows; ++row) to[row] = stored + std::size_t(i + row) * op_.output.row_bytes();
    if (!rolls_down()) {
      make_lanes(kept, y + i, to, rows, scratch);
      continue;
    }
    roll_down(kept, y + i, rows, i == 0, scratch);
    const float* made[most_lanes];
    for (std::int64_t row = 0; row < rows; ++row) made[row] = scratch.passed.row(row);
    finish(made, to, rows, scratch);
  }
}

}  // namespace upfirdn
