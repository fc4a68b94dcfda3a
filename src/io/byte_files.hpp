#pragma once
/// Inputs as random-access bytes.

#include <memory>
#include <string>
#include <vector>

#include "io/codec.hpp"

namespace upfirdn {

/// Opens `path` ("-": standard input). Regular files are read in place; what can't seek is read into memory,
/// unless `accepts` refuses its first bytes (up to 192). Throws Error(image_failed): missing, a folder, empty.
[[nodiscard]] std::unique_ptr<ByteSource> open_source(
    const std::string& path,
    const std::function<void(const std::string& name, std::span<const std::byte> head)>& accepts);

/// Bytes in memory as a source.
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::vector<std::byte> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) const override;
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::vector<std::byte> bytes_;
  std::string name_;
};

/// Reads a source in order, in large pieces.
class ForwardReader {
 public:
  /// Reads of at least so many bytes need not pass the buffer, which holds as many.
  static constexpr std::size_t unbuffered_bytes = std::size_t(1) << 18;

  explicit ForwardReader(const ByteSource& source) : source_(source) {}
  [[nodiscard]] std::uint64_t position() const { return buffer_start_ + next_; }
  void seek(std::uint64_t position);
  /// The next byte, or -1 at the end.
  [[nodiscard]] int get() { return next_ < buffer_.size() || fill() ? int(buffer_[next_++]) : -1; }
  /// Reads up to `bytes.size()` bytes; fewer only at the end.
  [[nodiscard]] std::size_t read(std::span<std::byte> bytes);

 private:
  /// Forgets the buffer.
  void restart(std::uint64_t position);
  bool fill();

  const ByteSource& source_;
  std::vector<std::byte> buffer_;  // bytes from buffer_start_ on
  std::uint64_t buffer_start_ = 0;
  std::size_t next_ = 0;
};

}  // namespace upfirdn
