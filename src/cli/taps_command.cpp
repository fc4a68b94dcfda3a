#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "cli/commands.hpp"
#include "cli/convert_options.hpp"
#include "cli/reporter.hpp"
#include "core/error.hpp"
#include "io/image_store.hpp"
#include "resample/plan.hpp"

namespace upfirdn::cli {
namespace {

constexpr auto examples =
    "Examples:\n"
    "  upfirdn taps --filter lanczos3 --down 4\n"
    "  upfirdn taps --taps 1,3,3,1 --up 2\n"
    "  upfirdn taps --filter kaiser:beta=8,a=4 --up 3 --down 2 --save taps.npy";

constexpr std::size_t most_phases_listed = 32;

struct TapsRequest {
  TapOptions taps;
  std::int64_t up = 1, down = 1;
  bool normalize = true;
  std::string save;
};

double sum(const std::vector<double>& taps) {
  return std::accumulate(taps.begin(), taps.end(), 0.0);
}

/// Sum of h[p], h[p + up], ... for each p.
std::vector<double> phase_sums(const std::vector<double>& taps, std::int64_t up) {
  std::vector<double> sums(std::size_t(up), 0.0);
  for (std::size_t k = 0; k < taps.size(); ++k) sums[k % std::size_t(up)] += taps[k];
  return sums;
}

bool symmetric(const std::vector<double>& taps) {
  for (std::size_t k = 0; k < taps.size(); ++k) {
    if (std::abs(taps[k] - taps[taps.size() - 1 - k]) > 1e-12 * std::abs(taps[k])) return false;
  }
  return true;
}

/// Delay of slow signals in upsampled samples: sum of k h[k] over the sum of h.
std::string group_delay(const std::vector<double>& taps) {
  if (symmetric(taps)) return fmt::format("{} upsampled samples, linear phase", double(taps.size() - 1) / 2);
  double total = 0, magnitude = 0, moment = 0;
  for (std::size_t k = 0; k < taps.size(); ++k) {
    total += taps[k];
    magnitude += std::abs(taps[k]);
    moment += double(k) * taps[k];
  }
  if (std::abs(total) < 1e-6 * magnitude) return "undefined (the taps sum to 0)";
  return fmt::format("{} upsampled samples at frequency 0", moment / total);
}

/// Prints comments and one tap a line, which is a taps file.
void print_axis(const std::vector<double>& taps, std::int64_t up) {
  fmt::print("# taps: {}\n# sum: {}\n# group delay: {}\n", taps.size(), sum(taps), group_delay(taps));
  const std::vector<double> sums = phase_sums(taps, up);
  if (sums.size() <= most_phases_listed) {
    for (std::size_t phase = 0; phase < sums.size(); ++phase) {
      const std::size_t count = phase < taps.size() ? (taps.size() - phase - 1) / sums.size() + 1 : 0;
      fmt::print("# phase {}: sum {}, taps {}\n", phase, sums[phase], count);
    }
  } else {
    const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
    fmt::print("# phases: {}, sums from {} to {}\n", sums.size(), *least, *most);
  }
  for (const double tap : taps) fmt::print("{}\n", tap);
}

void warn_unequal_phases(const std::vector<double>& taps, std::int64_t up) {
  const std::vector<double> sums = phase_sums(taps, up);
  const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
  if (*most - *least <= 1e-6 * std::max(std::abs(*most), std::abs(*least))) return;
  print_message(
      fmt::format("warning: the sums of the phases differ by {:.3g}; 'filter' turns a constant image into a "
                  "pattern of period {}, 'resize' evens them out",
                  *most - *least, up));
}

void print_matrix(const TapMatrix& matrix, const TapsRequest& request) {
  std::vector<double> values = matrix.values;
  if (request.normalize) values = normalized(values, double(request.up * request.up), "use --no-normalize");
  const auto factors = factor_rank_one({matrix.rows, matrix.columns, values});
  fmt::print(
      "# taps: {} rows of {}\n# sum: {}\n# {}\n", matrix.rows, matrix.columns, sum(values),
      factors ? "of rank 1: runs one axis after the other" : "not of rank 1: runs as a direct 2-D filter");
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto first = values.begin() + row * matrix.columns;
    fmt::print("{}\n", fmt::join(first, first + matrix.columns, " "));
  }
}

/// Taps of both axes as `filter` uses them, before they are rounded to float32.
AxisTaps axis_taps(const FilterChoice& choice, const TapsRequest& request) {
  AxisTaps axes;
  if (const auto* kernel = std::get_if<FilterKernel>(&choice)) {
    axes.x = axes.y = prototype_taps(*kernel, request.up, request.down);
  } else {
    axes = std::get<AxisTaps>(choice);
  }
  if (request.normalize) {
    axes.x = normalized(axes.x, double(request.up), "use --no-normalize");
    axes.y = normalized(axes.y, double(request.up), "use --no-normalize");
  }
  return axes;
}

void run(const FilterChoice& choice, const TapsRequest& request) {
  if (const auto* matrix = std::get_if<TapMatrix>(&choice)) {
    if (!request.save.empty()) throw Error(ExitCode::usage, "--save: writes 1-D taps only; leave it out");
    return print_matrix(*matrix, request);
  }
  const AxisTaps axes = axis_taps(choice, request);
  const bool one = axes.x == axes.y;
  if (!request.save.empty()) {
    if (!one)
      throw Error(ExitCode::usage, "--save: the axes have different taps; save one of them with --taps");
    const std::string bytes = taps_file_bytes(request.save, axes.x);
    write_file_atomically(request.save, std::as_bytes(std::span(bytes)));
  }
  if (!one) fmt::print("# along x\n");
  print_axis(axes.x, request.up);
  if (!one) {
    fmt::print("# along y\n");
    print_axis(axes.y, request.up);
  }
  warn_unequal_phases(axes.x, request.up);
  if (!one) warn_unequal_phases(axes.y, request.up);
}

}  // namespace

int run_taps(const std::vector<std::string>& arguments) {
  TapsRequest request;
  OptionTable table("taps", "--filter NAME | --taps T,T,... | --taps-file FILE [options]",
                    "Prints the taps of a filter as 'upfirdn filter' uses them.", filter_help() + examples);
  add_tap_options(table, request.taps, "named filter with its parameters, see below");
  table.group("Design");
  table.value("--up", "N", "factor of upsampling (default 1)",
              [&](const OptionValue& value) { request.up = parse_integer(value, 1, 1 << 20); });
  table.value("--down", "N", "factor of downsampling (default 1)",
              [&](const OptionValue& value) { request.down = parse_integer(value, 1, 1 << 20); });
  table.flag("--no-normalize", "leave the taps as they are (default: divided by their sum, times up)",
             [&] { request.normalize = false; });
  table.value("--save", "FILE", "write the taps too, as text or, for a name in .npy, as an array",
              [&](const OptionValue& value) { request.save = value.text; });
  if (!table.parse(arguments).empty()) table.refuse("taps: takes no images");
  const auto choice = chosen_filter(request.taps);
  if (!choice) throw Error(ExitCode::usage, "taps: no taps are given; add --filter, --taps or --taps-file");
  const ResampleSpec spec{.operation = FilterRequest{.up = {request.up, request.up},
                                                     .down = {request.down, request.down},
                                                     .normalize = request.normalize},
                          .filter = *choice};
  check_spec(spec);
  run(*choice, request);
  return 0;
}

}  // namespace upfirdn::cli
