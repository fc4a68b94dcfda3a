#pragma once
/// How libpng reports errors: by a jump that must not skip destructors.

#include <png.h>

#include <array>
#include <csetjmp>
#include <exception>

namespace upfirdn {

/// Why libpng gave up: its message, or the exception of a callback.
struct PngFailure {
  std::array<char, 200> message{};
  std::exception_ptr cause;
};

/// libpng's error exit; its error pointer is a PngFailure. Jumps to the innermost `attempt`.
[[noreturn]] void on_png_error(png_structp png, png_const_charp message);

/// For libpng's warnings.
void ignore_png_warning(png_structp png, png_const_charp message);

/// Runs `step`; false if libpng jumped out of it. Because of that jump neither `step` nor a callback below it
/// may own anything while it calls libpng.
template <class Step>
[[nodiscard]] bool attempt(png_structp png, const Step& step) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  step();
  return true;
}

}  // namespace upfirdn
