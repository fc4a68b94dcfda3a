#include "io/hidden_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <random>
#include <string_view>

namespace upfirdn {
namespace {

/// Hidden names beside outputs are ".NAME" and this: 8 letters or digits between the two parts.
constexpr std::string_view hidden_ending = ".upfirdn-part";
constexpr std::size_t hidden_letters = 8;

bool is_hidden_name(std::string_view name) {
  return name.size() > hidden_ending.size() + hidden_letters + 2 && name.starts_with('.') && name.ends_with(hidden_ending) &&
         name[name.size() - hidden_ending.size() - hidden_letters - 1] == '.';
}

/// The file behind a descriptor as a path.
std::string path_of(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string hidden_name(const std::string& target) {
  static constexpr char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  const std::size_t slash = target.rfind('/');
  std::string base = slash == std::string::npos ? target : target.substr(slash + 1);
  base.resize(std::min<std::size_t>(base.size(), NAME_MAX - hidden_letters - hidden_ending.size() - 2));
  std::random_device random;
  std::string suffix;
  for (std::size_t i = 0; i < hidden_letters; ++i) suffix += letters[random() % (sizeof letters - 1)];
  return fmt::format("{}/.{}.{}{}", folder_of(target), base, suffix, hidden_ending);
}

int create_nameless_file(const std::string& folder, unsigned mode) {
  const int descriptor = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
  if (descriptor < 0 || ::access(path_of(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

bool give_name(int descriptor, const std::string& path) {
  return ::linkat(AT_FDCWD, path_of(descriptor).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

void remove_abandoned_files(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
  if (!entries) return;
  const int at = ::dirfd(entries.get());
  while (const dirent* entry = ::readdir(entries.get())) {
    if (!is_hidden_name(entry->d_name)) continue;
    const int descriptor = ::openat(at, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) (void)::unlinkat(at, entry->d_name, 0);
    ::close(descriptor);
  }
}

}  // namespace upfirdn
