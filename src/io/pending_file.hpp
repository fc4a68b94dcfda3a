#pragma once
/// Outputs that appear under their name only when complete.

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "io/codec.hpp"

namespace upfirdn {

/// What tells a file from others, whatever its name.
struct FileMark {
  std::uint64_t inode, bytes;
  friend bool operator==(const FileMark&, const FileMark&) = default;
};

/// Folders with names that are perhaps not on the disk yet. Used by several threads.
class UnsyncedFolders {
 public:
  void add(const std::string& folder);
  /// Syncs them. Throws Error(image_failed), StorageError.
  void sync();

 private:
  std::mutex mutex_;
  std::set<std::string> folders_;
};

/// What happens when an output gets its name.
struct CommitOptions {
  std::function<void(const FileMark& whole)> before;  ///< called when the file is whole and synced, before it gets its name
  UnsyncedFolders* unsynced = nullptr;                ///< to be told of the output's folder; null: it is synced at once
  std::string times_of;                               ///< the output takes the modification time of this file; empty: now
};

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
  /// Syncs the file, gives it its name and syncs its folder (or leaves that to `unsynced`); or writes standard output, a FIFO or a device.
  void commit(const CommitOptions& options = {});

 private:
  class Content;
  class DiskContent;
  class MemoryContent;
  class Proxy;
  /// A hidden name beside the output that is removed unless it was renamed.
  class TemporaryFile {
   public:
    TemporaryFile() = default;
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    std::string path;  ///< empty: none
  };

  void create_beside(const struct ::stat* replaced);
  [[nodiscard]] int create_named(unsigned mode);
  void name_file();
  void write_directly();

  std::string name_;    // for messages
  std::string target_;  // links followed; empty: standard output
  TemporaryFile temporary_;
  std::unique_ptr<Content> content_;
};

}  // namespace upfirdn
