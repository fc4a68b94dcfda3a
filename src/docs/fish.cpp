#include <fmt/format.h>

#include "docs/documents.hpp"

namespace upfirdn::docs {
namespace {

constexpr auto head = R"(# Completions of fish for upfirdn, made from its options.

# True if the command is one of the arguments; without arguments, if there is no command yet.
function __upfirdn_command
    set -l words (commandline -opc)
    if set -q argv[1]
        set -q words[2]; and contains -- $words[2] $argv
    else
        not set -q words[2]
    end
end

complete -c upfirdn -f
complete -c upfirdn -n __upfirdn_command -s h -l help -d 'print this help'
complete -c upfirdn -n __upfirdn_command -l version -d 'print the version and what it was built with'
)";

std::string quoted(const std::string& text) {
  return fmt::format("'{}'", escaped(text, "\\'"));
}

std::string line_of(const cli::CommandDescription& command, const cli::OptionDescription& option) {
  std::string line = fmt::format("complete -c upfirdn -n '__upfirdn_command {}'", command.name);
  for (const std::string& name : option.names)
    line += fmt::format(" {} {}", name.starts_with("--") ? "-l" : "-s", name.substr(name.find_first_not_of('-')));
  switch (option.kind) {
    case cli::ValueKind::none: break;
    case cli::ValueKind::text: line += " -x"; break;
    case cli::ValueKind::file: line += " -r -F"; break;
    case cli::ValueKind::words: line += fmt::format(" -x -a '{}'", fmt::join(option.words, " ")); break;
  }
  return fmt::format("{} -d {}\n", line, quoted(option.help));
}

}  // namespace

std::string fish_completions(const Commands& commands) {
  std::string text = head;
  for (const cli::CommandDescription& command : commands)
    text += fmt::format("complete -c upfirdn -n __upfirdn_command -a {} -d {}\n", command.name, quoted(command.summary));
  for (const cli::CommandDescription& command : commands) {
    text += "\n";
    if (takes_files(command)) text += fmt::format("complete -c upfirdn -n '__upfirdn_command {}' -F\n", command.name);
    for (const cli::OptionDescription& option : command.options) text += line_of(command, option);
  }
  return text;
}

}  // namespace upfirdn::docs
