#pragma once
/// Everything that `resize` and `filter` are asked for, validated.

#include <string>
#include <vector>

#include "app/batch.hpp"
#include "app/job_list.hpp"
#include "cli/reporter.hpp"
#include "resample/spec.hpp"

namespace upfirdn::cli {

struct ConvertRequest {
  ResampleSpec spec;
  RunOptions run;
  bool all_cuda_devices = false;
  std::string cpu_target;  ///< empty: the best
  FileRequest files;
  std::string journal;     ///< `--journal` of a run in place; empty: none
  bool dry_run = false;
  ReportRequest reports;
};

/// Read the arguments after "resize" and "filter". Throw HelpRequest, or Error(usage) for what is wrong with
/// any image.
[[nodiscard]] ConvertRequest parse_resize_arguments(const std::vector<std::string>& arguments);
[[nodiscard]] ConvertRequest parse_filter_arguments(const std::vector<std::string>& arguments);

/// Plans the files, then does the work or, with `dry_run`, prints what would be done. Returns the exit code.
int run_conversion(ConvertRequest request);

}  // namespace upfirdn::cli
