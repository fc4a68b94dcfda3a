#include "resample/cpu_rows.hpp"

#include <algorithm>
#include <cstring>

#include "resample/cpu_passes.hpp"

namespace upfirdn {
namespace {

constexpr std::int64_t block_floats = std::int64_t(1) << 15;  // of transposed input a tile: half of an L2 cache at most

bool is_identity(const AxisView& axis) {
  return axis.mode == AxisMode::gather && axis.in == axis.out && axis.period == 1 && axis.step == 1 && axis.first[0] == 0;
}

}  // namespace

RowSteps::RowSteps(const Operation& operation)
    : op_(operation),
      x_(op_.x.view()),
      y_(op_.y.view()),
      math_(op_.samples.view()),
      planes_(math_.planes),
      vertical_first_(op_.vertical_first || op_.matrix.has_value()) {
  const bool same = !math_.nodata && !math_.premultiply && !math_.linear;
  plain_decode_ = same;
  plain_encode_ = same && math_.gain == 1.0f && !math_.epilogue && math_.depth_multiplier == 1.0f && math_.depth_divisor == 1.0f;
  const std::int64_t extra = vertical_first_ && op_.border == Border::constant ? 1 : 0;
  kept_floats_ = ((vertical_first_ ? op_.x.in : op_.x.out) + extra) * planes_;
  if (op_.border == Border::zero) outside_row_.assign(std::size_t(kept_floats_), 0.0f);
  if (op_.border != Border::constant) return;
  std::vector<float> line(std::size_t((op_.x.in + extra) * planes_));
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = op_.outside[i % std::size_t(planes_)];
  if (vertical_first_) {
    outside_row_ = std::move(line);
    return;
  }
  outside_row_.resize(std::size_t(kept_floats_));
  RowScratch scratch;
  const float* in = line.data();
  float* out = outside_row_.data();
  horizontal(&in, &out, 1, scratch);
}

void RowSteps::decode(const std::byte* stored, float* row) const {
  const std::int64_t samples = op_.x.in * math_.channels;
  if (plain_decode_) {
    to_floats(op_.input.type, stored, samples, row);
  } else {
    visit_pixel_type(op_.input.type, [&](auto type) {
      const auto* pixel = reinterpret_cast<const decltype(type)*>(stored);
      for (std::int64_t x = 0; x < op_.x.in; ++x, pixel += math_.channels)
        for (int p = 0; p < planes_; ++p) *row++ = math_.decode(pixel, p);
      row -= op_.x.in * planes_;
    });
  }
  if (vertical_first_ && op_.border == Border::constant)
    std::copy_n(op_.outside.data(), planes_, row + op_.x.in * planes_);
}

void RowSteps::encode(const float* row, std::byte* stored, RowScratch& scratch) const {
  if (plain_encode_) {
    scratch.nan_samples +=
        from_floats(row, op_.x.out * math_.channels, math_.out_min, math_.out_max, op_.output.type, stored);
    return;
  }
  visit_pixel_type(op_.output.type, [&](auto type) {
    auto* sample = reinterpret_cast<decltype(type)*>(stored);
    for (std::int64_t x = 0; x < op_.x.out; ++x, row += planes_)
      for (int c = 0; c < math_.channels; ++c) {
        bool nan = false;
        *sample++ = math_.encode<decltype(type)>(row[c], row[math_.companion_plane(c)], c, nan);
        scratch.nan_samples += nan;
      }
  });
}

void RowSteps::vertical(const RowRing& ring, std::int64_t y, float* out, RowScratch& scratch) const {
  const TapRun run = y_.locate(y);
  const auto row_at = [&](std::int64_t position) {
    const std::int64_t source = source_index(position, y_.in, op_.border);
    return source < 0 ? outside_row_.data() : ring.row(source);
  };
  if (y_.mode == AxisMode::gather) {
    std::copy_n(row_at(run.first), kept_floats_, out);
    return;
  }
  const TapSpan span = existing_taps(run, y_.in, op_.border);
  scratch.sources.resize(std::size_t(run.count));
  for (std::int64_t k = span.begin; k < span.end; ++k) scratch.sources[std::size_t(k)] = row_at(run.first + k);
  sum_rows(scratch.sources.data(), {run.taps, run.count, span}, kept_floats_, out);
}

void RowSteps::gather(const float* in, float* out) const {
  for (std::int64_t o = 0; o < x_.out; ++o, out += planes_) {
    std::int64_t source = source_index(x_.locate(o).first, x_.in, op_.border);
    if (source < 0 && op_.border == Border::zero) {
      std::fill_n(out, planes_, 0.0f);
      continue;
    }
    std::copy_n(source < 0 ? op_.outside.data() : in + source * planes_, planes_, out);
  }
}

/// Outputs first .. last - 1 of `lanes` rows: the samples they need are laid out [position][plane][lane], border included.
void RowSteps::filter_tile(const float* const* in, float* const* out, std::int64_t lanes, std::int64_t first, std::int64_t last,
                           RowScratch& scratch) const {
  const std::int64_t n = planes_ * lanes;
  std::int64_t low = x_.locate(first).first, high = low;
  for (std::int64_t o = first; o < last; ++o) {
    const TapRun run = x_.locate(o);
    const TapSpan span = existing_taps(run, x_.in, op_.border);
    low = std::min(low, run.first + span.begin), high = std::max(high, run.first + span.end);
  }
  scratch.block.resize(std::size_t((high - low) * n));
  scratch.sums.resize(std::size_t((last - first) * n));
  for (std::int64_t position = low; position < high; ++position) {
    std::int64_t source = source_index(position, x_.in, op_.border);
    if (source < 0 && op_.border == Border::zero) continue;
    float* to = scratch.block.data() + (position - low) * n;
    const bool beyond = source < 0;
    if (beyond) source = vertical_first_ ? x_.in : 0;  // the extra pixel
    for (std::int64_t p = 0; p < planes_; ++p)
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        *to++ = beyond && !vertical_first_ ? op_.outside[std::size_t(p)] : in[lane][source * planes_ + p];
  }
  for (std::int64_t o = first; o < last; ++o) {
    const TapRun run = x_.locate(o);
    const TapSpan span = existing_taps(run, x_.in, op_.border);
    sum_columns(scratch.block.data() + (run.first + span.begin - low) * n, {run.taps, run.count, span}, n,
                scratch.sums.data() + (o - first) * n);
  }
  const float* sums = scratch.sums.data();
  for (std::int64_t o = first; o < last; ++o)
    for (std::int64_t p = 0; p < planes_; ++p)
      for (std::int64_t lane = 0; lane < lanes; ++lane) out[lane][o * planes_ + p] = *sums++;
}

void RowSteps::horizontal(const float* const* in, float* const* out, std::int64_t lanes, RowScratch& scratch) const {
  if (x_.mode == AxisMode::gather) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) gather(in[lane], out[lane]);
    return;
  }
  const std::int64_t longest = block_floats / (planes_ * lanes);  // positions a tile
  for (std::int64_t first = 0; first < x_.out;) {
    const std::int64_t begin = x_.locate(first).first;
    std::int64_t last = first + 1;
    while (last < x_.out && last - first < longest) {
      const TapRun run = x_.locate(last);
      if (run.first + run.count - begin > longest || run.first < begin) break;
      ++last;
    }
    filter_tile(in, out, lanes, first, last, scratch);
    first = last;
  }
}

