#pragma once
/// What there is on the command line, for help, man page and completions.

#include <string>
#include <vector>

namespace upfirdn::cli {

/// What completes the value of an option. `none`: it takes no value.
enum class ValueKind { none, text, words, file };

struct OptionDescription {
  std::vector<std::string> names;  ///< "-o", "--output"
  std::string placeholder, help, group;
  ValueKind kind = ValueKind::none;
  std::vector<std::string> words;  ///< what the value may be, or begin with (a word that ends in ':' or '=')
  bool repeatable = false;
};

struct CommandDescription {
  std::string name, summary;
  std::string usage;   ///< what follows the name
  std::string text;    ///< what it does, a sentence
  std::string footer;  ///< whole lines; those that are indented are commands
  std::vector<OptionDescription> options;
};

}  // namespace upfirdn::cli
