#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "io/header_bytes.hpp"
#include "io/jpeg_codec.hpp"
#include "io/jpeg_errors.hpp"
#include "io/jpeg_metadata.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t buffer_bytes = std::size_t(1) << 16;
/// A progressive file with more scans is an attack: each costs a pass over the image.
constexpr int most_scans = 500;

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
    leave_libjpeg(reinterpret_cast<j_common_ptr>(codec), JERR_INPUT_EOF);
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
    leave_libjpeg(codec, JERR_BAD_PROGRESSION);
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
  JpegReader(std::unique_ptr<ByteSource> source, int shrink) : source_(std::move(source)), handle_(errors_) {
    if (!handle_.created) throw image_error(source_->name(), "libjpeg can't be started; free some memory");
    connect();
    run([&] {
      keep_metadata_markers(codec());
      jpeg_read_header(&codec(), TRUE);
    });
    choose_colors();
    check_size();
    codec().scale_num = 1;
    codec().scale_denom = unsigned(shrink);
    run([&] { jpeg_calc_output_dimensions(&codec()); });
    info_ = {.width = codec().output_width,
             .height = codec().output_height,
             .channels = codec().out_color_space == JCS_GRAYSCALE ? 1 : 3,
             .type = PixelType::u8,
             .maxval = 255};
    metadata_ = read_metadata(shrink);
    if (metadata_->resolution) info_.spacing = metadata_->resolution->spacing();
  }

  [[nodiscard]] const ImageInfo& info() const override { return info_; }

  [[nodiscard]] std::shared_ptr<const Metadata> metadata() const override { return metadata_; }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (next_row_ + count > info_.height) throw std::logic_error("read past the last row");
    if (count <= 0) return;
    run([&] {
      if (next_row_ == 0) jpeg_start_decompress(&codec());
      for (std::int64_t i = 0; i < count; ++i) {
        std::byte* target = rows + stride_bytes * std::size_t(i);
        auto row = reinterpret_cast<JSAMPROW>(inks_.empty() ? target : inks_.data());
        jpeg_read_scanlines(&codec(), &row, 1);
        if (!inks_.empty()) mix_inks(target);
      }
    });
    next_row_ += count;
    if (next_row_ == info_.height) finish();
  }

 private:
  [[nodiscard]] jpeg_decompress_struct& codec() { return handle_.codec; }

  template <class Step>
  void run(const Step& step) {
    if (attempt(errors_, step)) return;
    if (errors_.cause) std::rethrow_exception(std::exchange(errors_.cause, nullptr));
    const int code = errors_.base.msg_code;
    if (code == JERR_BAD_PRECISION)
      throw unsupported(*source_, fmt::format("a JPEG of {} bits a sample", errors_.base.msg_parm.i[0]));
    if (code == JERR_SOF_UNSUPPORTED)
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
        codec().out_color_space = JCS_CMYK;
        inks_.resize(4 * std::size_t(codec().image_width));
        return;
      default:
        throw image_error(source_->name(),
                          fmt::format("a JPEG of {} components of unknown meaning; convert it to gray or "
                                      "RGB first",
                                      codec().num_components));
    }
  }

  [[nodiscard]] std::shared_ptr<const PictureMetadata> read_metadata(int shrink) {
    JOCTET* profile = nullptr;
    unsigned size = 0;
    run([&] { (void)jpeg_read_icc_profile(&codec(), &profile, &size); });
    const std::unique_ptr<JOCTET, decltype(&std::free)> owner(profile, &std::free);
    const auto* begin = reinterpret_cast<const std::byte*>(profile);
    const auto told = read_jpeg_metadata(codec(), profile == nullptr ? Bytes{} : Bytes(begin, begin + size));
    if (auto& resolution = told->resolution; resolution && resolution->unit != Resolution::Unit::none)
      resolution->x = resolution->x / Fraction{shrink, 1}, resolution->y = resolution->y / Fraction{shrink, 1};
    if (!inks_.empty()) told->left_out.emplace_back("a CMYK JPEG: inks are turned into RGB without its colour profile");
    return told;
  }

  /// RGB from a row of inks: what cyan, magenta and yellow leave of the light times what black leaves. Adobe's programs store
  /// what is left, others the ink.
  void mix_inks(std::byte* out) const {
    const bool stores_rest = handle_.codec.saw_Adobe_marker != 0;
    for (std::size_t at = 0; at < inks_.size(); at += 4) {
      const auto rest = [&](std::size_t i) {
        const unsigned value = std::to_integer<unsigned>(inks_[at + i]);
        return stores_rest ? value : 255 - value;
      };
      for (std::size_t c = 0; c < 3; ++c) *out++ = std::byte((rest(c) * rest(3) + 127) / 255);
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

  /// Reads on to the end marker, and looks whether scans are missing before it.
  void finish() {
    const int components = codec().num_components;
    for (int i = 0; i < components; ++i) {
      if (codec().comp_info[i].quant_table == nullptr)
        throw damaged(*source_, "a JPEG without the scan of one of its components");
      if (!codec().progressive_mode) continue;
      const auto& missing_bits = codec().coef_bits[i];  // of each coefficient; -1: never seen
      if (std::any_of(std::begin(missing_bits), std::end(missing_bits), [](int bits) { return bits != 0; }))
        throw damaged(*source_, "a progressive JPEG without its last scans");
    }
    run([&] { jpeg_finish_decompress(&codec()); });
  }

  std::unique_ptr<ByteSource> source_;
  JpegErrors errors_;
  SourceManager manager_;
  jpeg_progress_mgr progress_{};
  Decompressor handle_;
  ImageInfo info_;
  std::shared_ptr<const PictureMetadata> metadata_;
  std::vector<std::byte> inks_;  ///< a row of CMYK; empty: the image has none
  std::int64_t next_row_ = 0;
};

}  // namespace

std::unique_ptr<ImageReader> open_jpeg(std::unique_ptr<ByteSource> source, int shrink) {
  return std::make_unique<JpegReader>(std::move(source), shrink);
}

}  // namespace upfirdn
