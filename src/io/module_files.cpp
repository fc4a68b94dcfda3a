#include "io/module_files.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace upfirdn {

namespace fs = std::filesystem;

const ModuleFile imaging_module{"imaging", "imaging.so", UPFIRDN_IMAGING_PACKAGE, "PNG, TIFF or PGM"};
const ModuleFile dicom_module{"dicom", "dicom-codec", UPFIRDN_DICOM_PACKAGE, "DICOM files that are not compressed"};

std::string find_module(const ModuleFile& module) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path folder = program.parent_path();
  for (const fs::path& place : {folder / "modules", folder / ".." / UPFIRDN_MODULE_FOLDER}) {
    if (fs::is_regular_file(place / module.file, error)) return (place / module.file).lexically_normal();
  }
  return {};
}

std::string module_path(const ModuleFile& module) {
  std::string path = find_module(module);
  if (path.empty()) {
    throw Error(ExitCode::image_failed, fmt::format("module {}: {} is not beside the program; install upfirdn again (it needs the Debian package {}) or use {}",
                                                    module.name, module.file, module.package, module.alternative));
  }
  return path;
}

Error module_error(const ModuleFile& module, const std::string& what) {
  return {ExitCode::image_failed, fmt::format("module {}: {}; install the Debian package {} or use {}", module.name, what,
                                              module.package, module.alternative)};
}

std::vector<std::string> module_status() {
  std::vector<std::string> lines;
  for (const ModuleFile* module : {&imaging_module, &dicom_module}) {
    const std::string path = find_module(*module);
    lines.push_back(std::string(module->name) + " " + (path.empty() ? "not found" : path));
  }
  return lines;
}

}  // namespace upfirdn
