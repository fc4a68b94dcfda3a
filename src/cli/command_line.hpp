#pragma once

#include <string>
#include <vector>

namespace upfirdn::cli {

/// Runs the program with the arguments after its name; returns the exit code. Throws Error.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace upfirdn::cli
