#pragma once
/// The options of one subcommand. CLI11 holds the table, prints the help and calls the setters; what is an
/// option, a value or a file is decided here, because CLI11 takes values such as `-.5,1` for options. Nothing
/// else sees CLI11.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/values.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace upfirdn::cli {

/// Thrown for --help: a text for stdout and exit code 0.
struct HelpRequest {
  std::string text;
};

class OptionTable {
 public:
  /// Table of `upfirdn NAME`. `usage` is what follows "upfirdn NAME" in the help, `footer` whole lines.
  OptionTable(const std::string& name, const std::string& usage, const std::string& summary,
              const std::string& footer);
  ~OptionTable();

  /// Heading in the help for the options that are added from here on.
  void group(const std::string& heading) { group_ = heading; }
  /// Adds an option with a value, called `placeholder` in the help. `names` are as in "-o,--output".
  void value(const std::string& names, const std::string& placeholder, const std::string& help,
             const std::function<void(const OptionValue&)>& set);
  /// The same for an option that may come several times; `set` is called for each.
  void values(const std::string& names, const std::string& placeholder, const std::string& help,
              const std::function<void(const OptionValue&)>& set);
  /// Adds an option without a value.
  void flag(const std::string& names, const std::string& help, const std::function<void()>& set);

  /// Calls the setters of the options among `arguments` and returns the other arguments in order. `--opt V`,
  /// `--opt=V`, `-o V` and `-oV` are the same, V may begin with '-' and a digit or '.', `--` ends options, an
  /// option added by `value` comes once. Throws HelpRequest, or Error(usage) for an unknown option or a missing
  /// value.
  [[nodiscard]] std::vector<std::string> parse(const std::vector<std::string>& arguments);
  /// True if the arguments parsed held the option.
  [[nodiscard]] bool given(const std::string& name) const;
  /// Throws Error(usage) if both were given.
  void refuse_both(const std::string& a, const std::string& b) const;
  /// Throws Error(usage) `message` with a pointer to the help.
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  std::unique_ptr<CLI::App> app_;
  std::string name_, group_ = "Options";
};

/// The known word nearest to `word`, empty if none is near.
[[nodiscard]] std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace upfirdn::cli
