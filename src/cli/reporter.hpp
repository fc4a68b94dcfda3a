#pragma once
/// What a run says: messages on stderr, one line each, and the lists that were asked for.

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/convert.hpp"
#include "app/job_list.hpp"
#include "cli/job_report.hpp"
#include "cli/progress.hpp"

namespace upfirdn::cli {

/// `quiet` prints errors only, `verbose` also what was done and the notes of the plan.
enum class Verbosity { quiet, normal, verbose };

/// How a run is reported.
struct ReportRequest {
  Verbosity verbosity = Verbosity::normal;
  ProgressMode progress = ProgressMode::automatic;
  std::string report;           ///< `--report`: a file, or "-" for standard output; empty: none
  std::string failed;           ///< `--failed`: a file; empty: none
  bool null_separated = false;  ///< names in `failed` end in NUL instead of newline
};

/// Prints "upfirdn: message" on stderr.
void print_message(const std::string& message);

/// Tells what became of each job, and of all of them.
class Reporter {
 public:
  /// Opens the report and says what is skipped. Throws Error(usage) if the report can't be written.
  Reporter(const ReportRequest& request, const ResampleSpec& spec, const JobList& list);
  void report(const JobResult& result);
  /// After the last job: how many were done, and the list of those that failed. Throws Error(image_failed) if that can't be written.
  void finish();

 private:
  void tell_skipped();
  void tell(const JobResult& result);
  void tell_warnings(const JobResult& result);
  [[nodiscard]] std::string summary() const;
  void write_failed() const;
  void say(const std::string& message);
  [[nodiscard]] bool verbose() const { return request_.verbosity == Verbosity::verbose; }

  const ReportRequest& request_;
  const JobList& list_;
  std::optional<JobReport> report_;
  Progress progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t done_ = 0;
  std::int64_t bytes_ = 0;           // of the inputs done
  std::vector<std::string> failed_;  // inputs
  std::string storage_fault_;        // why the run stopped; empty: it did not
  std::set<std::string> said_;       // warnings of which one a run is enough
};

}  // namespace upfirdn::cli
