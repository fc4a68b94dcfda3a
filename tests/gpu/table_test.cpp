// The tables of the kernels for any factors, checked against the plan: every tap of every output appears once, in order.
#include "kernels/row_program.hpp"
#include "kernels/window_table.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "filters/kernel.hpp"
#include "resample/bank.hpp"

namespace upfirdn::cuda {
namespace {

Axis axis_of(const char* filter, std::int64_t in, std::int64_t out) {
  const Fraction pitch = make_fraction(in, out);
  return kernel_axis(parse_filter(filter), {.in = in, .out = out, .up = pitch.den, .down = pitch.num}, ExitCode::usage);
}

/// Walks the program over all rows and collects the taps that each output gets.
void check_program(const Axis& axis) {
  const std::optional<RowProgram> program = make_row_program(axis);
  REQUIRE(program);
  const AxisView view = axis.view();
  std::map<std::int64_t, std::vector<float>> taps;
  std::map<std::int64_t, std::int64_t> first, completed;
  const TapRun last = view.locate(axis.out - 1);
  for (std::int64_t row = view.locate(0).first; row < last.first + last.count; ++row) {
    const std::int64_t cycle = (row - program->base) / program->entries, entry = (row - program->base) % program->entries;
    const RowCode code{program->program[std::size_t(2 * entry)]};
    const std::int64_t oldest = program->program[std::size_t(2 * entry + 1)] + cycle * axis.period;
    for (int i = 0; i < code.outputs(); ++i) {
      taps[oldest + i].push_back(program->taps[std::size_t(entry * most_row_outputs + i)]);
      first.try_emplace(oldest + i, row);
    }
    if (code.completes()) completed[oldest] = row;
  }
  for (std::int64_t o = 0; o < axis.out; ++o) {
    const TapRun run = view.locate(o);
    REQUIRE(completed[o] == run.first + run.count - 1);
    REQUIRE(std::int64_t(taps[o].size()) == run.count);
    if (o > 0) REQUIRE(first[o] == run.first);
    for (std::int64_t k = 0; k < run.count; ++k) REQUIRE(taps[o][std::size_t(k)] == run.taps[k]);
  }
}

TEST_CASE("a row program holds every tap of every output once, in order") {
  for (const char* filter : {"lanczos3", "gaussian", "mitchell", "box", "triangle", "lanczos:2.5"})
    for (const auto& [in, out] : {std::pair<std::int64_t, std::int64_t>{300, 100}, {2500, 853}, {97, 31}, {64, 63}, {33, 2}}) {
      INFO(filter << " " << in << " -> " << out);
      check_program(axis_of(filter, in, out));
    }
}

TEST_CASE("axes that a row program cannot hold are refused") {
  CHECK_FALSE(make_row_program(nearest_axis({.in = 10, .out = 5, .up = 1, .down = 2})));
  CHECK_FALSE(make_row_program(axis_of("kaiser:atten=80,width=0.2", 300, 100)));  // too many outputs at once
}

TEST_CASE("an output program holds the taps of every output, the last one last") {
  for (const char* filter : {"lanczos3", "gaussian", "mitchell"})
    for (const auto& [in, out] : {std::pair<std::int64_t, std::int64_t>{100, 150}, {853, 2500}, {30, 97}}) {
      const Axis axis = axis_of(filter, in, out);
      const auto program = make_output_program(axis);
      INFO(filter << " " << in << " -> " << out);
      REQUIRE(program);
      for (std::int64_t o = 0; o < out; ++o) {
        const TapRun run = axis.view().locate(o);
        const std::int64_t entry = o % program->entries, cycle = o / program->entries;
        CHECK(program->program[std::size_t(2 * entry)] + cycle * axis.step == run.first + run.count - 1);
        REQUIRE(program->program[std::size_t(2 * entry) + 1] == run.count);
        for (int i = 0; i < most_row_outputs; ++i) {
          const std::int64_t k = i - (most_row_outputs - run.count);
          CHECK(program->taps[std::size_t(entry * most_row_outputs + i)] == (k < 0 ? 0.0f : run.taps[k]));
        }
      }
    }
}

TEST_CASE("a row program says where runs of taps end") {
  const Axis axis = axis_of("lanczos3", 4000, 100);
  const auto program = make_row_program(axis);
  REQUIRE(program);
  const AxisView view = axis.view();
  for (std::int64_t row = program->base; row < program->base + program->entries; ++row) {
    const auto entry = std::size_t(row - program->base);
    const RowCode code{program->program[2 * entry]};
    for (int i = 0; i < code.outputs(); ++i) {
      const TapRun run = view.locate(program->program[2 * entry + 1] + i + 10 * axis.period);
      const std::int64_t taps = row + 10 * axis.step - run.first + 1;  // up to this row
      CHECK(code.run_ends(i) == (taps % run_length == 0 || taps == run.count));
    }
    if (code.completes()) CHECK(code.several_runs() == (view.locate(10 * axis.period).count > run_length));
  }
}

TEST_CASE("a window table holds the taps of every output that have a place") {
  for (const char* filter : {"lanczos3", "gaussian", "box"})
    for (const auto& [in, out] : {std::pair<std::int64_t, std::int64_t>{2500, 853}, {300, 100}, {4000, 100}, {64, 63}})
      for (const Border border : {Border::zero, Border::edge})
        for (const int alignment : {1, 4}) {
          const Axis axis = axis_of(filter, in, out);
          const auto table = make_window_table(axis, border, alignment);
          INFO(filter << " " << in << " -> " << out);
          REQUIRE(table);
          const auto tap = [&](std::int64_t o, std::int64_t place) {
            return table->taps[std::size_t((place / window_step * out + o) * window_step + place % window_step)];
          };
          for (std::int64_t o = 0; o < out; ++o) {
            const TapRun run = axis.view().locate(o);
            const WindowEntry& window = table->windows[std::size_t(o)];
            REQUIRE(window.start % alignment == 0);
            REQUIRE(window.start + window.before() == run.first);
            CHECK(window.several_runs() == (run.count > run_length));
            const std::int64_t end = window.start + window.places(), run_end = run.first + run.count;
            CHECK(end == (border == Border::zero ? std::min(run_end, in) : run_end));
            for (std::int64_t place = 0; place < window_step * table->steps; ++place) {
              const std::int64_t k = place - window.before();
              REQUIRE(tap(o, place) == (k < 0 || place >= window.places() ? 0.0f : run.taps[k]));
            }
            // As many outputs as are said to fit in some places do.
            const std::int64_t places = 40 * window_step * table->steps, fitting = table->fitting(places);
            const auto& last = table->windows[std::size_t(std::min(o + fitting, out) - 1)];
            CHECK(last.start + window_step * table->steps - window.start <= places);
          }
        }
}

}  // namespace
}  // namespace upfirdn::cuda
