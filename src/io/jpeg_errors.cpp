#include "io/jpeg_errors.hpp"

namespace upfirdn {
namespace {

[[noreturn]] void on_error(j_common_ptr codec) {
  auto* errors = reinterpret_cast<JpegErrors*>(codec->err);
  codec->err->format_message(codec, errors->message.data());
  std::longjmp(errors->escape, 1);
}

/// Warnings after which the picture is still whole: unknown versions and profiles, the scan header that
/// Samsung cameras write, and a few bytes of padding before the end marker.
[[nodiscard]] bool is_harmless(const jpeg_error_mgr& error) {
  switch (error.msg_code) {
    case JWRN_JFIF_MAJOR:
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
    case JWRN_NOT_SEQUENTIAL:
      return true;
    case JWRN_EXTRANEOUS_DATA:
      return error.msg_parm.i[0] <= 16 && error.msg_parm.i[1] == JPEG_EOI;
    default:
      return false;
  }
}

void on_message(j_common_ptr codec, int level) {
  if (level < 0 && !is_harmless(*codec->err)) on_error(codec);
}

}  // namespace

void install(JpegErrors& errors, jpeg_error_mgr*& slot) {
  slot = jpeg_std_error(&errors.base);
  errors.base.error_exit = on_error;
  errors.base.emit_message = on_message;
}

void leave_libjpeg(j_common_ptr codec, int code) {
  codec->err->msg_code = code;
  on_error(codec);
}

}  // namespace upfirdn
