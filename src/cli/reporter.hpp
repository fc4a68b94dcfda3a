#pragma once
/// Messages of a run: one line each, on stderr.

#include <cstddef>
#include <set>
#include <string>

#include "app/convert.hpp"

namespace upfirdn::cli {

/// `quiet` prints errors only, `verbose` also what was done and the notes of the plan.
enum class Verbosity { quiet, normal, verbose };

/// Prints "upfirdn: message" on stderr.
void print_message(const std::string& message);

/// Tells what became of each job, and of all of them.
class Reporter {
 public:
  Reporter(Verbosity verbosity, std::size_t jobs) : verbosity_(verbosity), jobs_(jobs) {}
  void report(const JobResult& result);
  /// After several files of which some failed: the count.
  void finish() const;

 private:
  Verbosity verbosity_;
  std::size_t jobs_, failed_ = 0;
  std::set<std::string> said_;  // warnings of which one a run is enough
};

}  // namespace upfirdn::cli
