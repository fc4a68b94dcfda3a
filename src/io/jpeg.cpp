#include <cstdio>
// jpeglib.h needs FILE and size_t.
#include <fmt/format.h>
#include <jerror.h>
#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstring>
#include <exception>
#include <utility>

#include "io/header_bytes.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t buffer_bytes = std::size_t(1) << 16;
constexpr int most_scans =
    500;  ///< a progressive file with more is an attack: each scan costs a pass over the image

/// libjpeg's error state: `base` must come first, libjpeg hands it back.
struct JpegErrors {
  jpeg_error_mgr base{};
  std::jmp_buf escape{};
  std::array<char, JMSG_LENGTH_MAX> message{};
  std::exception_ptr cause;  ///< exception of a callback
};

/// libjpeg's error exit. Jumps to the innermost `attempt`.
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

/// libjpeg goes on after a warning with invented samples; here it ends the image.
void on_message(j_common_ptr codec, int level) {
  if (level < 0 && !is_harmless(*codec->err)) on_error(codec);
}

void install(JpegErrors& errors, jpeg_error_mgr*& slot) {
  slot = jpeg_std_error(&errors.base);
  errors.base.error_exit = on_error;
  errors.base.emit_message = on_message;
}

/// Runs `step`; false if libjpeg jumped out of it. Because of that jump neither `step` nor a callback below
/// it may own anything while it calls libjpeg.
template <class Step>
[[nodiscard]] bool attempt(JpegErrors& errors, const Step& step) {
  if (setjmp(errors.escape) != 0) return false;
  step();
  return true;
}

/// libjpeg's source manager over a ByteSource.
struct SourceManager {
  jpeg_source_mgr base{};  ///< first: libjpeg hands it back
  const ByteSource* source = nullptr;
  JpegErrors* errors = nullptr;
  std::uint64_t offset = 0;
  std::array<JOCTET, buffer_bytes> buffer;

  [[nodiscard]] bool refill() noexcept {
    std::size_t count = 0;
    try {
      count = source->read_at(offset, std::as_writable_bytes(std::span(buffer)));
    } catch (...) {
      errors->cause = std::current_exception();
    }
    offset += count;
    base.next_input_byte = buffer.data();
    base.bytes_in_buffer = count;
    return count > 0;
  }
};

void init_source(j_decompress_ptr) {}
void term_source(j_decompress_ptr) {}

boolean fill_input_buffer(j_decompress_ptr codec) {
  auto* manager = reinterpret_cast<SourceManager*>(codec->src);
  if (!manager->refill()) {
    codec->err->msg_code = JERR_INPUT_EOF;
    on_error(reinterpret_cast<j_common_ptr>(codec));
  }
  return TRUE;
}

void skip_input_data(j_decompress_ptr codec, long count) {
  if (count <= 0) return;
  auto* manager = reinterpret_cast<SourceManager*>(codec->src);
  const std::size_t buffered = manager->base.bytes_in_buffer;
  const std::size_t wanted = std::size_t(count);
  const std::size_t skipped = wanted < buffered ? wanted : buffered;
  manager->base.next_input_byte += skipped;
  manager->base.bytes_in_buffer -= skipped;
  manager->offset += wanted - skipped;
}

void limit_scans(j_common_ptr codec) {
  if (reinterpret_cast<j_decompress_ptr>(codec)->input_scan_number > most_scans) {
    codec->err->msg_code = JERR_BAD_PROGRESSION;
    on_error(codec);
  }
}

struct Decompressor {
  explicit Decompressor(JpegErrors& errors) {
    install(errors, codec.err);
    created = attempt(errors, [&] { jpeg_create_decompress(&codec); });
  }
  ~Decompressor() {
    if (created) jpeg_destroy_decompress(&codec);
  }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  jpeg_decompress_struct codec{};
  bool created = false;
};

