#include "io/module_files.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace upfirdn {

namespace fs = std::filesystem;

const ModuleFile imaging_module{"imaging", "imaging.so", UPFIRDN_IMAGING_PACKAGE, "PNG, TIFF or PGM"};
const ModuleFile exr_module{"exr", "exr.so", UPFIRDN_EXR_PACKAGE, "TIFF, which holds floats too"};
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

const void* load_module(const ModuleFile& module, const char* entry, std::uint32_t abi) {
  const std::string path = module_path(module);
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw module_error(module, fmt::format("can't be loaded: {}", ::dlerror()));
  const auto table_of = reinterpret_cast<const void* (*)()>(::dlsym(library, entry));
  const void* const table = table_of == nullptr ? nullptr : table_of();
  if (table == nullptr || *static_cast<const std::uint32_t*>(table) != abi) throw module_error(module, "belongs to another version");
  return table;
}

std::vector<std::string> module_status() {
  std::vector<std::string> lines;
  for (const ModuleFile* module : {&imaging_module, &exr_module, &dicom_module}) {
    const std::string path = find_module(*module);
    lines.push_back(std::string(module->name) + " " + (path.empty() ? "not found" : path));
  }
  return lines;
}

}  // namespace upfirdn
