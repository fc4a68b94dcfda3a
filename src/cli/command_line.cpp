#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <array>

#include "cli/commands.hpp"
#include "cli/option_table.hpp"
#include "cli/version.hpp"
#include "core/error.hpp"

namespace upfirdn::cli {
namespace {

struct Command {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>& arguments);
};

constexpr std::array<Command, 7> commands{{
    {"resize", "resize images to a size or by a factor", run_resize},
    {"filter", "the upfirdn2d operator: upsample, FIR filter, downsample, bias, activation", run_filter},
    {"taps", "print, save and plot a filter and its frequency response", run_taps},
    {"compare", "how two images differ", run_compare},
    {"info", "size, type and depth of files", run_info},
    {"bench", "what filters do to test pictures, how fast kernels are", run_bench},
    {"devices", "CPU and CUDA devices that can run here", run_devices},
}};

std::string help() {
  std::string text =
      "Resamples images with FIR filters on the CPU or on CUDA; both give the same bytes.\n\n"
      "usage: upfirdn COMMAND [arguments]\n\nCommands:\n";
  for (const Command& command : commands) text += fmt::format("  {:<10}{}\n", command.name, command.summary);
  text +=
      "\nOptions:\n  -h,--help    print this help\n  --version    print the version and what it was built "
      "with\n\n"
      "'upfirdn COMMAND --help' tells more. Examples:\n"
      "  upfirdn resize scan.png -o small.png --scale 1/4\n"
      "  upfirdn filter in.png -o out.png --taps 1,3,3,1 --down 2\n"
      "  upfirdn compare a.png b.png --max 1\n\n"
      "Exit codes: 0 done, 1 some image failed, 2 usage, 3 device, 4 verify or compare mismatch.\n";
  return text;
}

[[noreturn]] void unknown_command(const std::string& given) {
  if (given.starts_with('-')) throw Error(ExitCode::usage, given + ": unknown option; see 'upfirdn --help'");
  std::vector<std::string> names;
  for (const Command& command : commands) names.emplace_back(command.name);
  const std::string near = nearest_word(given, names);
  const std::string remedy =
      near.empty() ? fmt::format("use one of {}", fmt::join(names, ", ")) : "did you mean " + near + "?";
  throw Error(ExitCode::usage, fmt::format("{}: unknown command; {}", given, remedy));
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw Error(ExitCode::usage, "no command given; see 'upfirdn --help'");
  const std::string& first = arguments.front();
  try {
    if (first == "--help" || first == "-h") throw HelpRequest{help()};
    if (first == "--version") throw HelpRequest{version_text()};
    for (const Command& command : commands) {
      if (first == command.name) return command.run({arguments.begin() + 1, arguments.end()});
    }
  } catch (const HelpRequest& request) {
    fmt::print("{}", request.text);
    return 0;
  }
  unknown_command(first);
}

std::vector<CommandDescription> describe_commands() {
  std::vector<CommandDescription> descriptions;
  for (const Command& command : commands) {
    try {
      command.run({"--help"});
    } catch (const HelpRequest& request) {
      descriptions.push_back(request.command);
      descriptions.back().summary = command.summary;
    }
  }
  return descriptions;
}

}  // namespace upfirdn::cli
