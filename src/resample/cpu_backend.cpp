#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "resample/backend.hpp"
#include "resample/cpu_rows.hpp"
#include "resample/row_window.hpp"

namespace upfirdn {
namespace {

constexpr std::int64_t most_lanes = 32;  // that RowSteps takes together

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Rows as stored, one after the other.
class StoredRows {
 public:
  explicit StoredRows(std::size_t row_bytes) : row_bytes_(row_bytes) {}
  void resize(std::int64_t rows) { bytes_.resize(std::size_t(rows) * row_bytes_); }
  [[nodiscard]] std::byte* row(std::int64_t i) { return bytes_.data() + std::size_t(i) * row_bytes_; }
  [[nodiscard]] std::size_t row_bytes() const { return row_bytes_; }

 private:
  std::size_t row_bytes_;
  std::vector<std::byte> bytes_;
};

/// Reads source rows in order; those that nothing needs are read and dropped.
class RowFeed {
 public:
  RowFeed(RowSource& source, const ImageInfo& info) : source_(source), info_(info), rows_(info.row_bytes()) {}
  [[nodiscard]] std::int64_t next() const { return next_; }
  void skip_to(std::int64_t row) {
    constexpr std::int64_t at_once = 64;
    while (next_ < row) (void)take(std::min(row - next_, at_once));
  }
  /// The next `count` rows, valid until the next call.
  StoredRows& take(std::int64_t count) {
    rows_.resize(count);
    source_.read_rows(rows_.row(0), count, rows_.row_bytes());
    next_ += count;
    return rows_;
  }
  /// The next `count` rows to where they are kept.
  void take_into(KeptRows& kept, std::int64_t count) {
    while (count > 0) {
      const std::int64_t rows = std::min(count, kept.in_a_piece(next_));
      source_.read_rows(kept.place(next_), rows, kept.stride_bytes());
      next_ += rows, count -= rows;
    }
  }
  void finish() { skip_to(info_.height); }

