#pragma once
/// Errors that reach the user: one line "thing: what is wrong; what to do", and the exit code of the process.

#include <stdexcept>
#include <string>

namespace upfirdn {

/// Exit codes of the program, as documented in the README.
enum class ExitCode : int {
  ok = 0,
  image_failed = 1,   ///< some image failed; the others are done
  usage = 2,          ///< wrong whatever the files hold; nothing was read or written
  device = 3,         ///< the device asked for can't be used
  mismatch = 4,       ///< `compare` or `--verify` found a difference
  interrupted = 130,  ///< SIGINT
  terminated = 143,   ///< SIGTERM
};

/// An error for the user. Bugs are `std::logic_error`. Caught per image and in main, nowhere else.
class Error : public std::runtime_error {
 public:
  /// `message` reads "thing: what is wrong; what to do" without a trailing newline.
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// The place of the outputs takes no more, or nothing at all (full, over quota, read-only): further outputs would fail as well.
class StorageError : public Error {
 public:
  explicit StorageError(const std::string& message) : Error(ExitCode::image_failed, message) {}
};

/// A device failed in a way that later work on it would meet as well.
class DeviceLost : public Error {
 public:
  explicit DeviceLost(const std::string& message) : Error(ExitCode::device, message) {}
};

/// Throws Error(usage).
[[noreturn]] inline void refuse(const std::string& message) { throw Error(ExitCode::usage, message); }

}  // namespace upfirdn
