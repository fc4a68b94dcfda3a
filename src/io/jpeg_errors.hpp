#pragma once
/// How libjpeg reports errors: by a jump that must not skip destructors.

#include <cstddef>
#include <cstdio>

// jpeglib.h needs FILE and size_t of the headers above.
#include <jpeglib.h>
// jerror.h needs jpeglib.h.
#include <jerror.h>

#include <array>
#include <csetjmp>
#include <exception>

namespace upfirdn {

/// libjpeg's error state: `base` must come first, libjpeg hands it back.
struct JpegErrors {
  jpeg_error_mgr base{};
  std::jmp_buf escape{};
  std::array<char, JMSG_LENGTH_MAX> message{};
  std::exception_ptr cause;  ///< exception of a callback
};

/// Makes `errors` the error state of a codec that is not created yet. A warning about damaged data is an
/// error: libjpeg would go on with invented samples.
void install(JpegErrors& errors, jpeg_error_mgr*& slot);

/// For callbacks: ends the innermost `attempt` with libjpeg's message `code`.
[[noreturn]] void leave_libjpeg(j_common_ptr codec, int code);

/// Runs `step`; false if libjpeg jumped out of it. Because of that jump neither `step` nor a callback below
/// it may own anything while it calls libjpeg.
template <class Step>
[[nodiscard]] bool attempt(JpegErrors& errors, const Step& step) {
  if (setjmp(errors.escape) != 0) return false;
  step();
  return true;
}

}  // namespace upfirdn