class JpegReader final : public ImageReader {
 public:
  explicit JpegReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)), handle_(errors_) {
    if (!handle_.created) throw image_error(source_->name(), "libjpeg can't be started; free some memory");
    connect();
    run([&] { jpeg_read_header(&codec(), TRUE); });
    choose_colors();
    check_size();
    info_ = {.width = codec().image_width,
             .height = codec().image_height,
             .channels = codec().out_color_space == JCS_GRAYSCALE ? 1 : 3,
             .type = PixelType::u8,
             .maxval = 255};
  }

  [[nodiscard]] const ImageInfo& info() const override { return info_; }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (next_row_ + count > info_.height) throw std::logic_error("read past the last row");
    if (count <= 0) return;
    run([&] {
      if (next_row_ == 0) jpeg_start_decompress(&codec());
      for (std::int64_t i = 0; i < count; ++i) {
        auto row = reinterpret_cast<JSAMPROW>(rows + stride_bytes * std::size_t(i));
        jpeg_read_scanlines(&codec(), &row, 1);
      }
      if (next_row_ + count == info_.height) jpeg_finish_decompress(&codec());
    });
    next_row_ += count;
  }

 private:
  [[nodiscard]] jpeg_decompress_struct& codec() { return handle_.codec; }

  template <class Step>
  void run(const Step& step) {
    if (attempt(errors_, step)) return;
    if (errors_.cause) std::rethrow_exception(std::exchange(errors_.cause, nullptr));
    const int code = errors_.base.msg_code;
    if (code == JERR_BAD_PRECISION || code == JERR_SOF_UNSUPPORTED)
      throw unsupported(*source_, fmt::format("this kind of JPEG ({})", errors_.message.data()));
    throw damaged(*source_, fmt::format("JPEG decoding stopped ({})", errors_.message.data()));
  }

  void connect() {
    manager_.source = source_.get();
    manager_.errors = &errors_;
    manager_.base.init_source = init_source;
    manager_.base.fill_input_buffer = fill_input_buffer;
    manager_.base.skip_input_data = skip_input_data;
    manager_.base.resync_to_restart = jpeg_resync_to_restart;
    manager_.base.term_source = term_source;
    codec().src = &manager_.base;
    progress_.progress_monitor = limit_scans;
    codec().progress = &progress_;
  }

  void choose_colors() {
    switch (codec().jpeg_color_space) {
      case JCS_GRAYSCALE:
        codec().out_color_space = JCS_GRAYSCALE;
        return;
      case JCS_RGB:
      case JCS_YCbCr:
        codec().out_color_space = JCS_RGB;
        return;
      case JCS_CMYK:
      case JCS_YCCK:
        throw image_error(source_->name(),
                          "a CMYK JPEG, for which colour management is needed; convert it to RGB first");
      default:
        throw image_error(source_->name(),
                          fmt::format("a JPEG of {} components of unknown meaning; convert it to gray or "
                                      "RGB first",
                                      codec().num_components));
    }
  }

  /// A Huffman-coded block of 64 samples takes at least one bit; with sampling factors that is below 4096
  /// pixels a byte.
  void check_size() {
    const double pixels = double(codec().image_width) * double(codec().image_height);
    if (codec().arith_code || pixels <= 4096.0 * double(source_->size())) return;
    throw damaged(*source_, fmt::format("its header says {} x {} pixels, more than its {} bytes can hold",
                                        codec().image_width, codec().image_height, source_->size()));
  }

  std::unique_ptr<ByteSource> source_;
  JpegErrors errors_;
  SourceManager manager_;
  jpeg_progress_mgr progress_{};
  Decompressor handle_;
  ImageInfo info_;
  std::int64_t next_row_ = 0;
};

/// libjpeg's destination manager over a ByteSink.
struct SinkManager {
  jpeg_destination_mgr base{};  ///< first: libjpeg hands it back
  ByteSink* sink = nullptr;
  JpegErrors* errors = nullptr;
  std::uint64_t offset = 0;
  std::array<JOCTET, buffer_bytes> buffer;

  [[nodiscard]] bool flush(std::size_t count) noexcept {
    try {
      sink->write_at(offset, std::as_bytes(std::span(buffer).first(count)));
    } catch (...) {
      errors->cause = std::current_exception();
      return false;
    }
    offset += count;
    base.next_output_byte = buffer.data();
    base.free_in_buffer = buffer.size();
    return true;
  }
};

void init_destination(j_compress_ptr codec) {
  auto* manager = reinterpret_cast<SinkManager*>(codec->dest);
  manager->base.next_output_byte = manager->buffer.data();
  manager->base.free_in_buffer = manager->buffer.size();
}

void flush_destination(j_compress_ptr codec, std::size_t count) {
  if (reinterpret_cast<SinkManager*>(codec->dest)->flush(count)) return;
  codec->err->msg_code = JERR_FILE_WRITE;
  on_error(reinterpret_cast<j_common_ptr>(codec));
}

boolean empty_output_buffer(j_compress_ptr codec) {
  flush_destination(codec, buffer_bytes);  // libjpeg asks for the whole buffer, whatever free_in_buffer says
  return TRUE;
}

void term_destination(j_compress_ptr codec) {
  flush_destination(codec, buffer_bytes - codec->dest->free_in_buffer);
}