float RowSteps::matrix_sum(const RowRing& ring, const TapRun& down, const TapRun& right, int plane) const {
  const float* taps = op_.matrix->taps.data() + op_.matrix->offset[std::size_t(down.phase * std::int64_t(op_.x.first.size()) + right.phase)];
  RunSums sums;
  float sum = 0.0f;
  std::int64_t index = 0;
  for (std::int64_t r = 0; r < down.count; ++r) {
    const std::int64_t y = source_index(down.first + r, y_.in, op_.border);
    for (std::int64_t c = 0; c < right.count; ++c) {
      const std::int64_t x = source_index(right.first + c, x_.in, op_.border);
      const bool beyond = x < 0 || y < 0;
      if (!beyond) sum = fma_exact(taps[index], ring.row(y)[x * planes_ + plane], sum);
      else if (op_.border == Border::constant) sum = fma_exact(taps[index], op_.outside[std::size_t(plane)], sum);
      if (++index % run_length == 0) sums.add(sum), sum = 0.0f;
    }
  }
  if (index % run_length != 0) sums.add(sum);
  return sums.total();
}

void RowSteps::matrix_row(const RowRing& ring, std::int64_t y, float* out) const {
  const TapRun down = y_.locate(y);
  for (std::int64_t o = 0; o < x_.out; ++o)
    for (int p = 0; p < planes_; ++p) *out++ = matrix_sum(ring, down, x_.locate(o), p);
}

void RowSteps::keep(const std::byte* const* stored, float* const* kept, std::int64_t lanes, RowScratch& scratch) const {
  if (vertical_first_) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) decode(stored[lane], kept[lane]);
    return;
  }
  const std::int64_t row_floats = op_.x.in * planes_;
  scratch.rows.resize(std::size_t(lanes * row_floats));
  std::vector<const float*> rows;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    float* row = scratch.rows.data() + lane * row_floats;
    decode(stored[lane], row);
    rows.push_back(row);
  }
  horizontal(rows.data(), kept, lanes, scratch);
}

void RowSteps::make(const RowRing& ring, std::int64_t y, std::byte* const* stored, std::int64_t lanes, RowScratch& scratch) const {
  const std::int64_t out_floats = output_floats();
  scratch.rows.resize(std::size_t(lanes * (kept_floats_ + out_floats)));
  std::vector<const float*> passed;
  std::vector<float*> filtered;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    filtered.push_back(scratch.rows.data() + lanes * kept_floats_ + lane * out_floats);
    if (op_.matrix) {
      matrix_row(ring, y + lane, filtered.back());
      continue;
    }
    float* row = scratch.rows.data() + lane * kept_floats_;
    vertical(ring, y + lane, row, scratch);
    passed.push_back(row);
  }
  const bool second_pass = !op_.matrix && vertical_first_ && !is_identity(x_);
  if (second_pass) horizontal(passed.data(), filtered.data(), lanes, scratch);
  for (std::int64_t lane = 0; lane < lanes; ++lane)
    encode(second_pass || op_.matrix ? filtered[std::size_t(lane)] : passed[std::size_t(lane)], stored[lane], scratch);
}

}  // namespace upfirdn
