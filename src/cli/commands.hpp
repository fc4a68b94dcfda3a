#pragma once
/// The subcommands. Each takes the arguments after its name and returns the exit code; each throws
/// HelpRequest or Error.

#include <string>
#include <vector>

namespace upfirdn::cli {

int run_resize(const std::vector<std::string>& arguments);
int run_filter(const std::vector<std::string>& arguments);
int run_taps(const std::vector<std::string>& arguments);
int run_compare(const std::vector<std::string>& arguments);
int run_info(const std::vector<std::string>& arguments);
int run_bench(const std::vector<std::string>& arguments);
int run_devices(const std::vector<std::string>& arguments);

}  // namespace upfirdn::cli
