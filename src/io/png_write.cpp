#include <fmt/format.h>

#include <utility>

#include "io/deflate.hpp"
#include "io/formats.hpp"
#include "io/png_codec.hpp"
#include "io/png_errors.hpp"
#include "io/png_filter.hpp"
#include "io/png_metadata.hpp"

namespace upfirdn {
namespace {

/// The two structures of an encoder.
struct WriteHandle {
  explicit WriteHandle(PngFailure& failure)
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, on_png_error, ignore_png_warning)) {
    if (png != nullptr) info = png_create_info_struct(png);
  }
  ~WriteHandle() { png_destroy_write_struct(&png, &info); }
  WriteHandle(const WriteHandle&) = delete;
  WriteHandle& operator=(const WriteHandle&) = delete;

  png_structp png;
  png_infop info = nullptr;
};

/// libpng writes the container; what is in the IDAT chunks comes from PngRowFilter and Deflater.
class PngWriter final : public ImageWriter {
 public:
  PngWriter(std::unique_ptr<ByteSink> sink, const ImageInfo& info, const CodecOptions& options)
      : sink_(std::move(sink)), info_(info), handle_(failure_), level_(options.level.value_or(default_level)), filter_(info, level_ > 0) {
    if (handle_.info == nullptr)
      throw image_error(sink_->name(), "libpng can't be started; free some memory");
    png_set_write_fn(handle_.png, this, write_callback, flush_callback);
    run([&] { write_header(); });
    const PictureMetadata told = outgoing_metadata(options, info);
    write_png_metadata(told, [&](const char* type, std::span<const std::byte> data) { write_chunk(type, data); });
    notes_ = told.left_out;
    const std::uint64_t bytes = std::uint64_t(info.height) * (1 + info.row_bytes());
    deflater_ = make_deflater(level_, bytes, [this](std::span<const std::byte> piece) { write_chunk("IDAT", piece); });
  }

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (next_row_ + count > info_.height) throw std::logic_error("write past the last row");
    for (std::int64_t i = 0; i < count; ++i)
      deflater_->write(filter_.apply(rows + stride_bytes * std::size_t(i)));
    next_row_ += count;
  }

  void finish() override {
    if (next_row_ != info_.height) throw std::logic_error("PNG finished before its last row");
    deflater_->finish();
    write_chunk("IEND", {});
  }

  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

 private:
  /// The smallest that needs no memory for the whole image; on noisy scans within 10 % of libpng's default.
  static constexpr int default_level = 2;

  template <class Step>
  void run(const Step& step) {
    if (attempt(handle_.png, step)) return;
    if (failure_.cause) std::rethrow_exception(std::exchange(failure_.cause, nullptr));
    throw image_error(sink_->name(), fmt::format("can't be encoded as PNG ({}); choose another format",
                                                 failure_.message.data()));
  }

  static void write_callback(png_structp png, png_bytep bytes, std::size_t count) {
    auto* writer = static_cast<PngWriter*>(png_get_io_ptr(png));
    if (!writer->put({reinterpret_cast<const std::byte*>(bytes), count}))
      png_error(png, "it can't be written");
  }
  static void flush_callback(png_structp) {}

  [[nodiscard]] bool put(std::span<const std::byte> bytes) noexcept {
    try {
      sink_->write_at(offset_, bytes);
    } catch (...) {
      failure_.cause = std::current_exception();
      return false;
    }
    offset_ += bytes.size();
    return true;
  }

  void write_header() {
    png_structp png = handle_.png;
    const bool color = info_.channels >= 3;
    const bool alpha = info_.alpha != Alpha::none;
    const int color_type = (color ? PNG_COLOR_MASK_COLOR : 0) | (alpha ? PNG_COLOR_MASK_ALPHA : 0);
    png_set_user_limits(png, png_uint_32(longest_png_side), png_uint_32(longest_png_side));
    png_set_IHDR(png, handle_.info, png_uint_32(info_.width), png_uint_32(info_.height),
                 int(size_bytes(info_.type)) * 8, color_type, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, handle_.info);
  }

  /// libpng makes a chunk of `data`.
  void write_chunk(const char* type, std::span<const std::byte> data) {
    run([&] {
      png_write_chunk(handle_.png, reinterpret_cast<png_const_bytep>(type),
                      reinterpret_cast<png_const_bytep>(data.data()), data.size());
    });
  }

  std::unique_ptr<ByteSink> sink_;
  PngFailure failure_;
  std::uint64_t offset_ = 0;
  ImageInfo info_;
  WriteHandle handle_;
  int level_;
  PngRowFilter filter_;
  std::unique_ptr<Deflater> deflater_;
  std::int64_t next_row_ = 0;
  std::vector<std::string> notes_;
};

/// The level is the user's; what PNG can't hold is refused before (`stored_as`).
void check_request(const ImageInfo& info, const CodecOptions& options) {
  if (options.level && (*options.level < 0 || *options.level > 9))
    throw Error(ExitCode::usage,
                fmt::format("--level {}: PNG has the levels 0 to 9; choose one", *options.level));
  const bool integers = info.type == PixelType::u8 || info.type == PixelType::u16;
  const bool last_is_alpha = info.channels == 2 || info.channels == 4;
  const Alpha alpha = last_is_alpha ? Alpha::straight : Alpha::none;
  if (!integers || info.channels < 1 || info.channels > 4 || info.alpha != alpha)
    throw std::logic_error("an image that PNG can't hold");
}

}  // namespace

std::unique_ptr<ImageWriter> create_png(std::unique_ptr<ByteSink> sink, const ImageInfo& info,
                                        const CodecOptions& options) {
  check_request(info, options);
  return std::make_unique<PngWriter>(std::move(sink), info, options);
}

}  // namespace upfirdn
