#pragma once

#include <string>
#include <vector>

#include "cli/description.hpp"

namespace upfirdn::cli {

/// Runs the program with the arguments after its name; returns the exit code. Throws Error.
int run_command_line(const std::vector<std::string>& arguments);

/// All commands, in the order of the help.
[[nodiscard]] std::vector<CommandDescription> describe_commands();

}  // namespace upfirdn::cli
