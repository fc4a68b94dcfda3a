#pragma once
/// Parts of the program that are loaded or run only where a file needs them, because the libraries behind them are large.

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
extern const ModuleFile dicom_module;    ///< GDCM, a process of its own

/// Where a module is: beside a program in its build folder, or where it is installed; never in the working directory.
/// Empty if it is nowhere.
[[nodiscard]] std::string find_module(const ModuleFile& module);

/// The same; throws module_error if it is nowhere.
[[nodiscard]] std::string module_path(const ModuleFile& module);

/// "module NAME: WHAT; install the Debian package PACKAGE ..." as the failure of one file.
[[nodiscard]] Error module_error(const ModuleFile& module, const std::string& what);

/// One line a module for `--version`, "imaging /usr/lib/upfirdn/imaging.so" or "imaging not found". Loads nothing.
[[nodiscard]] std::vector<std::string> module_status();

}  // namespace upfirdn
