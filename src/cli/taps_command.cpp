#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "app/filter_panels.hpp"
#include "cli/commands.hpp"
#include "cli/convert_options.hpp"
#include "cli/reporter.hpp"
#include "cli/terminal_plot.hpp"
#include "core/error.hpp"
#include "filters/response.hpp"
#include "io/image_store.hpp"
#include "resample/plan.hpp"

namespace upfirdn::cli {
namespace {

constexpr auto examples =
    "Examples:\n"
    "  upfirdn taps --filter lanczos3 --down 4 --plot response.svg\n"
    "  upfirdn taps --taps 1,3,3,1 --up 2\n"
    "  upfirdn taps --filter lanczos3 --compare gaussian --compare kaiser:atten=80,width=0.4 --down 4 --plot -\n"
    "  upfirdn taps --filter kaiser:beta=8,a=4 --up 3 --down 2 --save taps.npy\n\n"
    "Frequencies count cycles per pixel of the coarser image: of the output when reducing, of the input when enlarging.\n"
    "What passes above 0.5 leaks: it appears as something else.";

constexpr std::size_t most_phases_listed = 32;
constexpr int terminal_columns = 80, terminal_rows = 18;

struct TapsRequest {
  TapOptions taps;
  std::vector<FilterKernel> others;  ///< to compare with
  std::int64_t up = 1, down = 1;
  bool normalize = true;
  std::string save, plot;
};

double sum(const std::vector<double>& taps) {
  return std::accumulate(taps.begin(), taps.end(), 0.0);
}

double decibels(double gain) {
  return 20 * std::log10(gain);
}

void print_delay(const std::vector<double>& taps) {
  const std::optional<double> delay = group_delay(taps);
  if (!delay)
    fmt::print("# group delay: undefined (the taps sum to 0)\n");
  else
    fmt::print("# group delay: {} upsampled samples{}\n", *delay,
               has_linear_phase(taps) ? ", linear phase" : " at frequency 0");
}

void print_phases(const std::vector<double>& taps, std::int64_t up) {
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
  fmt::print("# DC ripple: {:.3g} %\n", 100 * dc_ripple(taps, up));
}

void print_point(const char* name, const std::optional<double>& frequency) {
  fmt::print("# {}: {}\n", name, frequency ? fmt::format("{:.4f}", *frequency) : "never reached");
}

void print_response(const std::vector<double>& taps, std::int64_t up, std::int64_t down) {
  const FrequencyResponse response(taps, up, down);
  const char* unit = up == down ? "pixel" : down > up ? "output pixel" : "input pixel";
  fmt::print("# frequencies in cycles per {}, gains relative to {}\n", unit,
             response.relative_to_zero() ? "frequency 0" : "the largest (the taps sum to 0)");
  if (response.relative_to_zero()) {
    print_point("-3 dB", response.falls_to(std::sqrt(0.5)));
    print_point("-6 dB", response.falls_to(0.5));
    if (const std::optional<double> stop = response.stop_band())
      fmt::print("# stop band: from {:.4f}, attenuation {:.1f} dB\n", *stop,
                 -decibels(response.largest_from(*stop).gain));
    else
      fmt::print("# stop band: none; {:.1f} dB at the highest frequency, {}\n",
                 decibels(response.gain(response.highest())), response.highest());
  }
  if (response.highest() < leak_frequency) return;  // nothing folds
  const FrequencyResponse::Peak leak = response.largest_from(leak_frequency);
  fmt::print(
      "# largest alias leak: {:.3g} % at {:.3f} (from {} on, which falls into the lower half of the band); "
      "{:.3g} % at the folding frequency, {}\n",
      100 * leak.gain, leak.frequency, leak_frequency, 100 * response.gain(folding_frequency), folding_frequency);
}

/// Prints comments and one tap a line, which is a taps file.
void print_axis(const std::vector<double>& taps, const TapsRequest& request) {
  fmt::print("# taps: {}\n# sum: {}\n", taps.size(), sum(taps));
  print_delay(taps);
  print_phases(taps, request.up);
  print_response(taps, request.up, request.down);
  for (const double tap : taps) fmt::print("{}\n", tap);
}

void warn_unequal_phases(const std::vector<double>& taps, std::int64_t up) {
  const std::vector<double> sums = phase_sums(taps, up);
  const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
  if (dc_ripple(taps, up) <= 1e-6) return;
  print_message(
      fmt::format("warning: the sums of the phases differ by {:.3g}; 'filter' turns a constant image into a "
                  "pattern of period {}, 'resize' evens them out",
                  *most - *least, up));
}

void print_matrix(const TapMatrix& matrix, const TapsRequest& request) {
  std::vector<double> values = matrix.values;
  if (request.normalize)
    values = normalized(values, double(request.up * request.up), "use --no-normalize");
  const auto factors = factor_rank_one({matrix.rows, matrix.columns, values});
  fmt::print(
      "# taps: {} rows of {}\n# sum: {}\n# {}\n", matrix.rows, matrix.columns, sum(values),
      factors ? "of rank 1: runs one axis after the other" : "not of rank 1: runs as a direct 2-D filter");
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto first = values.begin() + row * matrix.columns;
    fmt::print("{}\n", fmt::join(first, first + matrix.columns, " "));
  }
}

std::vector<double> as_used(const std::vector<double>& taps, const TapsRequest& request) {
  return request.normalize ? normalized(taps, double(request.up), "use --no-normalize") : taps;
}

/// Taps of both axes as `filter` uses them, before they are rounded to float32.
AxisTaps axis_taps(const FilterChoice& choice, const TapsRequest& request) {
  if (const auto* kernel = std::get_if<FilterKernel>(&choice)) {
    const std::vector<double> taps = as_used(prototype_taps(*kernel, request.up, request.down), request);
    return {taps, taps};
  }
  const auto& axes = std::get<AxisTaps>(choice);
  return {as_used(axes.x, request), as_used(axes.y, request)};
}

/// What is plotted: the filter asked about, then those to compare it with.
std::vector<NamedTaps> plotted_taps(const FilterChoice& choice, const AxisTaps& axes, const TapsRequest& request) {
  const auto* kernel = std::get_if<FilterKernel>(&choice);
  std::vector<NamedTaps> all;
  if (axes.x == axes.y)
    all.push_back({kernel != nullptr ? kernel->text : "taps", axes.x});
  else
    all = {{"along x", axes.x}, {"along y", axes.y}};
  for (const FilterKernel& other : request.others)
    all.push_back({other.text, as_used(prototype_taps(other, request.up, request.down), request)});
  return all;
}

void print_plot(const std::vector<NamedTaps>& filters, const TapsRequest& request) {
  std::vector<std::string> names;
  for (const NamedTaps& filter : filters) names.push_back(filter.name);
  fmt::print("# {}\n", fmt::join(names, ", "));
  const Panel panel = response_panel(filters, request.up, request.down);
  for (const std::string& line : plot_lines(panel, terminal_columns - 2, terminal_rows, terminal_has_unicode()))
    fmt::print("# {}\n", line);
}

void draw_plot(const std::vector<NamedTaps>& filters, const TapsRequest& request) {
  std::string factor;
  if (request.up != 1) factor += fmt::format(", up {}", request.up);
  if (request.down != 1) factor += fmt::format(", down {}", request.down);
  const std::string what = filters.size() == 1 ? fmt::format("{}: {} taps", filters[0].name, filters[0].taps.size())
                                               : fmt::format("{} filters", filters.size());
  const std::string bytes = drawing_bytes(draw_panels(what + factor, {impulse_panel(filters, request.up, request.down),
                                                                      response_panel(filters, request.up, request.down)}),
                                          request.plot);
  write_file_atomically(request.plot, std::as_bytes(std::span(bytes)));
}

void run(const FilterChoice& choice, const TapsRequest& request) {
  if (const auto* matrix = std::get_if<TapMatrix>(&choice)) {
    if (!request.save.empty()) throw Error(ExitCode::usage, "--save: writes 1-D taps only; leave it out");
    if (!request.plot.empty() || !request.others.empty())
      throw Error(ExitCode::usage, "--plot: draws 1-D taps only; leave out --plot and --compare");
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
  const std::vector<NamedTaps> filters = plotted_taps(choice, axes, request);
  if (!request.plot.empty() && request.plot != "-") draw_plot(filters, request);
  if (!one) fmt::print("# along x\n");
  print_axis(axes.x, request);
  if (!one) {
    fmt::print("# along y\n");
    print_axis(axes.y, request);
  }
  if (request.plot == "-" || (request.plot.empty() && ::isatty(STDOUT_FILENO) != 0)) print_plot(filters, request);
  warn_unequal_phases(axes.x, request.up);
  if (!one) warn_unequal_phases(axes.y, request.up);
}

}  // namespace

int run_taps(const std::vector<std::string>& arguments) {
  TapsRequest request;
  OptionTable table("taps", "--filter NAME | --taps T,T,... | --taps-file FILE [options]",
                    "Prints the taps of a filter as 'upfirdn filter' uses them, and what they do to frequencies.",
                    examples);
  add_tap_options(table, request.taps, "named filter with its parameters, see below");
  table.group("Design");
  table.value("--up", "N", "factor of upsampling (default 1)",
              [&](const OptionValue& value) { request.up = parse_integer(value, 1, 1 << 20); });
  table.value("--down", "N", "factor of downsampling (default 1)",
              [&](const OptionValue& value) { request.down = parse_integer(value, 1, 1 << 20); });
  table.flag("--no-normalize", "leave the taps as they are (default: divided by their sum, times up)",
             [&] { request.normalize = false; });
  table.group("Output");
  table.file("--save", "FILE", "write the taps too, as text or, for a name in .npy, as an array", request.save);
  table.file("--plot", "FILE", "draw impulse and frequency response as .svg or .png, or - as text (default on a terminal)", request.plot);
  table.values("--compare", "NAME[:PARAMS]", "draw this filter too (repeatable)",
               [&](const OptionValue& value) { request.others.push_back(parse_filter(value.text)); }, filter_words());
  if (!table.parse(arguments).empty()) table.refuse("taps: takes no images");
  if (!request.plot.empty() && request.plot != "-") check_drawing_path(request.plot, "--plot");
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
