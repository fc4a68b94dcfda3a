#include "cli/commands.hpp"
#include "cli/convert_options.hpp"
#include "core/error.hpp"
#include "resample/plan.hpp"

namespace upfirdn::cli {
namespace {

using Value = const OptionValue&;

constexpr auto examples =
    "Examples:\n"
    "  upfirdn filter in.png -o out.png --taps 1,3,3,1 --down 2\n"
    "  upfirdn filter x.npy -o y.npy --taps 1,3,3,1 --up 2 --layout nchw\n"
    "  upfirdn filter x.npy -o y.npy --taps-file taps.txt --no-normalize --pad -1,2 --border mirror\n"
    "  upfirdn filter x.npy -o y.npy --filter lanczos3 --up 2 --bias -0.5 --act lrelu --act-gain sqrt2";

void add_operator_options(OptionTable& table, FilterRequest& filter) {
  table.group("Operator");
  table.value("--up", "X[,Y]", "inserts X - 1 zeros after every sample, the last too (default 1)",
              [&](Value v) { filter.up = parse_factors(v); });
  table.value("--down", "X[,Y]", "keeps every X-th result (default 1)",
              [&](Value v) { filter.down = parse_factors(v); });
  table.value("--pad", "PAD", "auto, P, X,Y or X0,X1,Y0,Y1 upsampled samples; negative crops (default auto)",
              [&](Value v) { filter.padding = parse_padding(v); }, {"auto"});
  table.flag("--flip", "correlate with the taps as written (default: convolution, taps reversed)",
             [&] { filter.flip = true; });
  table.flag("--no-normalize", "use the taps as they are (default: divided by their sum, times up)",
             [&] { filter.normalize = false; });
  table.value("--gain", "G", "factor of every result (default 1)",
              [&](Value v) { filter.gain = parse_number(v); });
}

}  // namespace

ConvertRequest parse_filter_arguments(const std::vector<std::string>& arguments) {
  ConvertRequest request;
  request.spec.border.kind = Border::zero;
  FilterRequest filter;
  TapOptions taps;
  OptionTable table(
      "filter", "IN... -o OUT [options]",
      "The upfirdn2d operator, literally: zeros in, FIR filter, every n-th out, bias, activation.",
      examples);
  add_operator_options(table, filter);
  add_tap_options(table, taps, "named filter, see below (needed, or taps)");
  table.value("--border", "NAME", "zero, edge, reflect, mirror, wrap or constant:V (default zero)",
              [&](Value v) { request.spec.border = parse_border(v); }, border_words());
  add_convert_options(table, request);
  parse_convert_arguments(table, arguments, request);

  auto choice = chosen_filter(taps);
  if (!choice) {
    throw Error(ExitCode::usage,
                "filter: no taps are given; add --taps, --taps-file, --taps-x, --taps-y or --filter");
  }
  request.spec.filter = std::move(*choice);
  request.spec.operation = filter;
  check_spec(request.spec);
  return request;
}

int run_filter(const std::vector<std::string>& arguments) {
  return run_conversion(parse_filter_arguments(arguments));
}

}  // namespace upfirdn::cli
