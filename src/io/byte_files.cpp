#include "io/byte_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "io/formats.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t head_bytes = 192;  // enough to recognise every format by
constexpr std::size_t stream_bytes = std::size_t(1) << 18;  // asked of a stream at once, at least

std::string reason(int error) {
  return std::generic_category().message(error);
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

/// A regular file, read by pread: a file that is cut meanwhile reads short instead of killing the process.
class DiskSource final : public ByteSource {
 public:
  DiskSource(Descriptor descriptor, std::uint64_t size, std::string name)
      : descriptor_(std::move(descriptor)), size_(size), name_(std::move(name)) {}
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) const override {
    if (offset >= size_) return 0;
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n =
          ::pread(descriptor_.get(), bytes.data() + done, bytes.size() - done, off_t(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0)
        throw image_error(name_,
                          fmt::format("can't be read: {}; check the file and its disk", reason(errno)));
      if (n == 0) break;
      done += std::size_t(n);
    }
    return done;
  }

 private:
  Descriptor descriptor_;
  std::uint64_t size_;
  std::string name_;
};

/// Appends up to `limit` bytes of a stream to `bytes`; returns how many.
std::size_t append_from(int descriptor, std::vector<std::byte>& bytes, std::size_t limit,
                        const std::string& name) {
  const std::size_t start = bytes.size();
  bytes.resize(start + limit);
  std::size_t done = 0;
  while (done < limit) {
    const ssize_t n = ::read(descriptor, bytes.data() + start + done, limit - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      throw image_error(name, fmt::format("can't be read: {}; check the file and its disk", reason(errno)));
    if (n == 0) break;
    done += std::size_t(n);
  }
  bytes.resize(start + done);
  return done;
}

}  // namespace

std::unique_ptr<ByteSource> open_source(
    const std::string& path,
    const std::function<void(const std::string& name, std::span<const std::byte> head)>& accepts) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "standard input" : path;
  Descriptor file(standard_input ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT) throw image_error(name, "no such file; check the name");
    throw image_error(name, fmt::format("can't be opened: {}; check the permissions", reason(errno)));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    throw image_error(name, fmt::format("can't be read: {}; check the file and its disk", reason(errno)));
  if (S_ISDIR(status.st_mode)) throw image_error(name, "is a folder; name the files in it");

  std::vector<std::byte> bytes;
  if (S_ISREG(status.st_mode) && !standard_input) {
    auto source = std::make_unique<DiskSource>(std::move(file), std::uint64_t(status.st_size), name);
    bytes.resize(head_bytes);
    bytes.resize(source->read_at(0, bytes));
    if (bytes.empty()) throw image_error(name, "the file is empty; get a complete copy");
    accepts(name, bytes);
    return source;
  }
  append_from(file.get(), bytes, head_bytes, name);
  if (bytes.empty()) throw image_error(name, "no data came; send an image");
  accepts(name, bytes);
  while (append_from(file.get(), bytes, std::max(bytes.size(), stream_bytes), name) > 0) {
  }
  return std::make_unique<MemorySource>(std::move(bytes), name);
}

std::size_t MemorySource::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (offset >= bytes_.size() || bytes.empty()) return 0;
  const std::size_t n = std::min<std::size_t>(bytes.size(), bytes_.size() - std::size_t(offset));
  std::memcpy(bytes.data(), bytes_.data() + offset, n);
  return n;
}

void ForwardReader::seek(std::uint64_t position) {
  if (position >= buffer_start_ && position - buffer_start_ <= buffer_.size()) next_ = std::size_t(position - buffer_start_);
  else restart(position);
}

void ForwardReader::restart(std::uint64_t position) {
  buffer_.clear();
  buffer_start_ = position;
  next_ = 0;
}

bool ForwardReader::fill() {
  restart(position());
  buffer_.resize(std::size_t(std::min<std::uint64_t>(unbuffered_bytes, source_.size() - std::min(source_.size(), buffer_start_))));
  buffer_.resize(source_.read_at(buffer_start_, buffer_));
  return !buffer_.empty();
}

std::size_t ForwardReader::read(std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const std::size_t wanted = bytes.size() - done;
    if (next_ == buffer_.size() && wanted >= unbuffered_bytes) {
      restart(position());
      const std::size_t n = source_.read_at(buffer_start_, bytes.subspan(done));
      buffer_start_ += n;
      return done + n;
    }
    if (next_ == buffer_.size() && !fill()) return done;
    const std::size_t n = std::min(wanted, buffer_.size() - next_);
    std::memcpy(bytes.data() + done, buffer_.data() + next_, n);
    next_ += n;
    done += n;
  }
  return done;
}

}  // namespace upfirdn
