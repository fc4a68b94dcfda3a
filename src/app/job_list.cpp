#include "app/job_list.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>

#include "app/name_template.hpp"
#include "core/error.hpp"

namespace upfirdn {
namespace {

namespace fs = std::filesystem;

/// One input file and its place below the folder that was named.
struct Source {
  std::string path;
  fs::path below;  ///< folder relative to the named folder; empty for named files
};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ExitCode::usage, message);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_regular(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// The extension without its dot; empty if there is none.
std::string extension_of(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension.size() > 1 ? extension.substr(1) : "";
}

/// Text that is the same for every path to one file, whether it exists or not.
std::string identity(fs::path path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) return fmt::format("{}:{}", status.st_dev, status.st_ino);
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(path, error); ++links) {
    const fs::path target = fs::read_symlink(path, error);
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  const fs::path resolved = fs::weakly_canonical(folder, error);
  return ((error ? folder : resolved) / path.filename()).lexically_normal().string();
}

bool holds_image(const fs::path& path) {
  std::array<char, 192> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  return recognise_format(std::as_bytes(std::span(head.data(), std::size_t(file.gcount())))) != nullptr;
}

/// Finds the input files behind the names given.
class SourceFinder {
 public:
  explicit SourceFinder(const FileRequest& request) : request_(request) {}

  std::vector<Source> sources;
  std::int64_t unrecognised = 0;

  void find() {
    bool standard_input = false;
    for (const std::string& input : request_.inputs) {
      if (input == "-" && std::exchange(standard_input, true))
        refuse("-: standard input given twice; give it once");
      if (input != "-" && is_folder(input))
        search(input);
      else
        sources.push_back({input, {}});
    }
    if (sources.empty()) {
      const std::string skipped = unrecognised == 0 ? "" : fmt::format(" ({} other files)", unrecognised);
      refuse(fmt::format("{}: holds no images{}; name files{}", request_.inputs.front(), skipped,
                         request_.recursive ? "" : ", or use -r to descend into folders"));
    }
  }

 private:
  void search(const fs::path& folder) {
    std::vector<fs::path> files;
    try {
      list(folder, files);
    } catch (const fs::filesystem_error& error) {
      refuse(fmt::format("{}: can't be listed ({}); check its permissions", error.path1().string(),
                         error.code().message()));
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      if (holds_image(file))
        sources.push_back({file.string(), file.parent_path().lexically_relative(folder)});
      else
        ++unrecognised;
    }
  }

  /// Regular files of `folder`. Hidden names and the output folder are passed over; links to folders are not
  /// followed.
  void list(const fs::path& folder, std::vector<fs::path>& files) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().native().starts_with('.')) continue;
      if (is_regular(entry.path())) files.push_back(entry.path());
      const bool descend = request_.recursive && entry.is_directory() && !entry.is_symlink();
      if (descend && identity(entry.path()) != identity(request_.output)) list(entry.path(), files);
    }
  }

  const FileRequest& request_;
};

/// The extensions of all formats that can be written.
std::string writable_extensions() {
  std::string known;
  for (const Format& format : formats()) {
    if (format.create) known += (known.empty() ? "" : ", ") + format.extensions.front();
  }
  return known;
}

const Format& writable_format(const std::string& extension, const std::string& place) {
  const Format* format = find_format(extension);
  if (format == nullptr) {
    refuse(
        fmt::format("{}: '{}' is no known format; use one of {}", place, extension, writable_extensions()));
  }
  if (!format->create) {
    refuse(fmt::format("{}: {} can't be written; use one of {}", place, format->name, writable_extensions()));
  }
  return *format;
}

/// The extension that `--format` gives to names.
std::string format_extension(const std::string& text, const Format& format) {
  std::string lower = text;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  const auto& known = format.extensions;
  return std::find(known.begin(), known.end(), lower) != known.end() ? lower : known.front();
}

/// Format of a file that the user names in full, or of a template that ends in an extension.
std::string explicit_format(const std::string& extension, const std::string& place,
                            const std::string& option) {
  if (extension.empty()) return option;
  const Format* named = find_format(extension);
  if (option.empty()) {
    (void)writable_format(extension, place);
    return extension;
  }
  if (named != nullptr && named != find_format(option)) {
    refuse(
        fmt::format("{}: its name says {}, --format says {}; make them agree", place, named->name, option));
  }
  return option;
}

/// Names the outputs of several inputs in one folder.
class FolderNames {
 public:
  FolderNames(const FileRequest& request, const OutputSize& output_size)
      : request_(request), output_size_(output_size), name_(request.name_template) {
    if (!request.format.empty()) {
      extension_ = format_extension(request.format, writable_format(request.format, "--format"));
    }
    format_ = explicit_format(name_.literal_extension(), "--name", request.format);
  }

  [[nodiscard]] Job name(const Source& source, std::int64_t number) const {
    const bool standard_input = source.path == "-";
    const fs::path input = standard_input ? fs::path("stdin") : fs::path(source.path);
    Job job{source.path, "", format_};
    NameParts parts{.dir = input.parent_path().lexically_normal().string(),
                    .stem = input.stem().string(),
                    .ext = request_.format.empty() ? extension_of(input) : extension_,
                    .number = number};
    if (name_.needs_size()) {
      std::error_code error;
      if (standard_input || (fs::exists(source.path, error) && !is_regular(source.path))) {
        refuse(fmt::format("{}: {{w}} and {{h}} need a regular file as input; leave them out of --name",
                           source.path));
      }
      read_size(job, parts);
    }
    job.output = (fs::path(request_.output) / source.below / name_.expand(parts)).lexically_normal().string();
    return job;
  }

