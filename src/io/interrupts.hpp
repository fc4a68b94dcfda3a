#pragma once
/// Files that must not stay behind when a signal ends the process.

#include <string>

namespace upfirdn {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE remove `path` before they end the process as they would have (exit 130, 143
/// for a shell). Ignored signals stay ignored.
void remove_on_interrupt(const std::string& path);

/// The file is in its place or gone: leave it alone.
void keep_on_interrupt(const std::string& path);

}  // namespace upfirdn
