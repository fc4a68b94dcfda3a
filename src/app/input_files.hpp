#pragma once
/// The input files behind the names that the user gives.

#include <filesystem>
#include <string>
#include <vector>

#include "app/job_list.hpp"

namespace upfirdn {

/// One input file and its place below the folder that was named.
struct InputFile {
  std::string path;              ///< or "-"
  std::filesystem::path below;   ///< its folder relative to the named folder; empty for named files
  std::string key;               ///< its path relative to the named folder, or its name as given: what shards go by
};

struct InputFiles {
  std::vector<InputFile> files;         ///< in the order of the names; within a folder by name, byte by byte
  std::vector<InputFile> unrecognised;  ///< in folders, no images
};

/// Names given, then the lines of the list (`--files-from`); files in folders are recognised by their content. Hidden files and
/// the output folder are passed over, links to folders are not followed. Throws Error(usage): a list or a folder that can't be
/// read, standard input twice, no input at all.
[[nodiscard]] InputFiles find_input_files(const FileRequest& request);

}  // namespace upfirdn
