#include "io/pending_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <system_error>

#include "io/formats.hpp"
#include "io/hidden_files.hpp"
#include "io/interrupts.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t piece_bytes = std::size_t(1) << 20;

const char* remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or write elsewhere";
    case EFBIG:
      return "raise the file size limit or write elsewhere";
    case EACCES:
    case EPERM:
      return "check the permissions or write elsewhere";
    default:
      return "write elsewhere";
  }
}

[[noreturn]] void fail_to_write(const std::string& name, int error) {
  const std::string message = fmt::format("{}: can't be written: {}; {}", name, std::generic_category().message(error), remedy(error));
  if (error == ENOSPC || error == EDQUOT || error == EROFS) throw StorageError(message);
  throw Error(ExitCode::image_failed, message);
}

/// Runs `call(done)`, which transfers some bytes and returns how many, until `size` bytes are done.
template <class Call>
void write_fully(std::size_t size, const std::string& name, Call&& call) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = call(done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_to_write(name, n < 0 ? errno : EIO);
    done += std::size_t(n);
  }
}

/// Where `name` leads when its last part is a symbolic link, also to a file that is not there yet.
std::string follow_links(const std::string& name) {
  std::string path = name;
  for (int i = 0; i < 40; ++i) {
    char target[PATH_MAX];
    const ssize_t n = ::readlink(path.c_str(), target, sizeof target);
    if (n < 0) return path;
    const std::string link(target, std::size_t(n));
    path = link.starts_with('/') ? link : folder_of(path) + "/" + link;
  }
  fail_to_write(name, ELOOP);
}

/// A file system that can't sync this kind of file says EINVAL or ENOTSUP.
void sync(int descriptor, const std::string& name) {
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP) fail_to_write(name, errno);
}

void sync_folder(const std::string& folder, const std::string& name) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder that may be written but not read
  const bool failed = ::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP;
  const int error = errno;
  ::close(descriptor);
  if (failed) fail_to_write(name, error);
}

/// A file size limit must be an error (EFBIG) like a full disk, not the end of the process.
void ignore_file_size_signal() {
  [[maybe_unused]] static const auto previous = std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

void UnsyncedFolders::add(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  folders_.insert(folder);
}

void UnsyncedFolders::sync() {
  const std::lock_guard lock(mutex_);
  for (const std::string& folder : folders_) sync_folder(folder, folder);
  folders_.clear();
}

/// Where the bytes are until `commit`.
class PendingFile::Content {
 public:
  virtual ~Content() = default;
  virtual void write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
};

/// The temporary file. Gathers small writes that follow each other.
class PendingFile::DiskContent final : public Content {
 public:
  DiskContent(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  ~DiskContent() override {
    ::close(descriptor_);
  }

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (offset != start_ + gathered_.size() || gathered_.size() + bytes.size() > piece_bytes) {
      flush();
      start_ = offset;
    }
    size_ = std::max<std::uint64_t>(size_, offset + bytes.size());
    if (bytes.size() < piece_bytes) {
      gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
    } else {
      put(offset, bytes);
      start_ = offset + bytes.size();
    }
  }

  [[nodiscard]] std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
    flush();
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::pread(descriptor_, bytes.data() + done, bytes.size() - done, off_t(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_to_write(name_, errno);
      if (n == 0) break;
      done += std::size_t(n);
    }
    return done;
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }

  /// All bytes are on the disk, or an exception tells why not.
  void complete(const std::string& times_of) {
    flush();
    struct stat input {};
    if (!times_of.empty() && ::stat(times_of.c_str(), &input) == 0) {
      const struct timespec times[] = {{0, UTIME_NOW}, input.st_mtim};
      if (::futimens(descriptor_, times) != 0) fail_to_write(name_, errno);
    }
    sync(descriptor_, name_);
  }
  [[nodiscard]] FileMark mark() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail_to_write(name_, errno);
    return {status.st_ino, std::uint64_t(status.st_size)};
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  void flush() {
    put(start_, gathered_);
    start_ += gathered_.size();
    gathered_.clear();
  }
  void put(std::uint64_t offset, std::span<const std::byte> bytes) const {
    write_fully(bytes.size(), name_, [&](std::size_t done) {
      return ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done, off_t(offset + done));
    });
  }

  int descriptor_;
  std::string name_;
  std::vector<std::byte> gathered_;  // bytes from start_ on that are not yet in the file
  std::uint64_t start_ = 0;
  std::uint64_t size_ = 0;
};

/// For what can't be renamed into place.
class PendingFile::MemoryContent final : public Content {
 public:
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (bytes.empty()) return;
    if (bytes_.size() < offset + bytes.size()) bytes_.resize(std::size_t(offset) + bytes.size());
    std::memcpy(bytes_.data() + offset, bytes.data(), bytes.size());
  }
  [[nodiscard]] std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
    if (offset >= bytes_.size()) return 0;
    const std::size_t n = std::min<std::size_t>(bytes.size(), bytes_.size() - std::size_t(offset));
    std::memcpy(bytes.data(), bytes_.data() + offset, n);
    return n;
  }
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class PendingFile::Proxy final : public ByteSink {
 public:
  Proxy(Content& content, const std::string& name) : content_(content), name_(name) {}
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    content_.write_at(offset, bytes);
  }
  [[nodiscard]] std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) const override {
    return content_.read_at(offset, bytes);
  }
  [[nodiscard]] std::uint64_t size() const override { return content_.size(); }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  Content& content_;
  const std::string& name_;
};

