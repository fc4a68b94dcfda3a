#pragma once
/// The only place that opens, names, syncs and renames image files.

#include <memory>
#include <string>

#include "io/codec.hpp"
#include "io/pending_file.hpp"

namespace upfirdn {

/// Opens `path` ("-": standard input), recognises its format by content and reads its header. Images whose file
/// says that they are turned are delivered upright. `format_out`, if not null, receives the format. Throws Error(image_failed): missing, empty, a folder, unrecognised, damaged.
[[nodiscard]] std::unique_ptr<ImageReader> open_image(const std::string& path, const CodecOptions& options,
                                                      const Format** format_out = nullptr);

/// An output that appears under its name only when `commit` succeeds: written beside its place, synced, renamed. Without
/// commit nothing is left behind, whatever throws; where the file system has files without names, not even by a killed process
/// (else remove_abandoned_files finds what it left). A disk that is full or read-only is a StorageError.
///  - A regular file is replaced and keeps its mode; a new one has 0666 less the umask. Symbolic links are followed.
///  - What exists and is no regular file (/dev/null, a FIFO) is written directly; "-" is standard output (at commit).
class PendingImage {
 public:
  /// Throws Error(image_failed) if the folder is missing or can't be written.
  PendingImage(const std::string& path, const Format& format, const ImageInfo& info, std::int64_t images,
               const CodecOptions& options);
  ~PendingImage();
  PendingImage(PendingImage&&) noexcept;
  PendingImage& operator=(PendingImage&&) noexcept;

  [[nodiscard]] RowSink& rows();
  /// Before the first row of each image but the first: what its input tells.
  void next_image(const std::shared_ptr<const Metadata>& metadata);
  /// Finishes the encoding, syncs file and folder, renames. Returns what of the metadata was left out.
  std::vector<std::string> commit(const CommitOptions& options = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same guarantees for a small file of bytes (taps, reports, plots).
void write_file_atomically(const std::string& path, std::span<const std::byte> bytes);

}  // namespace upfirdn
