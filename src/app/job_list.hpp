#pragma once
/// From the inputs and the output that the user names to a list of jobs, before any work is done.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/plan_file.hpp"
#include "app/shard.hpp"
#include "core/error.hpp"

namespace upfirdn {

class Journal;

/// What to do with an output that exists. `update` replaces those that are older than their input and leaves the others.
enum class Existing { refuse, overwrite, skip, update };

/// Which files are read and how those written are called.
struct FileRequest {
  std::vector<std::string> inputs;  ///< files, folders, "-" for standard input
  std::string list;                 ///< `--files-from`: a file with more inputs, "-" for standard input; empty: none
  bool null_separated = false;      ///< names in lists end in NUL instead of newline
  std::string output;               ///< a file, a folder (exists, or ends in '/'), or "-" for standard output; empty: in place
  std::string format;               ///< `--format`: extension or name; empty: from the output's name, or kept
  std::string name_template;  ///< of files in a folder: {dir} {stem} {ext} {w} {h} {n}; empty: names are kept
  bool recursive = false;     ///< folders below input folders too
  Existing existing = Existing::refuse;
  Shard shard;

  [[nodiscard]] bool in_place() const { return output.empty(); }
};

/// An input that needs no work.
struct SkippedFile {
  enum class Reason { no_image, output_exists, up_to_date, in_journal };
  std::string input, output;  ///< `output` is empty for what is no image
  Reason reason;
};

struct JobList {
  std::vector<Job> jobs;
  std::vector<std::string> folders;  ///< to be made before the first job
  std::vector<SkippedFile> skipped;
};

/// A fault of the plan that shows at one job.
class RefusedJob : public Error {
 public:
  RefusedJob(Job job, const std::string& message) : Error(ExitCode::usage, message), job_(std::move(job)) {}
  [[nodiscard]] const Job& job() const { return job_; }

 private:
  Job job_;
};

struct Size {
  std::int64_t width, height;
};
/// Size of the output for an input file, from its header. Throws Error where it can't be read.
using OutputSize = std::function<Size(const Job& job)>;

/// Plans one job an input file. Throws Error(usage), naming the fault, for whatever is wrong before any file
/// is decoded: no folder for several outputs, an unknown format or placeholder, two jobs with one output, an
/// output that is an input or that exists. All inputs are planned, then those of other shards are left out; only after that outputs
/// that exist count. `output_size` is asked only for {w} and {h}; what is in the `journal` (or null) is skipped. Makes nothing on disk.
[[nodiscard]] JobList plan_jobs(const FileRequest& request, const OutputSize& output_size, const Journal* journal = nullptr);

/// Makes the folders of the list. Of several files: also removes from those that exist what killed processes left of outputs.
void prepare_folders(const JobList& list);

}  // namespace upfirdn
