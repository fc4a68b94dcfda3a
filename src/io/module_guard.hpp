#pragma once
/// What the modules share: no exception leaves a function of a C table.

#include <cstddef>
#include <cstring>
#include <exception>

/// Runs `work` and returns 0; or writes what it throws to `error` (`error_size` bytes, terminated) as one line and returns 1.
template <class Work>
int guarded(char* error, std::size_t error_size, Work&& work) noexcept {
  const auto say = [&](const char* text) {
    if (error_size == 0) return 1;
    std::strncpy(error, text, error_size - 1);
    error[error_size - 1] = '\0';
    for (char* c = error; *c != '\0'; ++c) {
      if (*c == '\n') *c = ' ';
    }
    return 1;
  };
  try {
    work();
    return 0;
  } catch (const std::exception& exception) {
    return say(exception.what());
  } catch (...) {
    return say("unknown error");
  }
}
