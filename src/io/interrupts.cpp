#include "io/interrupts.hpp"

#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>

namespace upfirdn {
namespace {

/// A path that a signal handler may read. Plain memory: a handler must not allocate.
struct Slot {
  std::atomic<bool> used;
  char path[PATH_MAX];
};

constexpr std::size_t most_files = 256;  // more than are ever written at a time
Slot slots[most_files];
std::mutex slots_mutex;

void remove_and_end(int signal) {
  for (const Slot& slot : slots) {
    if (slot.used) (void)::unlink(slot.path);
  }
  (void)std::signal(signal, SIG_DFL);
  (void)std::raise(signal);
}

void install_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = remove_and_end;
    ::sigemptyset(&action.sa_mask);
    (void)::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void remove_on_interrupt(const std::string& path) {
  const std::lock_guard lock(slots_mutex);
  install_handlers();
  if (path.size() >= PATH_MAX) return;
  for (Slot& slot : slots) {
    if (slot.used) continue;
    std::memcpy(slot.path, path.c_str(), path.size() + 1);
    slot.used = true;
    return;
  }
}

void keep_on_interrupt(const std::string& path) {
  const std::lock_guard lock(slots_mutex);
  for (Slot& slot : slots) {
    if (slot.used && path == slot.path) slot.used = false;
  }
}

}  // namespace upfirdn
