#pragma once
/// Parts of the program that are loaded or run only where a file needs them, because the libraries behind them are large.

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace upfirdn {

struct ModuleFile {
  const char* name;         ///< "imaging"
  const char* file;         ///< "imaging.so"
  const char* package;      ///< the Debian package whose library it needs
  const char* alternative;  ///< what works without it
};

extern const ModuleFile imaging_module;  ///< OpenCV, loaded
extern const ModuleFile exr_module;      ///< OpenEXR, loaded
extern const ModuleFile dicom_module;    ///< GDCM, a process of its own

/// Where a module is: beside a program in its build folder, or where it is installed; never in the working directory.
/// Empty if it is nowhere.
[[nodiscard]] std::string find_module(const ModuleFile& module);

/// The same; throws module_error if it is nowhere.
[[nodiscard]] std::string module_path(const ModuleFile& module);

/// "module NAME: WHAT; install the Debian package PACKAGE ..." as the failure of one file.
[[nodiscard]] Error module_error(const ModuleFile& module, const std::string& what);

/// The table of a module that is loaded: what its symbol `entry` returns. Its first member is its ABI number, which must be
/// `abi`. Throws module_error.
[[nodiscard]] const void* load_module(const ModuleFile& module, const char* entry, std::uint32_t abi);

/// One line a module for `--version`, "imaging /usr/lib/upfirdn/imaging.so" or "imaging not found". Loads nothing.
[[nodiscard]] std::vector<std::string> module_status();

}  // namespace upfirdn
