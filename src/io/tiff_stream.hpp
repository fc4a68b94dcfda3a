#pragma once
/// libtiff over the bytes of an input or output, with its messages and failures kept apart from those of
/// other images.

#include <tiffio.h>

#include <exception>
#include <string>

#include "io/codec.hpp"

namespace upfirdn {

/// An open TIFF. libtiff knows no exceptions: callbacks keep theirs, and whoever sees libtiff fail calls
/// `check`.
class TiffStream {
 public:
  /// Reads the first directory. Throws Error(image_failed).
  explicit TiffStream(const ByteSource& source);
  /// Starts a little-endian file; `big` makes it a BigTIFF, which may exceed 4 GiB.
  TiffStream(ByteSink& sink, bool big);
  /// Writes nothing more.
  ~TiffStream();
  TiffStream(const TiffStream&) = delete;
  TiffStream& operator=(const TiffStream&) = delete;

  [[nodiscard]] TIFF* get() const { return tiff_; }

  /// libtiff's first error since the last `forget_messages`; empty if there was none.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// The same for warnings.
  [[nodiscard]] const std::string& warning() const { return warning_; }
  void forget_messages();
  /// Throws what a callback of this stream threw, if any did.
  void rethrow_callback_exception();

 private:
  void open(const char* mode, std::int64_t largest_allocation);

  static TiffStream& self(thandle_t handle) { return *static_cast<TiffStream*>(handle); }
  static tmsize_t read(thandle_t handle, void* bytes, tmsize_t count);
  static tmsize_t write(thandle_t handle, void* bytes, tmsize_t count);
  static toff_t seek(thandle_t handle, toff_t offset, int whence);
  static toff_t size(thandle_t handle);
  static int close(thandle_t) { return 0; }
  static int on_error(TIFF*, void* stream, const char* module, const char* format, va_list arguments);
  static int on_warning(TIFF*, void* stream, const char* module, const char* format, va_list arguments);

  const ByteSource* source_ = nullptr;
  ByteSink* sink_ = nullptr;
  const std::string& name_;
  toff_t position_ = 0;
  std::string error_, warning_;
  std::exception_ptr callback_exception_;
  TIFF* tiff_ = nullptr;
};

}  // namespace upfirdn
