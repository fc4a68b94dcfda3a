#pragma once
/// Options that `resize` and `filter` share.

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/convert_request.hpp"

namespace upfirdn::cli {

/// Adds an option whose value goes to `set`. `value` names it in the help.
CLI::Option* add_value(CLI::App& table, const std::string& names, const std::string& value, const std::string& help,
                       std::function<void(const std::string&)> set);

/// Taps as the user gives them.
struct TapOptions {
  std::optional<FilterKernel> kernel;
  std::optional<std::vector<double>> both, x, y;
  std::string file;
};
/// `kernel_help` says what `--filter` is without the option.
void add_tap_options(CLI::App& table, TapOptions& taps, const std::string& kernel_help);
/// The filter chosen, nullopt if none is; Error(usage) if several are. Reads the taps file.
[[nodiscard]] std::optional<FilterChoice> chosen_filter(const TapOptions& taps);

/// Layout and alpha channel of `.npy` files.
void add_array_options(CLI::App& table, CodecOptions& codec);

/// Border, epilogue, pixels, where it runs, files, messages.
void add_convert_options(CLI::App& table, ConvertRequest& request);
/// Parses, then checks what the shared options say together.
void parse_convert_arguments(CLI::App& table, const std::vector<std::string>& arguments, ConvertRequest& request);

}  // namespace upfirdn::cli
