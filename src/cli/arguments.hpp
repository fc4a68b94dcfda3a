#pragma once
/// From argv to the options of one subcommand. CLI11 holds the table of options, prints the help and calls the setters; what
/// is an option, a value or a file is decided here, because CLI11 takes values such as `-.5,1` for options.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace upfirdn::cli {

/// Thrown for --help: a text for stdout and exit code 0.
struct HelpRequest {
  std::string text;
};

/// Table of options of `upfirdn NAME`. `usage` is what follows "upfirdn NAME", `examples` whole lines.
[[nodiscard]] std::unique_ptr<CLI::App> make_option_table(const std::string& name, const std::string& usage,
                                                          const std::string& summary, const std::string& examples);

/// Calls the setters of the options among `arguments` and returns the other arguments in order. `--opt V`, `--opt=V`, `-o V`
/// and `-oV` are the same, V may begin with '-' and a digit or '.', `--` ends options, each option comes once. Throws
/// HelpRequest, or Error(usage) for an unknown option or a missing value.
[[nodiscard]] std::vector<std::string> parse_arguments(CLI::App& table, const std::vector<std::string>& arguments);

/// The known word nearest to `word`, empty if none is near.
[[nodiscard]] std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace upfirdn::cli
