#include <fmt/format.h>

#include <cstdio>

#include "app/plan_file.hpp"
#include "cli/convert_request.hpp"
#include "core/error.hpp"
#include "resample/backend.hpp"

namespace upfirdn::cli {
namespace {

/// Prints what a job would do; false if it would fail.
bool print_plan(const ConvertRequest& request, const Job& job) {
  const std::string input = input_name(job), output = output_name(job);
  if (job.input == "-") {
    fmt::print("{} -> {}\n", input, output);
    return true;
  }
  try {
    const PlannedFile file = plan_file(request.spec, request.run, job);
    const ImageInfo &in = file.plan.input, &out = file.plan.output;
    fmt::print("{} {}x{} {} -> {} {}x{} {} {}\n", input, in.width, in.height, name(in.type), output,
               out.width, out.height, name(out.type), file.format->name);
    if (request.verbosity == Verbosity::verbose) {
      for (const std::string& note : file.plan.notes) fmt::print("  {}\n", note);
    }
    return true;
  } catch (const Error& error) {
    print_message(error.what());
    return false;
  }
}

int print_plans(const ConvertRequest& request, const JobList& list) {
  bool all_fit = true;
  for (const Job& job : list.jobs) all_fit = print_plan(request, job) && all_fit;
  return int(all_fit ? ExitCode::ok : ExitCode::image_failed);
}

void tell_skipped(const ConvertRequest& request, const JobList& list) {
  if (list.unrecognised > 0 && request.verbosity != Verbosity::quiet) {
    print_message(fmt::format("{} file{} in folders {} no known image; skipped", list.unrecognised,
                              list.unrecognised == 1 ? "" : "s", list.unrecognised == 1 ? "is" : "are"));
  }
  if (list.skipped > 0 && request.verbosity == Verbosity::verbose) {
    print_message(fmt::format("{} outputs exist; skipped", list.skipped));
  }
}

}  // namespace

int run_conversion(ConvertRequest request) {
  if (!request.cpu_target.empty()) force_cpu_target(request.cpu_target);
  const JobList list = plan_jobs(request.files, [&](const Job& job) {
    const ImageInfo output = plan_file(request.spec, request.run, job).plan.output;
    return Size{output.width, output.height};
  });
  tell_skipped(request, list);
  if (request.dry_run) return print_plans(request, list);
  if (request.all_cuda_devices) {
    for (const CudaDevice& device : cuda_status().devices)
      request.run.cuda_ordinals.push_back(device.ordinal);
  }
  make_folders(list);
  Reporter reporter(request.verbosity, list.jobs.size());
  const int code = run_jobs(request.spec, request.run, list.jobs,
                            [&](const JobResult& result) { reporter.report(result); });
  reporter.finish();
  return code;
}

}  // namespace upfirdn::cli