 private:
  /// A file that can't be read keeps size 0: its job fails for the same reason and writes nothing.
  void read_size(const Job& job, NameParts& parts) const {
    try {
      const Size size = output_size_(job);
      parts.width = size.width;
      parts.height = size.height;
    } catch (const Error& error) {
      if (error.code() != ExitCode::image_failed) throw;
    }
  }

  const FileRequest& request_;
  const OutputSize& output_size_;
  NameTemplate name_;
  std::string extension_, format_;
};

bool wants_folder(const FileRequest& request) {
  const bool ends_in_slash = request.output.ends_with('/');
  if (is_folder(request.output)) return true;
  std::error_code error;
  if (ends_in_slash && fs::exists(fs::path(request.output).parent_path(), error)) {
    refuse(request.output + ": exists and is no folder; name another folder");
  }
  return ends_in_slash;
}

/// The job of one input and one output that is no folder.
Job single_job(const FileRequest& request, const std::string& input) {
  if (!request.format.empty()) (void)writable_format(request.format, "--format");
  if (request.output != "-") {
    const fs::path folder = fs::path(request.output).parent_path();
    if (!folder.empty() && !is_folder(folder)) {
      refuse(fmt::format("{}: there is no folder {}; make it first", request.output, folder.string()));
    }
    return {input, request.output,
            explicit_format(extension_of(request.output), request.output, request.format)};
  }
  if (request.format.empty()) {
    refuse(fmt::format("-o -: standard output needs --format; use one of {}", writable_extensions()));
  }
  return {input, "-", request.format};
}

void refuse_collisions(const std::vector<Job>& jobs) {
  std::map<std::string, std::string> inputs;  // identity -> path
  std::map<std::string, const Job*> outputs;
  for (const Job& job : jobs) {
    if (job.input != "-") inputs.emplace(identity(job.input), job.input);
  }
  for (const Job& job : jobs) {
    std::error_code error;
    if (job.output == "-" ||
        (fs::exists(job.output, error) && !is_regular(job.output) && !is_folder(job.output))) {
      continue;
    }
    if (is_folder(job.output)) refuse(job.output + ": is a folder; choose another output name");
    const std::string id = identity(job.output);
    if (const auto input = inputs.find(id); input != inputs.end()) {
      refuse(fmt::format("{}: is the input {}; write to another name or folder", job.output, input->second));
    }
    const auto [other, unique] = outputs.emplace(id, &job);
    if (!unique) {
      refuse(fmt::format("{}: would be written for {} and for {}; tell them apart with --name", job.output,
                         other->second->input, job.input));
    }
  }
}

void apply_existing(const FileRequest& request, JobList& list) {
  if (request.existing == Existing::overwrite) return;
  const auto exists = [](const Job& job) { return job.output != "-" && is_regular(job.output); };
  const std::int64_t found = std::count_if(list.jobs.begin(), list.jobs.end(), exists);
  if (found == 0) return;
  if (request.existing == Existing::skip) {
    list.skipped = found;
    std::erase_if(list.jobs, exists);
    return;
  }
  const std::string first = std::find_if(list.jobs.begin(), list.jobs.end(), exists)->output;
  constexpr std::string_view remedy = "use --overwrite or --skip-existing";
  if (list.jobs.size() == 1) refuse(fmt::format("{}: exists; {}", first, remedy));
  refuse(fmt::format("{}: {} of {} outputs exist, this is the first; {}", first, found, list.jobs.size(),
                     remedy));
}

/// Folders of the outputs that do not exist yet.
std::vector<std::string> missing_folders(const std::vector<Job>& jobs) {
  std::set<std::string> folders;
  for (const Job& job : jobs) {
    const fs::path folder = fs::path(job.output).parent_path();
    if (!folder.empty() && !is_folder(folder)) folders.insert(folder.string());
  }
  return {folders.begin(), folders.end()};
}

}  // namespace

JobList plan_jobs(const FileRequest& request, const OutputSize& output_size) {
  const bool into_folder = request.output != "-" && wants_folder(request);
  const bool folder_given =
      std::any_of(request.inputs.begin(), request.inputs.end(),
                  [](const std::string& input) { return input != "-" && is_folder(input); });
  if (!into_folder && (request.inputs.size() > 1 || folder_given)) {
    refuse(fmt::format(
        "{}: several inputs or a folder need a folder as output; end a new folder's name with '/'",
        request.output));
  }
  if (!into_folder && !request.name_template.empty()) {
    refuse("--name: names files in a folder; give a folder as output");
  }
  SourceFinder finder(request);
  finder.find();
  JobList list;
  list.unrecognised = finder.unrecognised;
  if (into_folder) {
    const FolderNames names(request, output_size);
    for (const Source& source : finder.sources) {
      list.jobs.push_back(names.name(source, std::int64_t(list.jobs.size()) + 1));
    }
  } else {
    list.jobs.push_back(single_job(request, finder.sources.front().path));
  }
  refuse_collisions(list.jobs);
  apply_existing(request, list);
  if (into_folder) list.folders = missing_folders(list.jobs);
  return list;
}

void make_folders(const JobList& list) {
  for (const std::string& folder : list.folders) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
      throw Error(ExitCode::image_failed,
                  fmt::format("{}: can't be made ({}); check the name and the permissions of "
                              "the folder above it",
                              folder, error.message()));
    }
  }
}

}  // namespace upfirdn
