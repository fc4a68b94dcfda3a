#pragma once
/// Completions and man page, as the text of their files.

#include <string>
#include <vector>

#include "cli/description.hpp"

namespace upfirdn::docs {

using Commands = std::vector<cli::CommandDescription>;

[[nodiscard]] std::string bash_completions(const Commands& commands);
[[nodiscard]] std::string zsh_completions(const Commands& commands);
[[nodiscard]] std::string fish_completions(const Commands& commands);
/// In the macros `man`; holds no date, so that a version has one text.
[[nodiscard]] std::string man_page(const Commands& commands, const std::string& version);

/// True if the arguments of the command are files: its usage begins with the name of one.
[[nodiscard]] inline bool takes_files(const cli::CommandDescription& command) {
  return !command.usage.starts_with('-') && !command.usage.starts_with('[');
}

/// `text` with a backslash in front of each character that is one of `special`.
[[nodiscard]] inline std::string escaped(const std::string& text, const std::string& special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace upfirdn::docs
