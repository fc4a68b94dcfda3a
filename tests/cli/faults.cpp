/// Loaded before the program by tests (LD_PRELOAD): makes the system say no.
///   FAULT_NO_NAMELESS=1   the file system has no files without a name
///   FAULT_AFTER=N         no more than N bytes of output can be written in all ...
///   FAULT_ERRNO=E         ... and then writing fails with this number
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>

namespace {

bool refuses_nameless(int flags) {
  if ((flags & O_TMPFILE) != O_TMPFILE || std::getenv("FAULT_NO_NAMELESS") == nullptr) return false;
  errno = EOPNOTSUPP;
  return true;
}

bool refuses_bytes(std::size_t count) {
  static std::atomic<std::size_t> written = 0;
  const char* most = std::getenv("FAULT_AFTER");
  if (most == nullptr || (written += count) <= std::strtoull(most, nullptr, 10)) return false;
  errno = std::atoi(std::getenv("FAULT_ERRNO"));
  return true;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  using Open = int (*)(const char*, int, ...);
  static const auto real = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "open"));
  if (refuses_nameless(flags)) return -1;
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return real(path, flags, mode);
}

ssize_t pwrite(int file, const void* bytes, std::size_t count, off_t offset) {
  using Write = ssize_t (*)(int, const void*, std::size_t, off_t);
  static const auto real = reinterpret_cast<Write>(::dlsym(RTLD_NEXT, "pwrite"));
  return refuses_bytes(count) ? -1 : real(file, bytes, count, offset);
}
}
