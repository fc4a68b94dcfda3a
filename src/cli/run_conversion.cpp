#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <set>

#include "app/file_places.hpp"
#include "app/journal.hpp"
#include "app/plan_file.hpp"
#include "app/request_text.hpp"
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
    if (request.reports.verbosity == Verbosity::verbose) {
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

/// True if doing it once more leaves an image that was done as it is.
bool changes_once(const ConvertRequest& request) {
  const ResampleSpec& spec = request.spec;
  const auto* resize = std::get_if<ResizeRequest>(&spec.operation);
  if (resize == nullptr || resize->crop || resize->shift.x.num != 0 || resize->shift.y.num != 0) return false;
  const ResizeTarget& target = resize->target;
  const bool relative = std::holds_alternative<ByScale>(target) || std::holds_alternative<ByFactors>(target) || std::holds_alternative<ToSpacing>(target);
  const EpilogueRequest& epilogue = spec.epilogue;
  const bool plain = epilogue.bias.empty() && epilogue.activation == Activation::none && epilogue.activation_gain == 1 && !epilogue.clamp;
  return !relative && plain && !request.run.values.changes_values();
}

/// The journal of a run in place. Throws Error(usage) where there has to be one and there is none.
std::unique_ptr<Journal> open_journal(const ConvertRequest& request) {
  if (request.journal.empty()) {
    if (request.files.in_place() && !request.dry_run && !changes_once(request))
      throw Error(ExitCode::usage, "--in-place: a second run, after a kill, would change files that are done once more; add --journal FILE");
    return nullptr;
  }
  if (request.dry_run && !is_regular(request.journal)) return nullptr;
  return std::make_unique<Journal>(request.journal, describe(request.spec, request.run.values));
}

/// Files that the run writes beside images must not be one of the images, nor each other.
void refuse_mixed_files(const ConvertRequest& request, const JobList& list) {
  std::set<std::string> own;
  for (const std::string& file : {request.reports.report, request.reports.failed, request.journal}) {
    if (file.empty() || file == "-") continue;
    if (!own.insert(file_identity(file)).second)
      throw Error(ExitCode::usage, file + ": is named for two lists; give --report, --failed and --journal files of their own");
  }
  if (own.empty()) return;
  for (const Job& job : list.jobs)
    for (const std::string& image : {job.input, job.output})
      if (image != "-" && own.contains(file_identity(image)))
        throw RefusedJob(job, image + ": is an image and the file of --report, --failed or --journal; name another file");
}

JobList plan(const ConvertRequest& request, const Journal* journal) {
  JobList list = plan_jobs(
      request.files,
      [&](const Job& job) {
        const ImageInfo output = plan_file(request.spec, request.run, job).plan.output;
        return Size{output.width, output.height};
      },
      journal);
  refuse_mixed_files(request, list);
  return list;
}

}  // namespace

int run_conversion(ConvertRequest request) {
  if (!request.cpu_target.empty()) force_cpu_target(request.cpu_target);
  const std::unique_ptr<Journal> journal = open_journal(request);
  request.run.journal = journal.get();
  JobList list;
  try {
    list = plan(request, journal.get());
  } catch (const RefusedJob& refused) {
    if (!request.reports.report.empty()) JobReport(request.reports.report, request.spec).add(refused);
    throw;
  }
  if (request.dry_run) return print_plans(request, list);
  if (request.all_cuda_devices) {
    for (const CudaDevice& device : cuda_status().devices)
      request.run.cuda_ordinals.push_back(device.ordinal);
  }
  prepare_folders(list);
  Reporter reporter(request.reports, request.spec, list);
  const int code = run_jobs(request.spec, request.run, list.jobs, [&](const JobResult& result) { reporter.report(result); });
  reporter.finish();
  return code;
}

}  // namespace upfirdn::cli
