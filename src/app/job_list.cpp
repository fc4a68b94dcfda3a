#include "app/job_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "app/file_places.hpp"
#include "app/input_files.hpp"
#include "app/journal.hpp"
#include "app/output_names.hpp"
#include "io/hidden_files.hpp"

namespace upfirdn {
namespace {

namespace fs = std::filesystem;

Job job_in_place(const InputFile& source) {
  std::error_code error;
  if (source.path == "-" || (fs::exists(source.path, error) && !is_regular(source.path)))
    refuse(source.path + ": is no regular file, nothing can take its place; name an output (-o)");
  return {source.path, source.path, "", true};
}

std::vector<Job> name_jobs(const FileRequest& request, const std::vector<InputFile>& sources, const OutputSize& output_size) {
  std::vector<Job> jobs;
  jobs.reserve(sources.size());
  if (request.in_place()) {
    for (const InputFile& source : sources) jobs.push_back(job_in_place(source));
  } else if (request.output != "-" && goes_into_folder(request)) {
    const FolderNames names(request, output_size);
    for (const InputFile& source : sources) jobs.push_back(names.name(source, std::int64_t(jobs.size()) + 1));
  } else {
    jobs.push_back(single_job(request, sources.front().path));
  }
  return jobs;
}

/// What only a folder as output can take.
void refuse_without_folder(const FileRequest& request) {
  if (request.in_place() || (request.output != "-" && goes_into_folder(request))) return;
  const bool folder_given = std::any_of(request.inputs.begin(), request.inputs.end(),
                                        [](const std::string& input) { return input != "-" && is_folder(input); });
  if (request.inputs.size() > 1 || folder_given || !request.list.empty())
    refuse(fmt::format("{}: several inputs or a folder need a folder as output; end a new folder's name with '/'", request.output));
  if (!request.name_template.empty()) refuse("--name: names files in a folder; give a folder as output");
}

void refuse_collisions(const std::vector<Job>& jobs) {
  std::map<std::string, const Job*> inputs, outputs;  // by the identity of their file
  for (const Job& job : jobs) {
    if (job.input != "-") inputs.emplace(file_identity(job.input), &job);
  }
  for (const Job& job : jobs) {
    std::error_code error;
    if (job.output == "-" || (fs::exists(job.output, error) && !is_regular(job.output) && !is_folder(job.output))) continue;
    if (is_folder(job.output)) throw RefusedJob(job, job.output + ": is a folder; choose another output name");
    const std::string id = file_identity(job.output);
    const auto input = inputs.find(id);
    if (input != inputs.end() && !job.in_place)
      throw RefusedJob(job, fmt::format("{}: is the input {}; write to another name or folder", job.output, input->second->input));
    const auto [other, unique] = outputs.emplace(id, &job);
    if (!unique) {
      throw RefusedJob(job, fmt::format("{}: would be written for {} and for {}; {}", job.output, other->second->input, job.input,
                                        job.in_place ? "name it once" : "tell them apart with --name"));
    }
  }
}

/// Why a job needs no work.
std::optional<SkippedFile::Reason> reason_to_skip(const FileRequest& request, const Journal* journal, const Job& job) {
  using Reason = SkippedFile::Reason;
  if (job.in_place) return journal != nullptr && journal->is_done(job.input) ? std::optional(Reason::in_journal) : std::nullopt;
  if (job.output == "-" || !is_regular(job.output)) return std::nullopt;
  if (request.existing == Existing::skip) return Reason::output_exists;
  if (request.existing != Existing::update) return std::nullopt;
  std::error_code no_input, no_output;
  const auto input = fs::last_write_time(job.input, no_input), output = fs::last_write_time(job.output, no_output);
  return no_input || no_output || output < input ? std::nullopt : std::optional(Reason::up_to_date);
}

void leave_out_skipped(const FileRequest& request, const Journal* journal, JobList& list) {
  std::erase_if(list.jobs, [&](const Job& job) {
    const auto reason = reason_to_skip(request, journal, job);
    if (reason) list.skipped.push_back({job.input, job.output, *reason});
    return reason.has_value();
  });
}

void refuse_existing(const FileRequest& request, const std::vector<Job>& jobs) {
  if (request.existing != Existing::refuse || request.in_place()) return;
  const auto exists = [](const Job& job) { return job.output != "-" && is_regular(job.output); };
  const std::int64_t found = std::count_if(jobs.begin(), jobs.end(), exists);
  if (found == 0) return;
  const Job& first = *std::find_if(jobs.begin(), jobs.end(), exists);
  constexpr std::string_view remedy = "use --overwrite, --skip-existing or --update";
  if (jobs.size() == 1) throw RefusedJob(first, fmt::format("{}: exists; {}", first.output, remedy));
  throw RefusedJob(first, fmt::format("{}: {} of {} outputs exist, this is the first; {}", first.output, found, jobs.size(), remedy));
}

/// The folders that outputs go to.
std::vector<std::string> output_folders(const std::vector<Job>& jobs) {
  std::set<std::string> folders;
  for (const Job& job : jobs)
    if (job.output != "-") folders.insert(folder_of(job.output));
  return {folders.begin(), folders.end()};
}

}  // namespace

JobList plan_jobs(const FileRequest& request, const OutputSize& output_size, const Journal* journal) {
  refuse_without_folder(request);
  InputFiles found = find_input_files(request);
  JobList list;
  list.jobs = name_jobs(request, found.files, output_size);
  for (InputFile& file : found.unrecognised)
    if (request.shard.holds(file.key)) list.skipped.push_back({std::move(file.path), "", SkippedFile::Reason::no_image});
  std::vector<bool> is_ours;
  for (const InputFile& file : std::exchange(found.files, {})) is_ours.push_back(request.shard.holds(file.key));
  refuse_collisions(list.jobs);
  std::size_t number = 0;
  std::erase_if(list.jobs, [&](const Job&) { return !is_ours[number++]; });
  leave_out_skipped(request, journal, list);
  refuse_existing(request, list.jobs);
  list.folders = output_folders(list.jobs);
  return list;
}

void prepare_folders(const JobList& list) {
  const bool batch = list.jobs.size() + list.skipped.size() > 1;  // to list a large folder takes longer than one image
  for (const std::string& folder : list.folders) {
    std::error_code error;
    if (!fs::create_directories(folder, error) && !error && batch) remove_abandoned_files(folder);
    if (error) {
      throw Error(ExitCode::image_failed,
                  fmt::format("{}: can't be made ({}); check the name and the permissions of the folder above it", folder, error.message()));
    }
  }
}

}  // namespace upfirdn