struct Compressor {
  explicit Compressor(JpegErrors& errors) {
    install(errors, codec.err);
    created = attempt(errors, [&] { jpeg_create_compress(&codec); });
  }
  ~Compressor() {
    if (created) jpeg_destroy_compress(&codec);
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  jpeg_compress_struct codec{};
  bool created = false;
};

class JpegWriter final : public ImageWriter {
 public:
  JpegWriter(std::unique_ptr<ByteSink> sink, const ImageInfo& info, int quality)
      : sink_(std::move(sink)), info_(info), handle_(errors_) {
    if (!handle_.created) throw image_error(sink_->name(), "libjpeg can't be started; free some memory");
    manager_.sink = sink_.get();
    manager_.errors = &errors_;
    manager_.base.init_destination = init_destination;
    manager_.base.empty_output_buffer = empty_output_buffer;
    manager_.base.term_destination = term_destination;
    handle_.codec.dest = &manager_.base;
    run([&] { start(quality); });
  }

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (next_row_ + count > info_.height) throw std::logic_error("write past the last row");
    run([&] {
      for (std::int64_t i = 0; i < count; ++i) {
        // libjpeg reads the row only, its type merely lacks the const.
        auto row = reinterpret_cast<JSAMPROW>(const_cast<std::byte*>(rows + stride_bytes * std::size_t(i)));
        jpeg_write_scanlines(&handle_.codec, &row, 1);
      }
    });
    next_row_ += count;
  }

  void finish() override {
    if (next_row_ != info_.height) throw std::logic_error("JPEG finished before its last row");
    run([&] { jpeg_finish_compress(&handle_.codec); });
  }

 private:
  template <class Step>
  void run(const Step& step) {
    if (attempt(errors_, step)) return;
    if (errors_.cause) std::rethrow_exception(std::exchange(errors_.cause, nullptr));
    throw image_error(sink_->name(), fmt::format("can't be encoded as JPEG ({}); choose another format",
                                                 errors_.message.data()));
  }

  /// Colour is halved in both directions (4:2:0) below quality 90 and kept whole (4:4:4) from there on.
  void start(int quality) {
    jpeg_compress_struct& codec = handle_.codec;
    codec.image_width = JDIMENSION(info_.width);
    codec.image_height = JDIMENSION(info_.height);
    codec.input_components = info_.channels;
    codec.in_color_space = info_.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&codec);
    jpeg_set_quality(&codec, quality, TRUE);
    if (info_.channels == 3 && quality >= 90)
      codec.comp_info[0].h_samp_factor = codec.comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(&codec, TRUE);
  }

  std::unique_ptr<ByteSink> sink_;
  ImageInfo info_;
  JpegErrors errors_;
  SinkManager manager_;
  Compressor handle_;
  std::int64_t next_row_ = 0;
};

/// What JPEG can't hold, or options it doesn't know.
void check_writable(const std::string& name, const ImageInfo& info, const CodecOptions& options) {
  if (options.quality < 1 || options.quality > 100)
    throw Error(ExitCode::usage, fmt::format("--quality {}: it is 1 to 100; choose one", options.quality));
  if (info.type != PixelType::u8) {
    throw image_error(name, fmt::format("JPEG can't hold {} samples; write PNG or TIFF, or give --depth 8",
                                        upfirdn::name(info.type)));
  }
  if ((info.channels != 1 && info.channels != 3) || info.alpha != Alpha::none) {
    throw image_error(name, fmt::format("JPEG can't hold {} channels{}; write PNG, TIFF or WebP",
                                        info.channels, info.alpha == Alpha::none ? "" : " with alpha"));
  }
  if (info.width > JPEG_MAX_DIMENSION || info.height > JPEG_MAX_DIMENSION) {
    throw image_error(name,
                      fmt::format("JPEG can't hold {} x {} pixels, its sides end at {}; write PNG or TIFF",
                                  info.width, info.height, JPEG_MAX_DIMENSION));
  }
}

[[nodiscard]] bool is_jpeg(std::span<const std::byte> head) {
  return head.size() >= 3 && std::memcmp(head.data(), "\xff\xd8\xff", 3) == 0;
}

}  // namespace

Format jpeg_format() {
  return {
      .name = "JPEG",
      .extensions = {"jpg", "jpeg", "jpe"},
      .recognises = is_jpeg,
      .open = [](std::unique_ptr<ByteSource> source, const CodecOptions&) -> std::unique_ptr<ImageReader> {
        return std::make_unique<JpegReader>(std::move(source));
      },
      .create = [](std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t,
                   const CodecOptions& options) -> std::unique_ptr<ImageWriter> {
        check_writable(sink->name(), info, options);
        return std::make_unique<JpegWriter>(std::move(sink), info, options.quality);
      },
      .types = {PixelType::u8},
      .channels = {1, 3},
      .max_side = JPEG_MAX_DIMENSION,
      .holds_alpha = false,
  };
}

}  // namespace upfirdn
