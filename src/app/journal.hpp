#pragma once
/// Which files a run in place has replaced, so that a later run does not change them again.

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "io/pending_file.hpp"

namespace upfirdn {

/// A text file: a first line with the request, then `begin INODE BYTES PATH` before a file is replaced and `done PATH` after it,
/// each synced. Paths are relative to the journal's folder; a newline is `\n`, a backslash `\\`. A file that was begun is done if
/// it is the file that was to take the place. Safe to use from several threads.
class Journal {
 public:
  /// Opens or makes the journal and locks it. Throws Error(usage): can't be opened, in use by another run, of another request,
  /// no journal.
  Journal(const std::string& path, const std::string& request);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// True if the file was replaced by this or an earlier run.
  [[nodiscard]] bool is_done(const std::string& path) const;
  /// `whole` is about to take the place of `path`. Throws Error(image_failed) or StorageError if it can't be written down.
  void begin(const std::string& path, const FileMark& whole);
  void finish(const std::string& path);

 private:
  void read(const std::string& request);
  void append(const std::string& record);
  [[nodiscard]] std::string place_of(const std::string& path) const;

  std::string name_, folder_;
  int descriptor_;
  std::set<std::string> done_;
  std::map<std::string, FileMark> begun_;
  std::mutex mutex_;
};

}  // namespace upfirdn
