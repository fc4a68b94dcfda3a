#pragma once

#include <string>

namespace upfirdn::cli {

/// Version, CUDA version, instruction sets and modules. Starts no device and loads no module.
[[nodiscard]] std::string version_text();

}  // namespace upfirdn::cli
