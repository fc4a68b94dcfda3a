#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/convert_options.hpp"
#include "cli/values.hpp"
#include "core/error.hpp"
#include "resample/plan.hpp"

namespace upfirdn::cli {
namespace {

constexpr auto examples =
    "  upfirdn filter in.png -o out.png --taps 1,3,3,1 --down 2\n"
    "  upfirdn filter x.npy -o y.npy --taps 1,3,3,1 --up 2 --layout nchw\n"
    "  upfirdn filter x.npy -o y.npy --taps-file taps.txt --no-normalize --pad -1,2 --border mirror\n"
    "  upfirdn filter x.npy -o y.npy --filter lanczos3 --up 2 --bias -0.5 --act lrelu --act-gain sqrt2";

void add_operator_options(CLI::App& table, FilterRequest& filter, BorderRule& border) {
  const std::string group = "Operator";
  add_value(table, "--up", "X[,Y]", "zeros fill every sample up to X (default 1)",
            [&](const std::string& text) { filter.up = parse_factors(text, "--up"); })->group(group);
  add_value(table, "--down", "X[,Y]", "keeps every X-th result (default 1)",
            [&](const std::string& text) { filter.down = parse_factors(text, "--down"); })->group(group);
  add_value(table, "--pad", "PAD", "auto, P, X,Y or X0,X1,Y0,Y1 upsampled samples, negative crops (default auto)",
            [&](const std::string& text) { filter.padding = parse_padding(text, "--pad"); })->group(group);
  add_value(table, "--border", "NAME", "zero, edge, reflect, mirror, wrap or constant:V (default zero)",
            [&](const std::string& text) { border = parse_border(text, "--border"); })->group(group);
  table.add_flag("--flip", filter.flip, "correlate with the taps as written (default: convolve)")->group(group);
  table.add_flag_callback("--no-normalize", [&] { filter.normalize = false; },
                          "use the taps as they are (default: divided by their sum, times up)")->group(group);
  add_value(table, "--gain", "G", "factor of every result (default 1)",
            [&](const std::string& text) { filter.gain = parse_number(text, "--gain"); })->group(group);
}

}  // namespace

ConvertRequest parse_filter_arguments(const std::vector<std::string>& arguments) {
  ConvertRequest request;
  request.spec.border.kind = Border::zero;
  FilterRequest filter;
  TapOptions taps;
  const auto table = make_option_table(
      "filter", "IN... -o OUT [options]",
      "The literal upfirdn2d operator: zeros in, FIR filter, every n-th out, then bias and activation.", examples);
  add_operator_options(*table, filter, request.spec.border);
  add_tap_options(*table, taps, "named filter, see 'upfirdn taps --help' (needed, or taps)");
  add_convert_options(*table, request);
  parse_convert_arguments(*table, arguments, request);

  auto choice = chosen_filter(taps);
  if (!choice) {
    throw Error(ExitCode::usage, "filter: no taps given; add --taps, --taps-file, --taps-x, --taps-y or --filter");
  }
  request.spec.filter = std::move(*choice);
  request.spec.operation = filter;
  check_spec(request.spec);
  return request;
}

int run_filter(const std::vector<std::string>& arguments) { return run_conversion(parse_filter_arguments(arguments)); }

}  // namespace upfirdn::cli
