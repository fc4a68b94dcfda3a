#include "io/png_errors.hpp"

#include <cstring>

namespace upfirdn {

void on_png_error(png_structp png, png_const_charp message) {
  auto* failure = static_cast<PngFailure*>(png_get_error_ptr(png));
  std::strncpy(failure->message.data(), message, failure->message.size() - 1);
  png_longjmp(png, 1);
}

void ignore_png_warning(png_structp, png_const_charp) {}

}  // namespace upfirdn