 private:
  RowSource& source_;
  ImageInfo info_;
  StoredRows rows_;
  std::int64_t next_ = 0;
};

/// Samples that keep their bits: pixels are taken by index.
void copy_pixels(const Operation& op, RowSource& source, RowSink& sink) {
  const AxisView x = op.x.view(), y = op.y.view();
  const RowWindow window(y, op.border, 1);
  const std::size_t pixel = op.input.pixel_bytes(), row_bytes = op.input.row_bytes();
  const std::int64_t capacity = std::max<std::int64_t>(window.capacity(), 1);
  std::vector<std::byte> ring(std::size_t(capacity) * row_bytes), out(op.output.row_bytes());
  RowFeed feed(source, op.input);
  for (std::int64_t o = 0; o < y.out; ++o) {
    feed.skip_to(std::min(window.first_needed(o), op.input.height));
    while (feed.next() <= window.last_needed(o)) {
      std::byte* slot = ring.data() + std::size_t(feed.next() % capacity) * row_bytes;
      std::memcpy(slot, feed.take(1).row(0), row_bytes);
    }
    const std::int64_t row = source_index(y.locate(o).first, y.in, op.border);
    const std::byte* in = row < 0 ? nullptr : ring.data() + std::size_t(row % capacity) * row_bytes;
    for (std::int64_t i = 0; i < x.out; ++i) {
      const std::int64_t column = source_index(x.locate(i).first, x.in, op.border);
      const std::byte* from = in == nullptr || column < 0 ? op.outside_raw.data() : in + std::size_t(column) * pixel;
      std::memcpy(out.data() + std::size_t(i) * pixel, from, pixel);
    }
    sink.write_rows(out.data(), 1, out.size());
  }
  feed.finish();
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads) : arena_(threads > 0 ? threads : tbb::task_arena::automatic) {
    // Without this TBB makes no more threads than there are cores, and says so on standard error.
    if (threads > 0) limit_.emplace(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
  }
  [[nodiscard]] std::string name() const override { return "cpu"; }
  RunResult run(const Operation& op, RowSource& source, RowSink& sink) override {
    RunResult result;
    if (op.raw_copy) {
      copy_pixels(op, source, sink);
      return result;
    }
    const RowSteps steps(op);
    const std::int64_t threads = arena_.max_concurrency();
    // Outputs are made in strips: enough rows for all threads, but not many more source rows than a strip needs anyway.
    const std::int64_t rows_per_output = std::max<std::int64_t>(1, op.y.step / std::max<std::int64_t>(1, op.y.period));
    const std::int64_t fitting = std::clamp<std::int64_t>(512 / rows_per_output, 1, 2 * threads * steps.lanes());
    const std::int64_t strip = ceil_div(fitting, RowSteps::row_group) * RowSteps::row_group;
    const std::int64_t lanes = std::min(ceil_div(ceil_div(std::min(strip, op.y.out), threads), RowSteps::row_group) * RowSteps::row_group, steps.lanes());
    const RowWindow window(op.y.view(), op.border, strip);
    const bool all_there = steps.keeps_stored() && source.in_memory() != nullptr;
    KeptRows kept = all_there ? KeptRows(source.in_memory(), op.input.height, op.input.row_bytes())
                              : KeptRows(std::max<std::int64_t>(window.capacity(), 1), steps.kept_bytes());
    RowFeed feed(source, op.input);
    StoredRows out(op.output.row_bytes());
    std::byte* const place = sink.in_memory();
    Scratch scratch;
    FloatRows made;
    std::vector<float> state;
    if (steps.rolls_down()) {
      made.resize(strip, steps.kept_floats());
      state.resize(std::size_t(steps.column_state_floats() * ceil_div(steps.kept_floats(), widest_tile) * widest_tile));
    }
    const std::int64_t share = ceil_div(ceil_div(steps.kept_floats(), threads), steps.column_step()) * steps.column_step();  // columns of a thread
    for (std::int64_t s = 0; s < window.strips(); ++s) {
      if (!all_there) {
        feed.skip_to(std::min(window.first_needed(s), op.input.height));
        fill(steps, kept, feed, window.last_needed(s), scratch);
      }
      const std::int64_t first = s * strip, rows = std::min(strip, op.y.out - first);
      if (place == nullptr) out.resize(rows);
      std::byte* const to_rows = place != nullptr ? place + std::size_t(first) * out.row_bytes() : out.row(0);
      if (steps.rolls_down())
        parallel(steps.kept_floats(), share, [&](std::int64_t begin, std::int64_t count) {
          steps.roll_down(kept, first, rows, begin, begin + count, state.data() + begin * steps.column_state_floats(), made, scratch.local());
        });
      parallel(rows, lanes, [&](std::int64_t begin, std::int64_t count) {
        std::byte* to[most_lanes];
        const float* from[most_lanes];
        for (std::int64_t i = 0; i < count; ++i) to[i] = to_rows + std::size_t(begin + i) * out.row_bytes();
        if (!steps.rolls_down()) return steps.make(kept, first + begin, to, count, scratch.local());
        for (std::int64_t i = 0; i < count; ++i) from[i] = made.row(begin + i);
        steps.finish(from, to, count, scratch.local());
      });
      if (place == nullptr) sink.write_rows(out.row(0), rows, out.row_bytes());
    }
    if (!all_there) feed.finish();
    for (const RowScratch& one : scratch) result.nan_samples += one.nan_samples;
    return result;
  }

 private:
  using Scratch = tbb::enumerable_thread_specific<RowScratch>;

  /// Calls work(first, count) for groups of `lanes` of `rows` rows.
  template <class Work>
  void parallel(std::int64_t rows, std::int64_t lanes, const Work& work) {
    const std::int64_t groups = ceil_div(rows, lanes);
    const auto one = [&](std::int64_t g) { work(g * lanes, std::min(lanes, rows - g * lanes)); };
    if (groups == 1 || arena_.max_concurrency() == 1) {
      for (std::int64_t g = 0; g < groups; ++g) one(g);
      return;
    }
    arena_.execute([&] { tbb::parallel_for(std::int64_t(0), groups, one); });
  }

  /// Reads and keeps rows up to `last`.
  void fill(const RowSteps& steps, KeptRows& kept, RowFeed& feed, std::int64_t last, Scratch& scratch) {
    constexpr std::int64_t at_once = 256;  // rows; bounds the memory for stored ones
    while (feed.next() <= last) {
      const std::int64_t first = feed.next(), rows = std::min(last + 1 - first, at_once);
      if (steps.keeps_stored()) {
        feed.take_into(kept, rows);
        continue;
      }
      StoredRows& stored = feed.take(rows);
      parallel(rows, steps.lanes(), [&](std::int64_t begin, std::int64_t count) {
        const std::byte* from[most_lanes];
        std::byte* to[most_lanes];
        for (std::int64_t i = 0; i < count; ++i) from[i] = stored.row(begin + i), to[i] = kept.place(first + begin + i);
        steps.keep(from, to, count, scratch.local());
      });
    }
  }

  std::optional<tbb::global_control> limit_;
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads) { return std::make_unique<CpuBackend>(threads); }

}  // namespace upfirdn
