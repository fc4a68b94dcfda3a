#include "app/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "core/error.hpp"

namespace upfirdn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_words = "upfirdn journal 1: ";

[[noreturn]] void refuse(const std::string& name, const std::string& fault) { upfirdn::refuse(fmt::format("{}: {}", name, fault)); }

std::string reason(int error) { return std::generic_category().message(error); }

std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) text += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return text;
}

/// Reads a line; false at the end, and for a line without its newline, which a kill cut off.
bool whole_line(std::istream& file, std::string& line) { return std::getline(file, line) && !file.eof(); }

}  // namespace

Journal::Journal(const std::string& path, const std::string& request)
    : name_(path), folder_(fs::absolute(path).parent_path()), descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) refuse(name_, fmt::format("the journal can't be opened ({}); check its place", reason(errno)));
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      refuse(name_, "the journal is in use by another run; wait for it, or give each run its own");
    read(request);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Journal::~Journal() { ::close(descriptor_); }

void Journal::read(const std::string& request) {
  const std::string first = fmt::format("{}{}", first_words, escaped(request));
  std::ifstream file(name_, std::ios::binary);
  std::string line;
  if (!whole_line(file, line)) {
    if (!line.empty() && !first.starts_with(line)) refuse(name_, "is no journal; name another file");
    if (::ftruncate(descriptor_, 0) != 0) refuse(name_, fmt::format("the journal can't be written ({}); check its place", reason(errno)));
    append(first + "\n");
    return;
  }
  if (!line.starts_with(first_words)) refuse(name_, "is no journal; name another file");
  if (line != first)
    refuse(name_, fmt::format("is the journal of another request ({}); repeat that one, or name another journal", line.substr(first_words.size())));
  std::streamoff whole = file.tellg();
  for (; whole_line(file, line); whole = file.tellg()) {
    std::istringstream words(line);
    std::string kind;
    FileMark mark{};
    words >> kind;
    if (kind == "begin") words >> mark.inode >> mark.bytes;
    words.get();
    std::string place;
    std::getline(words, place);
    if (kind == "begin") begun_.insert_or_assign(place, mark);
    if (kind == "done") done_.insert(place);
  }
  if (::ftruncate(descriptor_, whole) != 0) refuse(name_, fmt::format("the journal can't be written ({}); check its place", reason(errno)));
}

std::string Journal::place_of(const std::string& path) const {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  return escaped((error ? fs::absolute(path) : whole).lexically_relative(fs::weakly_canonical(folder_, error)).string());
}

bool Journal::is_done(const std::string& path) const {
  const std::string place = place_of(path);
  if (done_.contains(place)) return true;
  const auto begun = begun_.find(place);
  struct stat status {};
  return begun != begun_.end() && ::stat(path.c_str(), &status) == 0 &&
         FileMark{status.st_ino, std::uint64_t(status.st_size)} == begun->second;
}

void Journal::begin(const std::string& path, const FileMark& whole) {
  append(fmt::format("begin {} {} {}\n", whole.inode, whole.bytes, place_of(path)));
}

void Journal::finish(const std::string& path) { append(fmt::format("done {}\n", place_of(path))); }

void Journal::append(const std::string& record) {
  const std::lock_guard lock(mutex_);
  const ssize_t written = ::write(descriptor_, record.data(), record.size());
  if (written == ssize_t(record.size()) && ::fdatasync(descriptor_) == 0) return;
  const int error = written < 0 || std::size_t(written) == record.size() ? errno : ENOSPC;
  const std::string message = fmt::format("{}: the journal can't be written: {}; free some space, then run again", name_, reason(error));
  throw StorageError(message);
}

}  // namespace upfirdn
