#pragma once
/// Outputs that appear under their name only when complete.

#include <memory>
#include <string>

#include "io/codec.hpp"

namespace upfirdn {

/// An output file that is not yet visible under its name; see PendingImage for the guarantees.
class PendingFile {
 public:
  /// Throws Error(image_failed) if the place can't be written.
  explicit PendingFile(const std::string& path);
  ~PendingFile();  // without commit nothing is left
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  /// A view of the bytes to fill; this object must outlive it.
  [[nodiscard]] std::unique_ptr<ByteSink> sink();
  /// Syncs and renames; or writes standard output, a FIFO or a device.
  void commit();

 private:
  class Content;
  class DiskContent;
  class MemoryContent;
  class Proxy;
  /// A file that is removed unless it was renamed.
  class TemporaryFile {
   public:
    TemporaryFile() = default;
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    std::string path;  ///< empty: none
  };

  void create_beside(bool replaces, unsigned old_mode);
  void write_directly();

  std::string name_;    // for messages
  std::string target_;  // links followed; empty: standard output
  TemporaryFile temporary_;
  std::unique_ptr<Content> content_;
};

}  // namespace upfirdn
