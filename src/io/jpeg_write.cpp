#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/formats.hpp"
#include "io/jpeg_codec.hpp"
#include "io/jpeg_errors.hpp"
#include "io/jpeg_metadata.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t buffer_bytes = std::size_t(1) << 16;

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
  leave_libjpeg(reinterpret_cast<j_common_ptr>(codec), JERR_FILE_WRITE);
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
  JpegWriter(std::unique_ptr<ByteSink> sink, const ImageInfo& info, const CodecOptions& options)
      : sink_(std::move(sink)), info_(info), told_(outgoing_metadata(options, info)), handle_(errors_) {
    if (!handle_.created) throw image_error(sink_->name(), "libjpeg can't be started; free some memory");
    manager_.sink = sink_.get();
    manager_.errors = &errors_;
    manager_.base.init_destination = init_destination;
    manager_.base.empty_output_buffer = empty_output_buffer;
    manager_.base.term_destination = term_destination;
    handle_.codec.dest = &manager_.base;
    run([&] { start(options.quality); });
    write_metadata();
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

  [[nodiscard]] std::vector<std::string> notes() const override { return told_.left_out; }

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
    set_jpeg_density(codec, told_);
    jpeg_start_compress(&codec, TRUE);
  }

  void write_metadata() {
    for (const JpegMarker& marker : jpeg_markers(told_)) {
      const auto* data = reinterpret_cast<const JOCTET*>(marker.data.data());
      run([&] { jpeg_write_marker(&handle_.codec, marker.code, data, unsigned(marker.data.size())); });
    }
    if (told_.profile.empty()) return;
    const auto* profile = reinterpret_cast<const JOCTET*>(told_.profile.data());
    run([&] { jpeg_write_icc_profile(&handle_.codec, profile, unsigned(told_.profile.size())); });
  }

  std::unique_ptr<ByteSink> sink_;
  ImageInfo info_;
  PictureMetadata told_;
  JpegErrors errors_;
  SinkManager manager_;
  Compressor handle_;
  std::int64_t next_row_ = 0;
};

/// The quality is the user's; what JPEG can't hold is refused before (`stored_as`).
void check_request(const ImageInfo& info, const CodecOptions& options) {
  if (options.quality < 1 || options.quality > 100)
    throw Error(ExitCode::usage, fmt::format("--quality {}: it is 1 to 100; choose one", options.quality));
  const bool fits = info.type == PixelType::u8 && (info.channels == 1 || info.channels == 3) &&
                    info.alpha == Alpha::none && std::max(info.width, info.height) <= JPEG_MAX_DIMENSION;
  if (!fits) throw std::logic_error("an image that JPEG can't hold");
}

}  // namespace

std::unique_ptr<ImageWriter> create_jpeg(std::unique_ptr<ByteSink> sink, const ImageInfo& info,
                                         const CodecOptions& options) {
  check_request(info, options);
  return std::make_unique<JpegWriter>(std::move(sink), info, options);
}

}  // namespace upfirdn
