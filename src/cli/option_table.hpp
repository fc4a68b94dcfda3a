#pragma once
/// The options of one subcommand. CLI11 holds the table, prints the help and calls the setters; what is an
/// option, a value or a file is decided here, because CLI11 takes values such as `-.5,1` for options. Nothing
/// else sees CLI11.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/description.hpp"
#include "cli/values.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace upfirdn::cli {

/// Thrown for --help: a text for stdout and exit code 0.
struct HelpRequest {
  std::string text;
  CommandDescription command;  ///< empty if the help is not a command's
};

class OptionTable {
 public:
  using Setter = std::function<void(const OptionValue&)>;

  /// Table of `upfirdn NAME`. `usage` is what follows "upfirdn NAME" in the help, `footer` whole lines.
  OptionTable(const std::string& name, const std::string& usage, const std::string& text, const std::string& footer);
  ~OptionTable();

  /// Adds lines to the help between the options and the footer.
  void note(const std::string& lines) { note_ += lines; }

  /// Heading in the help for the options that are added from here on.
  void group(const std::string& heading) { group_ = heading; }
  /// Adds an option with a value, called `placeholder` in the help. `names` are as in "-o,--output". Completions know
  /// the `words`, of which none need be one.
  void value(const std::string& names, const std::string& placeholder, const std::string& help, const Setter& set,
             const std::vector<std::string>& words = {});
  /// The same for an option that may come several times; `set` is called for each.
  void values(const std::string& names, const std::string& placeholder, const std::string& help, const Setter& set,
              const std::vector<std::string>& words = {});
  /// The same for the name of a file or folder, which goes to `target`.
  void file(const std::string& names, const std::string& placeholder, const std::string& help, std::string& target);
  /// The same for one of `words`; what goes with it goes to `target`.
  template <class T>
  void word(const std::string& names, const std::string& placeholder, const std::string& help, T& target,
            const Words<std::type_identity_t<T>>& words);
  /// The same where the word itself is what is wanted.
  void word(const std::string& names, const std::string& placeholder, const std::string& help, std::string& target,
            const std::vector<std::string>& words);
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

  /// What --help throws.
  [[nodiscard]] HelpRequest help() const;

 private:
  void describe(const std::string& names, OptionDescription option);

  std::unique_ptr<CLI::App> app_;
  CommandDescription description_;
  std::string note_, group_ = "Options";
};

template <class T>
void OptionTable::word(const std::string& names, const std::string& placeholder, const std::string& help, T& target,
                       const Words<std::type_identity_t<T>>& words) {
  value(names, placeholder, help, [&target, words](const OptionValue& v) { target = parse_word(v, words); }, names_of(words));
}

/// The known word nearest to `word`, empty if none is near.
[[nodiscard]] std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace upfirdn::cli
