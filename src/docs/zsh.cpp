#include <fmt/format.h>

#include "docs/documents.hpp"

namespace upfirdn::docs {
namespace {

constexpr auto engine = R"(
# WORD...: completes them; those that end in = or : are beginnings.
_upfirdn_words() {
  compadd -- ${@:#*[=:]}
  compadd -S '' -- ${(M)@:#*[=:]}
}

_upfirdn() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C : '(- *)'{-h,--help}'[print this help]' '(- *)--version[print the version and what it was built with]' \
    '1: :->command' '*:: :->arguments' && return
  case $state in
    command) _describe command _upfirdn_commands ;;
    arguments) (( $+functions[_upfirdn_$words[1]] )) && _upfirdn_$words[1] ;;
  esac
}

_upfirdn "$@"
)";

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// ":MESSAGE:ACTION", how _arguments is told of a value.
std::string value_spec(const cli::OptionDescription& option) {
  std::string message = fmt::format(":{}:", escaped(option.placeholder, "\\:"));
  switch (option.kind) {
    case cli::ValueKind::none: return "";
    case cli::ValueKind::text: return message;
    case cli::ValueKind::file: return message + "_files";
    case cli::ValueKind::words: break;
  }
  // The space keeps _arguments from adding arguments of its own.
  return fmt::format("{} _upfirdn_words {}", message, escaped(fmt::format("{}", fmt::join(option.words, " ")), "\\:"));
}

/// One specification of _arguments for each name.
std::string specs(const cli::OptionDescription& option) {
  std::string lines;
  for (const std::string& name : option.names) {
    std::string spec = option.repeatable ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    spec += name;
    if (option.kind != cli::ValueKind::none) spec += name.starts_with("--") ? "=" : "+";
    spec += fmt::format("[{}]{}", escaped(option.help, "\\[]"), value_spec(option));
    lines += fmt::format(" \\\n    {}", quoted(spec));
  }
  return lines;
}

}  // namespace

std::string zsh_completions(const Commands& commands) {
  std::string text = "#compdef upfirdn\n# Completions of zsh for upfirdn, made from its options.\n\n_upfirdn_commands=(\n";
  for (const cli::CommandDescription& command : commands) text += fmt::format("  {}\n", quoted(command.name + ":" + command.summary));
  text += ")\n";
  for (const cli::CommandDescription& command : commands) {
    text += fmt::format("\n_upfirdn_{}() {{\n  _arguments -s -S :", command.name);
    for (const cli::OptionDescription& option : command.options) text += specs(option);
    if (takes_files(command)) text += " \\\n    '*:file:_files'";
    text += "\n}\n";
  }
  return text + engine;
}

}  // namespace upfirdn::docs