PendingFile::PendingFile(const std::string& path) : name_(path == "-" ? "standard output" : path) {
  ignore_file_size_signal();
  if (path == "-") {
    content_ = std::make_unique<MemoryContent>();
    return;
  }
  target_ = follow_links(path);
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) fail_to_write(name_, errno);
  if (target_.empty() || target_.ends_with('/') || (exists && S_ISDIR(old.st_mode))) {
    throw image_error(name_, "is a folder; name a file in it");
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail_to_write(name_, errno);
  if (exists && !S_ISREG(old.st_mode)) {
    content_ = std::make_unique<MemoryContent>();
  } else {
    create_beside(exists ? &old : nullptr);
  }
}

PendingFile::~PendingFile() = default;

PendingFile::TemporaryFile::~TemporaryFile() {
  if (path.empty()) return;
  ::unlink(path.c_str());
  keep_on_interrupt(path);
}

void PendingFile::create_beside(const struct ::stat* replaced) {
  const std::string folder = folder_of(target_);
  if (::access(folder.c_str(), F_OK) != 0) {
    throw image_error(name_, fmt::format("there is no folder {}; make it first", folder));
  }
  // A replacement of a private file is never readable by others, not even at first.
  const unsigned mode = replaced != nullptr ? 0600 : 0666;
  int descriptor = create_nameless_file(folder, mode);
  if (descriptor < 0) descriptor = create_named(mode);
  content_ = std::make_unique<DiskContent>(descriptor, name_);
  if (replaced == nullptr) return;
  // An owner that can't be kept is no error: the file is ours then, as any new one.
  if (replaced->st_uid != ::geteuid() || replaced->st_gid != ::getegid()) (void)!::fchown(descriptor, replaced->st_uid, replaced->st_gid);
  if (::fchmod(descriptor, replaced->st_mode & 0777u) != 0) fail_to_write(name_, errno);
}

/// A locked file with a hidden name.
int PendingFile::create_named(unsigned mode) {
  while (true) {
    const std::string path = hidden_name(target_);
    remove_on_interrupt(path);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0) {
      const int error = errno;
      keep_on_interrupt(path);
      if (error == EEXIST) continue;
      fail_to_write(name_, error);
    }
    (void)::flock(descriptor, LOCK_EX);  // where there are no locks, nobody removes what he can't lock
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && status.st_nlink > 0) {
      temporary_.path = path;
      return descriptor;
    }
    ::close(descriptor);  // another process took it for abandoned before it was locked
    keep_on_interrupt(path);
  }
}

std::unique_ptr<ByteSink> PendingFile::sink() {
  return std::make_unique<Proxy>(*content_, name_);
}

void PendingFile::commit(const CommitOptions& options) {
  auto* content = dynamic_cast<DiskContent*>(content_.get());
  if (content == nullptr) {
    write_directly();
    return;
  }
  content->complete(options.times_of);
  if (options.before) options.before(content->mark());
  if (temporary_.path.empty()) name_file();
  if (!temporary_.path.empty()) {
    if (::rename(temporary_.path.c_str(), target_.c_str()) != 0) fail_to_write(name_, errno);
    keep_on_interrupt(temporary_.path);
    temporary_.path.clear();
  }
  if (options.unsynced != nullptr) options.unsynced->add(folder_of(target_));
  else sync_folder(folder_of(target_), name_);
}

/// Gives a nameless file the name of the output or, if that exists, a hidden name for a moment.
void PendingFile::name_file() {
  const int descriptor = static_cast<DiskContent&>(*content_).descriptor();
  if (give_name(descriptor, target_)) return;
  int error = errno;
  (void)::flock(descriptor, LOCK_EX);
  while (error == EEXIST) {
    const std::string path = hidden_name(target_);
    remove_on_interrupt(path);
    if (give_name(descriptor, path)) {
      temporary_.path = path;
      return;
    }
    error = errno;
    keep_on_interrupt(path);
  }
  fail_to_write(name_, error);
}

void PendingFile::write_directly() {
  const std::vector<std::byte>& bytes = static_cast<MemoryContent&>(*content_).bytes();
  const int descriptor = target_.empty() ? STDOUT_FILENO : ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail_to_write(name_, errno);
  const std::unique_ptr<const int, void (*)(const int*)> closer(&descriptor, [](const int* file) {
    if (*file != STDOUT_FILENO) ::close(*file);
  });
  write_fully(bytes.size(), name_, [&](std::size_t done) {
    return ::write(descriptor, bytes.data() + done, bytes.size() - done);
  });
}

}  // namespace upfirdn
