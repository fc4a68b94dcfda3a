#pragma once
/// `--report`: one JSON object a line for each image, of the schema in docs/report.schema.json.

#include <cstdio>
#include <memory>
#include <string>

#include "app/convert.hpp"
#include "app/job_list.hpp"

namespace upfirdn::cli {

class JobReport {
 public:
  /// Empties the file or makes it; "-" is standard output. Throws Error(usage): it can't be written, or holds something that is no
  /// report.
  JobReport(const std::string& path, const ResampleSpec& spec);

  // Lines reach the file at once, so that a killed run has told what it did.
  void add(const JobResult& result);
  void add(const SkippedFile& file);
  void add(const RefusedJob& refused);

 private:
  void write(const std::string& line);

  std::string name_, filter_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace upfirdn::cli
