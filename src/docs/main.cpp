// Writes completions and man page of this version: upfirdn_docs FOLDER VERSION.
#include <cstdio>
#include <fstream>

#include "cli/command_line.hpp"
#include "docs/documents.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("usage: upfirdn_docs FOLDER VERSION\n", stderr), 2;
  const std::string folder = argv[1];
  const upfirdn::docs::Commands commands = upfirdn::cli::describe_commands();
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    file << text;
    file.close();
    if (!file) std::fprintf(stderr, "upfirdn_docs: %s/%s: can't be written; check the disk\n", folder.c_str(), name);
    return bool(file);
  };
  const bool written = write("upfirdn.bash", upfirdn::docs::bash_completions(commands)) &&
                       write("_upfirdn", upfirdn::docs::zsh_completions(commands)) &&
                       write("upfirdn.fish", upfirdn::docs::fish_completions(commands)) &&
                       write("upfirdn.1", upfirdn::docs::man_page(commands, argv[2]));
  return written ? 0 : 1;
}
