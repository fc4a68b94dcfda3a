#include <fmt/format.h>

#include "docs/documents.hpp"

namespace upfirdn::docs {
namespace {

/// Reads the tables that are generated before it.
constexpr auto engine = R"(
_upfirdn() {
  local line=() word i command='' option='' cur value head kind words options arguments
  # The words up to the cursor, put together again where bash splits them at = and :.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#line[@]} > 1)) && [[ ${line[-1]} == *[=:] || $word == [=:]* ]]; then line[-1]+=$word; else line+=("$word"); fi
  done
  cur=${line[-1]} value=$cur
  head=${cur%"$word"}  # what bash keeps of the word
  [[ $word == [=:] ]] && head=$cur
  if ((${#line[@]} > 1)); then
    command=${line[0]} option=${line[-2]}
    [[ $cur == --*=* ]] && option=${cur%%=*} value=${cur#*=}
  fi
  _upfirdn_table "$command" "$option"
  COMPREPLY=()
  if [[ " ${line[*]::${#line[@]}-1} " == *' -- '* ]]; then
    kind=$arguments
  elif [[ $kind == none && $cur == -* ]]; then
    kind=words words=$options value=$cur
  elif [[ $kind == none ]]; then
    kind=$arguments value=$cur
  fi
  [[ $kind == file ]] && return  # bash's own completion
  compopt +o default 2> /dev/null
  [[ $kind == words ]] || return
  mapfile -t COMPREPLY < <(compgen -P "${cur%"$value"}" -W "$words" -- "$value")
  COMPREPLY=("${COMPREPLY[@]#"$head"}")
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:] ]]; then compopt -o nospace 2> /dev/null; fi
}

complete -o default -F _upfirdn upfirdn
)";

std::string pattern(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " | "));
}

/// The branch of one command: its options, and what their values are.
std::string branch(const cli::CommandDescription& command) {
  std::vector<std::string> all, of_text, of_file;
  std::string of_words;
  for (const cli::OptionDescription& option : command.options) {
    all.insert(all.end(), option.names.begin(), option.names.end());
    if (option.kind == cli::ValueKind::text) of_text.insert(of_text.end(), option.names.begin(), option.names.end());
    if (option.kind == cli::ValueKind::file) of_file.insert(of_file.end(), option.names.begin(), option.names.end());
    if (option.kind == cli::ValueKind::words)
      of_words += fmt::format("        {}) kind=words words='{}' ;;\n", pattern(option.names), fmt::join(option.words, " "));
  }
  std::string text = fmt::format("    {})\n      arguments={}\n      options='{}'\n      case $2 in\n", command.name,
                                 takes_files(command) ? "file" : "none", fmt::join(all, " "));
  text += of_words;
  if (!of_file.empty()) text += fmt::format("        {}) kind=file ;;\n", pattern(of_file));
  if (!of_text.empty()) text += fmt::format("        {}) kind=text ;;\n", pattern(of_text));
  return text + "      esac ;;\n";
}

}  // namespace

std::string bash_completions(const Commands& commands) {
  std::vector<std::string> names;
  std::string branches;
  for (const cli::CommandDescription& command : commands) {
    names.push_back(command.name);
    branches += branch(command);
  }
  return fmt::format(
      "# Completions of bash for upfirdn, made from its options.\n\n"
      "# COMMAND OPTION: sets `options` of the command, `kind` of the option's value (none, text, words, file), its `words`,\n"
      "# and `arguments`, what is not an option.\n"
      "_upfirdn_table() {{\n"
      "  kind=none words='' options='-h --help' arguments=none\n"
      "  case $1 in\n"
      "    '') options='-h --help --version' arguments=words words='{}' ;;\n"
      "{}  esac\n}}\n{}",
      fmt::join(names, " "), branches, engine);
}

}  // namespace upfirdn::docs
