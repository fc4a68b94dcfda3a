#include "app/input_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

#include "app/file_places.hpp"
#include "core/error.hpp"
#include "io/codec.hpp"

namespace upfirdn {
namespace {

namespace fs = std::filesystem;

/// The names in a list, between newlines or NUL bytes.
std::vector<std::string> read_list(const std::string& list, bool null_separated) {
  std::ifstream file;
  if (list != "-") {
    if (is_folder(list)) refuse(list + ": is a folder, --files-from takes a file of names; name the folder itself");
    file.open(list, std::ios::binary);
    if (!file) refuse(fmt::format("{}: the list can't be read ({}); check its name", list, std::generic_category().message(errno)));
  }
  std::vector<std::string> names;
  std::istream& lines = list == "-" ? std::cin : file;
  for (std::string line; std::getline(lines, line, null_separated ? '\0' : '\n');)
    if (!line.empty()) names.push_back(std::move(line));
  if (lines.bad()) refuse(list + ": the list can't be read to its end; check the disk");
  return names;
}

bool holds_image(const fs::path& path) {
  std::array<char, 192> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  return recognise_format(std::as_bytes(std::span(head.data(), std::size_t(file.gcount())))) != nullptr;
}

/// Collects the input files.
class Finder {
 public:
  explicit Finder(const FileRequest& request) : request_(request) {}

  InputFiles found;

  void take(const std::string& name) {
    if (name == "-" && std::exchange(standard_input_, true)) refuse("-: standard input given twice; give it once");
    if (name != "-" && is_folder(name))
      search(name);
    else
      found.files.push_back({name, {}, name});
  }

 private:
  void search(const fs::path& folder) {
    std::vector<fs::path> files;
    try {
      list(folder, files);
    } catch (const fs::filesystem_error& error) {
      refuse(fmt::format("{}: can't be listed ({}); check its permissions", error.path1().string(), error.code().message()));
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      const fs::path below = file.parent_path().lexically_relative(folder);
      (holds_image(file) ? found.files : found.unrecognised)
          .push_back({file.string(), below, (below / file.filename()).lexically_normal().string()});
    }
  }

  /// Regular files of `folder`.
  void list(const fs::path& folder, std::vector<fs::path>& files) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().native().starts_with('.')) continue;
      if (is_regular(entry.path())) files.push_back(entry.path());
      const bool descend = request_.recursive && entry.is_directory() && !entry.is_symlink();
      if (descend && !is_output(entry.path())) list(entry.path(), files);
    }
  }
  [[nodiscard]] bool is_output(const fs::path& folder) const {
    return !request_.output.empty() && file_identity(folder) == file_identity(request_.output);
  }

  const FileRequest& request_;
  bool standard_input_ = false;
};

}  // namespace

InputFiles find_input_files(const FileRequest& request) {
  Finder finder(request);
  for (const std::string& name : request.inputs) finder.take(name);
  if (!request.list.empty()) {
    const std::vector<std::string> names = read_list(request.list, request.null_separated);
    if (names.empty() && request.inputs.empty()) refuse(fmt::format("{}: the list names no files; put one name on each line", request.list));
    for (const std::string& name : names) {
      if (name == "-" && request.list == "-") refuse("-: standard input is the list itself; name a file");
      finder.take(name);
    }
  }
  if (finder.found.files.empty()) {
    const std::size_t others = finder.found.unrecognised.size();
    refuse(fmt::format("{}: holds no images{}; name files{}", request.inputs.empty() ? request.list : request.inputs.front(),
                       others == 0 ? "" : fmt::format(" ({} other files)", others),
                       request.recursive ? "" : ", or use -r to descend into folders"));
  }
  return std::move(finder.found);
}

}  // namespace upfirdn
