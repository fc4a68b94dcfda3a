#pragma once
/// Options that `resize` and `filter` share.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/convert_request.hpp"
#include "cli/option_table.hpp"

namespace upfirdn::cli {

/// Taps as the user gives them.
struct TapOptions {
  std::optional<FilterKernel> kernel;
  std::optional<std::vector<double>> both, x, y;
  std::string file;
};
/// `kernel_help` says what `--filter` is without the option.
void add_tap_options(OptionTable& table, TapOptions& taps, const std::string& kernel_help);
/// The named filters, a line each; only the filter `name` if there is one.
[[nodiscard]] std::string filter_help(std::string_view name = {});
/// The filter chosen, nullopt if none is; Error(usage) if several are. Reads the taps file.
[[nodiscard]] std::optional<FilterChoice> chosen_filter(const TapOptions& taps);

/// Layout and alpha channel of `.npy` files.
void add_array_options(OptionTable& table, CodecOptions& codec);

/// Epilogue, pixels, where it runs, files, messages.
void add_convert_options(OptionTable& table, ConvertRequest& request);
/// Parses, then checks what the shared options say together.
void parse_convert_arguments(OptionTable& table, const std::vector<std::string>& arguments,
                             ConvertRequest& request);

}  // namespace upfirdn::cli
