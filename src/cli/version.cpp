#include "cli/version.hpp"

#include <fmt/format.h>

#include "io/module_files.hpp"
#include "resample/backend.hpp"

namespace upfirdn::cli {

std::string version_text() {
  const std::string cuda = UPFIRDN_CUDA_VERSION;
  return fmt::format("upfirdn {}\n{}\nCPU: {}\nmodules: {}\n", UPFIRDN_VERSION,
                     cuda.empty() ? "no CUDA" : "CUDA " + cuda, fmt::join(cpu_targets(), ", "),
                     fmt::join(module_status(), ", "));
}

}  // namespace upfirdn::cli
