#pragma once
/// From the inputs and the output that the user names to a list of jobs, before any work is done.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/plan_file.hpp"

namespace upfirdn {

/// What to do with an output that exists.
enum class Existing { refuse, overwrite, skip };

/// Which files are read and how those written are called.
struct FileRequest {
  std::vector<std::string> inputs;  ///< files, folders, "-" for standard input
  std::string output;               ///< a file, a folder (exists, or ends in '/'), or "-" for standard output
  std::string format;               ///< `--format`: extension or name; empty: from the output's name, or kept
  std::string name_template;  ///< of files in a folder: {dir} {stem} {ext} {w} {h} {n}; empty: names are kept
  bool recursive = false;     ///< folders below input folders too
  Existing existing = Existing::refuse;
};

struct JobList {
  std::vector<Job> jobs;
  std::vector<std::string> folders;  ///< to be made before the first job
  std::int64_t unrecognised = 0;     ///< files in folders that are no images
  std::int64_t skipped = 0;          ///< jobs left out because their output exists
};

struct Size {
  std::int64_t width, height;
};
/// Size of the output for an input file, from its header. Throws Error where it can't be read.
using OutputSize = std::function<Size(const Job& job)>;

/// Plans one job an input file. Throws Error(usage), naming the fault, for whatever is wrong before any file
/// is decoded: no folder for several outputs, an unknown format or placeholder, two jobs with one output, an
/// output that is an input or that exists. `output_size` is asked only for {w} and {h}. Makes nothing on
/// disk.
[[nodiscard]] JobList plan_jobs(const FileRequest& request, const OutputSize& output_size);

/// Makes the folders of the list.
void make_folders(const JobList& list);

}  // namespace upfirdn
