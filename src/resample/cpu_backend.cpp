#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "resample/backend.hpp"
#include "resample/cpu_double_rows.hpp"
#include "resample/cpu_rows.hpp"
#include "resample/memory_pool.hpp"
#include "resample/row_window.hpp"

namespace upfirdn {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Source rows in order; those that nothing needs are read and dropped. Of a source in memory nothing is read.
class RowFeed {
 public:
  RowFeed(RowSource& source, const ImageInfo& info) : source_(source), info_(info) {}
  [[nodiscard]] std::int64_t next() const { return next_; }
  /// The next row, or null if the source is not in memory.
  [[nodiscard]] const std::byte* in_memory() const {
    return source_.in_memory() == nullptr ? nullptr : source_.in_memory() + std::size_t(next_) * info_.row_bytes();
  }
  void take(std::int64_t count, std::byte* rows) {
    if (in_memory() != nullptr) std::memcpy(rows, in_memory(), std::size_t(count) * info_.row_bytes());
    else if (count > 0) source_.read_rows(rows, count, info_.row_bytes());
    next_ += count;
  }
  /// The rows up to `row` are read somehow or not needed.
  void pass_to(std::int64_t row) {
    if (in_memory() != nullptr) next_ = std::max(next_, row);
    constexpr std::int64_t at_once = 64;
    std::vector<std::byte> dropped;
    while (next_ < row) {
      const std::int64_t rows = std::min(row - next_, at_once);
      dropped.resize(std::size_t(rows) * info_.row_bytes());
      take(rows, dropped.data());
    }
  }

 private:
  RowSource& source_;
  ImageInfo info_;
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
    feed.pass_to(std::min(window.first_needed(o), op.input.height));
    while (feed.next() <= window.last_needed(o)) {
      feed.take(1, ring.data() + std::size_t(feed.next() % capacity) * row_bytes);
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
  feed.pass_to(op.input.height);
}

/// Consecutive source rows: as they were read, or as the steps keep them. Strips that need them share a block.
struct RowBlock {
  std::int64_t first, count;
  std::shared_ptr<std::byte> memory;  ///< null: the source has them in memory
  const std::byte* rows;
  std::size_t stride_bytes;
};

/// Consecutive outputs on their way through the pipeline.
struct Strip {
  std::int64_t first, count;
  std::shared_ptr<RowBlock> fresh;              ///< the rows that no strip before needed
  std::vector<std::shared_ptr<RowBlock>> held;  ///< all blocks that it needs
  std::shared_ptr<std::byte> made;              ///< its rows as stored; null: they are made in the sink's memory
};
using StripPointer = std::shared_ptr<Strip>;

/// One operation on one image, in strips of outputs. read(), hold() and write() take strips in order, one at a time; keep() and
/// make() take any number at once, so that decoding, resampling and encoding overlap. Nothing is shared but the plan.
/// `Steps`: RowSteps, or DoubleRowSteps for samples that are filtered in float64.
template <class Steps>
class StripPipeline {
 public:
  StripPipeline(const Operation& op, RowSource& source, RowSink& sink, std::int64_t threads)
      : op_(op), source_(source), sink_(sink), steps_(op), strip_(strip_outputs(threads)), window_(op.y.view(), op.border, strip_), feed_(source, op.input) {}

  [[nodiscard]] std::int64_t strips() const { return window_.strips(); }

  StripPointer read(std::int64_t s) {
    auto strip = std::make_shared<Strip>(Strip{s * strip_, std::min(strip_, op_.y.out - s * strip_), nullptr, {}, nullptr});
    feed_.pass_to(std::min(window_.first_needed(s), op_.input.height));
    const std::int64_t first = feed_.next(), count = std::max<std::int64_t>(window_.last_needed(s) + 1 - first, 0);
    strip->fresh = std::make_shared<RowBlock>(RowBlock{first, count, nullptr, feed_.in_memory(), op_.input.row_bytes()});
    if (feed_.in_memory() == nullptr) {
      allocate(*strip->fresh, op_.input.row_bytes());
      feed_.take(count, strip->fresh->memory.get());
    }
    feed_.pass_to(first + count);
    return strip;
  }
  StripPointer keep(StripPointer strip) {
    if (steps_.keeps_stored()) return strip;
    RowBlock& block = *strip->fresh;
    const RowBlock stored = std::move(block);
    block = {stored.first, stored.count, nullptr, nullptr, 0};
    allocate(block, steps_.kept_bytes());
    for (std::int64_t i = 0; i < block.count; i += steps_.lanes()) {
      const std::int64_t lanes = std::min(steps_.lanes(), block.count - i);
      const std::byte* from[Steps::most_lanes];
      std::byte* to[Steps::most_lanes];
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        from[lane] = stored.rows + std::size_t(i + lane) * stored.stride_bytes;
        to[lane] = block.memory.get() + std::size_t(i + lane) * block.stride_bytes;
      }
      steps_.keep(from, to, lanes, scratch_.local());
    }
    return strip;
  }
  StripPointer hold(StripPointer strip) {
    const std::int64_t first_needed = window_.first_needed(strip->first / strip_);
    std::erase_if(held_, [&](const auto& block) { return block->first + block->count <= first_needed; });
    if (strip->fresh->count > 0) held_.push_back(std::move(strip->fresh));
    strip->held = held_;
    return strip;
  }
  StripPointer make(StripPointer strip) {
    KeptRows kept;
    if (!strip->held.empty()) kept.first = strip->held.front()->first;
    for (const auto& block : strip->held) {
      kept.rows.resize(std::size_t(block->first - kept.first), nullptr);
      for (std::int64_t i = 0; i < block->count; ++i) kept.rows.push_back(block->rows + std::size_t(i) * block->stride_bytes);
    }
    std::byte* to = sink_.in_memory();
    const std::size_t row_bytes = op_.output.row_bytes();
    if (to == nullptr) strip->made = pool_.take(std::size_t(strip->count) * row_bytes);
    to = to == nullptr ? strip->made.get() : to + std::size_t(strip->first) * row_bytes;
    steps_.make(kept, strip->first, strip->count, to, scratch_.local());
    strip->held.clear();
    return strip;
  }
  void write(const StripPointer& strip) {
    if (strip->made) sink_.write_rows(strip->made.get(), strip->count, op_.output.row_bytes());
  }
  RunResult finish() {
    feed_.pass_to(op_.input.height);
    RunResult result;
    for (const auto& one : scratch_) result.nan_samples += one.nan_samples;
    return result;
  }

