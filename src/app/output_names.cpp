#include "app/output_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/file_places.hpp"
#include "core/error.hpp"
#include "io/codec.hpp"

namespace upfirdn {
namespace {

namespace fs = std::filesystem;

/// The extension without its dot; empty if there is none.
std::string extension_of(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension.size() > 1 ? extension.substr(1) : "";
}

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

}  // namespace

bool goes_into_folder(const FileRequest& request) {
  const bool ends_in_slash = request.output.ends_with('/');
  if (is_folder(request.output)) return true;
  std::error_code error;
  if (ends_in_slash && fs::exists(fs::path(request.output).parent_path(), error)) {
    refuse(request.output + ": exists and is no folder; name another folder");
  }
  return ends_in_slash;
}

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

FolderNames::FolderNames(const FileRequest& request, const OutputSize& output_size)
    : request_(request), output_size_(output_size), name_(request.name_template) {
  if (!request.format.empty()) {
    extension_ = format_extension(request.format, writable_format(request.format, "--format"));
  }
  format_ = explicit_format(name_.literal_extension(), "--name", request.format);
}

Job FolderNames::name(const InputFile& source, std::int64_t number) const {
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

/// A file that can't be read keeps size 0: its job fails for the same reason and writes nothing.
void FolderNames::read_size(const Job& job, NameParts& parts) const {
  try {
    const Size size = output_size_(job);
    parts.width = size.width;
    parts.height = size.height;
  } catch (const Error& error) {
    if (error.code() != ExitCode::image_failed) throw;
  }
}

}  // namespace upfirdn
