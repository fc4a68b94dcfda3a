#include "cli/reporter.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <span>

#include "io/image_store.hpp"

namespace upfirdn::cli {
namespace {

std::string with_name(const Job& job, const std::string& message) {
  const std::string input = input_name(job);
  const bool named = message.starts_with(input + ":") || message.starts_with(output_name(job) + ":");
  return named ? message : input + ": " + message;
}

std::size_t count_of(const JobList& list, bool images) {
  std::size_t count = 0;
  for (const SkippedFile& file : list.skipped) count += (file.reason != SkippedFile::Reason::no_image) == images;
  return count;
}

}  // namespace

void print_message(const std::string& message) {
  const std::string line = "upfirdn: " + message + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Reporter::Reporter(const ReportRequest& request, const ResampleSpec& spec, const JobList& list)
    : request_(request), list_(list), progress_(request.verbosity == Verbosity::quiet ? ProgressMode::never : request.progress, list.jobs.size()) {
  if (!request.report.empty()) report_.emplace(request.report, spec);
  tell_skipped();
}

void Reporter::tell_skipped() {
  if (report_)
    for (const SkippedFile& file : list_.skipped) report_->add(file);
  const std::size_t unknown = count_of(list_, false);
  if (unknown > 0 && request_.verbosity != Verbosity::quiet)
    say(fmt::format("{} file{} in folders {} no known image; skipped", unknown, unknown == 1 ? "" : "s", unknown == 1 ? "is" : "are"));
  if (const std::size_t images = count_of(list_, true); images > 0 && verbose())
    say(fmt::format("{} image{} need{} no work (done before, or the output exists); skipped", images, images == 1 ? "" : "s", images == 1 ? "s" : ""));
}

void Reporter::report(const JobResult& result) {
  if (report_) report_->add(result);
  if (result.error) {
    failed_.push_back(result.job->input);
  } else {
    ++done_;
    bytes_ += result.input_bytes;
  }
  tell(result);
  progress_.show(done_ + failed_.size(), bytes_);
}

void Reporter::tell(const JobResult& result) {
  if (verbose()) {
    for (const std::string& note : result.notes) say(with_name(*result.job, note));
  }
  tell_warnings(result);
  if (result.error && result.storage_failed) {
    if (storage_fault_.empty()) storage_fault_ = with_name(*result.job, *result.error);
  } else if (result.error && !result.not_tried) {
    say(with_name(*result.job, *result.error));
  } else if (!result.error && verbose()) {
    const ImageInfo& out = result.output;
    say(fmt::format("{} -> {} {}x{} {} ({}, {:.0f} ms)", input_name(*result.job), output_name(*result.job), out.width, out.height,
                    name(out.type), result.backend, result.times.total));
  }
}

void Reporter::tell_warnings(const JobResult& result) {
  if (request_.verbosity == Verbosity::quiet) return;
  for (const std::string& warning : result.warnings) say("warning: " + with_name(*result.job, warning));
  if (result.error) return;  // what an output could not hold matters only if there is one
  for (const std::string& warning : result.once)
    if (said_.insert(warning).second) say("note: " + with_name(*result.job, warning));
}

std::string Reporter::summary() const {
  const std::size_t jobs = list_.jobs.size(), left = jobs - done_ - failed_.size(), skipped = count_of(list_, true);
  std::string text = fmt::format("{} of {} images done", done_, jobs);
  if (!failed_.empty()) text += fmt::format(", {} failed", failed_.size());
  if (left > 0) text += fmt::format(", {} not begun", left);
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return text + fmt::format(" in {:.1f} s ({:.1f} images/s, {:.1f} MB/s)", seconds, double(done_) / seconds, double(bytes_) * 1e-6 / seconds);
}

void Reporter::finish() {
  const bool drawn = progress_.visible();
  progress_.clear();
  if (!storage_fault_.empty())
    say(list_.jobs.size() == 1 ? storage_fault_ : fmt::format("{} ({})", storage_fault_, summary()));
  else if (list_.jobs.size() > 1 && (!failed_.empty() || verbose() || drawn))
    say(summary());
  if (!request_.failed.empty()) write_failed();
}

void Reporter::write_failed() const {
  const char end = request_.null_separated ? '\0' : '\n';
  std::string names;
  for (const std::string& name : failed_) {
    if (name.find(end) != std::string::npos)
      print_message(fmt::format("{}: its name holds a newline, {} can't list it; use --null", name, request_.failed));
    else
      names += name + end;
  }
  write_file_atomically(request_.failed, std::as_bytes(std::span(names)));
}

void Reporter::say(const std::string& message) {
  progress_.clear();
  print_message(message);
}

}  // namespace upfirdn::cli