 private:
  void allocate(RowBlock& block, std::size_t row_bytes) {
    block.memory = pool_.take(std::size_t(block.count) * row_bytes);
    block.rows = block.memory.get();
    block.stride_bytes = row_bytes;
  }
  /// Several strips a thread. Source rows of a strip that rolls are read once: 2 MB of them, or four times those that it reads again
  /// while that is 16 MB at most. Rows that groups of outputs read again and again stay in the cache.
  [[nodiscard]] std::int64_t strip_outputs(std::int64_t threads) const {
    const bool in_place = source_.in_memory() != nullptr && sink_.in_memory() != nullptr && steps_.keeps_stored();
    const double shared = double(ceil_div(op_.y.out, !in_place ? 8 * threads : threads == 1 ? 1 : 4 * threads));
    const double rows_per_output = double(op_.y.step) / double(op_.y.period);
    const double kept = double(steps_.kept_bytes()) * rows_per_output, made = double(op_.output.row_bytes());
    const double again = double(steps_.rows_read_again()) / rows_per_output;
    const double small = again > 0 ? std::max(0x1p21 / std::max(kept, made), std::min(4 * again, std::max(again, 0x1p24 / kept))) : 0x1p19 / std::max(kept, 1.0);
    const auto outputs = std::int64_t(std::max(1.0, in_place && again > 0 ? shared : std::min(shared, small)));
    const std::int64_t step = outputs < steps_.lanes() ? Steps::row_group : steps_.lanes();
    return ceil_div(outputs, step) * step;
  }

  const Operation& op_;
  RowSource& source_;
  RowSink& sink_;
  Steps steps_;
  std::int64_t strip_;
  RowWindow window_;
  RowFeed feed_;
  MemoryPool pool_;
  std::vector<std::shared_ptr<RowBlock>> held_;
  tbb::enumerable_thread_specific<typename Steps::Scratch> scratch_;
};

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads) : arena_(threads > 0 ? threads : tbb::task_arena::automatic) {
    // Without this TBB makes no more threads than there are cores, and says so on standard error.
    if (threads > 0) limit_.emplace(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
  }
  [[nodiscard]] std::string name() const override { return "cpu"; }
  RunResult run(const Operation& op, RowSource& source, RowSink& sink) override {
    if (op.raw_copy) {
      copy_pixels(op, source, sink);
      return {};
    }
    return op.arithmetic() == Arithmetic::float64 ? run_strips<DoubleRowSteps>(op, source, sink) : run_strips<RowSteps>(op, source, sink);
  }

 private:
  template <class Steps>
  RunResult run_strips(const Operation& op, RowSource& source, RowSink& sink) {
    StripPipeline<Steps> strips(op, source, sink, arena_.max_concurrency());
    arena_.execute([&] {  // which all that run something here share
      if (arena_.max_concurrency() > 1 && strips.strips() > 1) return tbb::this_task_arena::isolate([&] { run_in_parallel(strips); });
      for (std::int64_t s = 0; s < strips.strips(); ++s) strips.write(strips.make(strips.hold(strips.keep(strips.read(s)))));
    });
    return strips.finish();
  }

  template <class Steps>
  void run_in_parallel(StripPipeline<Steps>& strips) {
    using tbb::filter_mode, tbb::make_filter;
    std::int64_t next = 0;
    tbb::parallel_pipeline(
        std::size_t(arena_.max_concurrency()) + 1,
        make_filter<void, StripPointer>(filter_mode::serial_in_order, [&](tbb::flow_control& control) -> StripPointer {
          if (next < strips.strips()) return strips.read(next++);
          control.stop();
          return nullptr;
        }) &
            make_filter<StripPointer, StripPointer>(filter_mode::parallel, [&](StripPointer s) { return strips.keep(std::move(s)); }) &
            make_filter<StripPointer, StripPointer>(filter_mode::serial_in_order, [&](StripPointer s) { return strips.hold(std::move(s)); }) &
            make_filter<StripPointer, StripPointer>(filter_mode::parallel, [&](StripPointer s) { return strips.make(std::move(s)); }) &
            make_filter<StripPointer, void>(filter_mode::serial_in_order, [&](const StripPointer& s) { strips.write(s); }));
  }

  std::optional<tbb::global_control> limit_;
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads) { return std::make_unique<CpuBackend>(threads); }

}  // namespace upfirdn
