#include "io/tiff_stream.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <utility>

#include "io/header_bytes.hpp"

namespace upfirdn {
namespace {

struct FreeOptions {
  void operator()(TIFFOpenOptions* options) const noexcept { TIFFOpenOptionsFree(options); }
};

/// Keeps the first message; the later ones follow from it.
void keep_first(std::string& kept, const char* format, va_list arguments) noexcept {
  if (!kept.empty()) return;
  std::array<char, 300> text;
  std::vsnprintf(text.data(), text.size(), format, arguments);
  try {
    kept = text.data();
    if (kept.empty()) kept = "unknown reason";
  } catch (...) {
    kept.clear();
  }
}

}  // namespace

TiffStream::TiffStream(const ByteSource& source) : source_(&source), name_(source.name()) {
  // A block of any compression is at most some thousand times larger than the file; damaged headers ask for
  // more.
  const std::int64_t largest = (std::int64_t(1) << 26) + 4096 * std::int64_t(source.size());
  open("rmc", largest);  // not mapped; strips as they are in the file
  if (tiff_ == nullptr) throw damaged(source, "no TIFF can be read (" + error_ + ")");
}

TiffStream::TiffStream(ByteSink& sink, bool big) : sink_(&sink), name_(sink.name()) {
  open(big ? "wl8" : "wl", 0);
  if (tiff_ == nullptr) throw image_error(sink.name(), "no TIFF can be started (" + error_ + ")");
}

TiffStream::~TiffStream() {
  if (tiff_ != nullptr) TIFFCleanup(tiff_);
}

void TiffStream::open(const char* mode, std::int64_t largest_allocation) {
  const std::unique_ptr<TIFFOpenOptions, FreeOptions> options(TIFFOpenOptionsAlloc());
  if (!options) throw image_error(name_, "libtiff can't be started; free some memory");
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), largest_allocation);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, this);
  tiff_ = TIFFClientOpenExt(name_.c_str(), mode, this, read, write, seek, close, size, nullptr, nullptr,
                            options.get());
  rethrow_callback_exception();
}

void TiffStream::forget_messages() {
  error_.clear();
  warning_.clear();
}

void TiffStream::rethrow_callback_exception() {
  if (callback_exception_) std::rethrow_exception(std::exchange(callback_exception_, nullptr));
}

tmsize_t TiffStream::read(thandle_t handle, void* bytes, tmsize_t count) {
  TiffStream& stream = self(handle);
  const std::span<std::byte> target(static_cast<std::byte*>(bytes), std::size_t(count));
  try {
    const std::size_t got = stream.source_ != nullptr ? stream.source_->read_at(stream.position_, target)
                                                      : stream.sink_->read_at(stream.position_, target);
    stream.position_ += got;
    return tmsize_t(got);
  } catch (...) {
    stream.callback_exception_ = std::current_exception();
    return -1;
  }
}

tmsize_t TiffStream::write(thandle_t handle, void* bytes, tmsize_t count) {
  TiffStream& stream = self(handle);
  if (stream.sink_ == nullptr) return -1;
  try {
    stream.sink_->write_at(stream.position_, {static_cast<const std::byte*>(bytes), std::size_t(count)});
    stream.position_ += std::size_t(count);
    return count;
  } catch (...) {
    stream.callback_exception_ = std::current_exception();
    return -1;
  }
}

toff_t TiffStream::seek(thandle_t handle, toff_t offset, int whence) {
  TiffStream& stream = self(handle);
  toff_t start = 0;
  if (whence == SEEK_CUR) start = stream.position_;
  if (whence == SEEK_END) start = size(handle);
  stream.position_ = start + offset;
  return stream.position_;
}

toff_t TiffStream::size(thandle_t handle) {
  const TiffStream& stream = self(handle);
  return stream.source_ != nullptr ? stream.source_->size() : stream.sink_->size();
}

int TiffStream::on_error(TIFF*, void* stream, const char*, const char* format, va_list arguments) {
  keep_first(static_cast<TiffStream*>(stream)->error_, format, arguments);
  return 1;
}

int TiffStream::on_warning(TIFF*, void* stream, const char*, const char* format, va_list arguments) {
  keep_first(static_cast<TiffStream*>(stream)->warning_, format, arguments);
  return 1;
}

}  // namespace upfirdn
