#include "cli/reporter.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace upfirdn::cli {
namespace {

std::string with_name(const Job& job, const std::string& message) {
  const std::string input = input_name(job);
  const bool named = message.starts_with(input + ":") || message.starts_with(output_name(job) + ":");
  return named ? message : input + ": " + message;
}

}  // namespace

void print_message(const std::string& message) {
  const std::string line = "upfirdn: " + message + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Reporter::report(const JobResult& result) {
  if (verbosity_ == Verbosity::verbose) {
    for (const std::string& note : result.notes) print_message(with_name(*result.job, note));
  }
  if (verbosity_ != Verbosity::quiet) {
    for (const std::string& warning : result.warnings)
      print_message("warning: " + with_name(*result.job, warning));
    for (const std::string& warning : result.once)
      if (said_.insert(warning).second) print_message("note: " + with_name(*result.job, warning));
  }
  if (result.error) {
    ++failed_;
    print_message(with_name(*result.job, *result.error));
  } else if (verbosity_ == Verbosity::verbose) {
    const ImageInfo& out = result.output;
    print_message(fmt::format("{} -> {} {}x{} {} ({}, {:.0f} ms)", input_name(*result.job),
                              output_name(*result.job), out.width, out.height, name(out.type), result.backend,
                              result.milliseconds));
  }
}

void Reporter::finish() const {
  if (failed_ == 0 || jobs_ < 2) return;
  print_message(fmt::format("{} of {} images done, {} failed", jobs_ - failed_, jobs_, failed_));
}

}  // namespace upfirdn::cli
