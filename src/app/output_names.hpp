#pragma once
/// Names and formats of outputs.

#include <filesystem>
#include <string>

#include "app/input_files.hpp"
#include "app/job_list.hpp"
#include "app/name_template.hpp"

namespace upfirdn {

/// True if outputs go into a folder: it exists or its name ends in '/'. Throws Error(usage) for "file/".
[[nodiscard]] bool goes_into_folder(const FileRequest& request);

/// The job of one input and one output that is no folder. Throws Error(usage): an unknown format, no such folder.
[[nodiscard]] Job single_job(const FileRequest& request, const std::string& input);

/// Names the outputs of several inputs in one folder. Throws Error(usage) for a template or a format that can't be.
class FolderNames {
 public:
  FolderNames(const FileRequest& request, const OutputSize& output_size);
  /// `number` counts from 1.
  [[nodiscard]] Job name(const InputFile& source, std::int64_t number) const;

 private:
  void read_size(const Job& job, NameParts& parts) const;

  const FileRequest& request_;
  const OutputSize& output_size_;
  NameTemplate name_;
  std::string extension_, format_;
};

}  // namespace upfirdn
