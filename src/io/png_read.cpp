#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "io/byte_files.hpp"
#include "io/header_bytes.hpp"
#include "io/png_codec.hpp"
#include "io/png_errors.hpp"
#include "io/png_metadata.hpp"
#include "io/png_rows.hpp"

namespace upfirdn {
namespace {

/// The two structures of a decoder.
struct ReadHandle {
  explicit ReadHandle(PngFailure& failure)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure, on_png_error, ignore_png_warning)) {
    if (png != nullptr) info = png_create_info_struct(png);
  }
  ~ReadHandle() { png_destroy_read_struct(&png, &info, nullptr); }
  ReadHandle(const ReadHandle&) = delete;
  ReadHandle& operator=(const ReadHandle&) = delete;

  png_structp png;
  png_infop info = nullptr;
};

class PngReader final : public ImageReader {
 public:
  explicit PngReader(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), file_(*source_), handle_(failure_) {
    if (handle_.info == nullptr)
      throw image_error(source_->name(), "libpng can't be started; free some memory");
    png_set_read_fn(handle_.png, this, read_callback);
    run([&] { read_header(); });
    if (color_type_ == PNG_COLOR_TYPE_PALETTE) copy_palette();
    metadata_ = read_png_metadata(*source_);
    describe();
    check_size();
  }

  [[nodiscard]] const ImageInfo& info() const override { return info_; }

  [[nodiscard]] std::shared_ptr<const Metadata> metadata() const override { return metadata_; }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (next_row_ + count > info_.height) throw std::logic_error("read past the last row");
    if (next_row_ == 0 && count > 0) start();
    for (std::int64_t i = 0; i < count; ++i, ++next_row_) read_row(rows + stride_bytes * std::size_t(i));
    if (next_row_ == info_.height && count > 0 && !interlaced_) finish();
  }

 private:
  template <class Step>
  void run(const Step& step) {
    if (attempt(handle_.png, step)) return;
    if (failure_.cause) std::rethrow_exception(std::exchange(failure_.cause, nullptr));
    throw damaged(*source_, fmt::format("PNG decoding stopped ({})", failure_.message.data()));
  }

  static void read_callback(png_structp png, png_bytep bytes, std::size_t count) {
    auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
    if (!reader->take({reinterpret_cast<std::byte*>(bytes), count})) png_error(png, "it ends early");
  }

  /// Copies the next bytes of the file; false if there are not as many or reading failed.
  [[nodiscard]] bool take(std::span<std::byte> bytes) noexcept {
    try {
      return file_.read(bytes) == bytes.size();
    } catch (...) {
      failure_.cause = std::current_exception();
      return false;
    }
  }

  /// Reads up to the first IDAT chunk. Everything that damages or shortens the picture is an error; chunks
  /// that do not change samples are skipped, their checksums included in the check.
  void read_header() {
    png_structp png = handle_.png;
    png_set_benign_errors(png, 0);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_set_user_limits(png, png_uint_32(longest_png_side), png_uint_32(longest_png_side));
    png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
    png_read_info(png, handle_.info);
    width_ = png_get_image_width(png, handle_.info);
    height_ = png_get_image_height(png, handle_.info);
    bit_depth_ = png_get_bit_depth(png, handle_.info);
    color_type_ = png_get_color_type(png, handle_.info);
    stored_channels_ = png_get_channels(png, handle_.info);
    interlaced_ = png_get_interlace_type(png, handle_.info) != PNG_INTERLACE_NONE;
    transparent_ = png_get_valid(png, handle_.info, PNG_INFO_tRNS) != 0;
  }

  void copy_palette() {
    png_colorp colors = nullptr;
    png_bytep opacity = nullptr;
    int opacities = 0;
    png_get_PLTE(handle_.png, handle_.info, &colors, &palette_entries_);
    if (transparent_) png_get_tRNS(handle_.png, handle_.info, &opacity, &opacities, nullptr);
    for (int i = 0; i < palette_entries_; ++i) {
      const png_color& c = colors[i];
      palette_[std::size_t(i)] = {c.red, c.green, c.blue, i < opacities ? opacity[i] : std::uint8_t{255}};
    }
  }

  void describe() {
    info_.width = width_;
    info_.height = height_;
    const int colors =
        color_type_ == PNG_COLOR_TYPE_PALETTE ? 3 : (color_type_ & PNG_COLOR_MASK_COLOR ? 3 : 1);
    const bool alpha = transparent_ || (color_type_ & PNG_COLOR_MASK_ALPHA) != 0;
    info_.channels = colors + (alpha ? 1 : 0);
    info_.type = bit_depth_ == 16 ? PixelType::u16 : PixelType::u8;
    info_.maxval = full_scale(info_.type);
    info_.alpha = alpha ? Alpha::straight : Alpha::none;
    if (metadata_->resolution) info_.spacing = metadata_->resolution->spacing();
  }

  /// Deflate makes at most 1032 bytes of one, so a header can't promise more than that of its file.
  void check_size() const {
    const double declared = double(width_) * double(height_) * bit_depth_ * stored_channels_ / 8;
    if (declared <= 1032.0 * double(source_->size())) return;
    throw damaged(*source_, fmt::format("its header says {} x {} pixels, more than its {} bytes can hold",
                                        width_, height_, source_->size()));
  }

  /// Samples are stored as they are delivered, in the order of the rows: then libpng need not read them.
  [[nodiscard]] bool is_plain() const {
    return !interlaced_ && !transparent_ && bit_depth_ >= 8 && color_type_ != PNG_COLOR_TYPE_PALETTE;
  }

  /// Sets up the decoding into native 8 or 16-bit samples; a palette is looked up here, after libpng.
  void start() {
    if (is_plain()) {
      rows_.emplace(*source_, file_, info_.row_bytes(), info_.pixel_bytes(), info_.height);
      return;
    }
    run([&] {
      png_structp png = handle_.png;
      if (color_type_ == PNG_COLOR_TYPE_PALETTE) {
        png_set_packing(png);
      } else {
        if (bit_depth_ < 8) png_set_expand_gray_1_2_4_to_8(png);
        if (transparent_) png_set_tRNS_to_alpha(png);
        if (bit_depth_ == 16 && std::endian::native == std::endian::little) png_set_swap(png);
      }
      passes_ = png_set_interlace_handling(png);
      png_read_update_info(png, handle_.info);
      decoded_row_bytes_ = png_get_rowbytes(png, handle_.info);
    });
    const bool palette = color_type_ == PNG_COLOR_TYPE_PALETTE;
    if (decoded_row_bytes_ != (palette ? std::size_t(width_) : info_.row_bytes()))
      throw std::logic_error("PNG rows have another size than planned");
    if (interlaced_)
      decode_whole();
    else if (palette)
      decoded_.resize(decoded_row_bytes_);
  }

  /// Interlaced images come in passes over all rows.
  void decode_whole() {
    decoded_.resize(decoded_row_bytes_ * std::size_t(height_));
    run([&] {
      for (int pass = 0; pass < passes_; ++pass) {
        for (std::size_t y = 0; y < height_; ++y)
          png_read_row(handle_.png, reinterpret_cast<png_bytep>(decoded_.data() + y * decoded_row_bytes_),
                       nullptr);
      }
    });
    finish();
  }

  void read_row(std::byte* row) {
    if (rows_) return copy_samples(rows_->next(), row);
    const bool palette = color_type_ == PNG_COLOR_TYPE_PALETTE;
    const std::byte* decoded = decoded_.data();
    if (interlaced_) {
      decoded += std::size_t(next_row_) * decoded_row_bytes_;
    } else {
      std::byte* target = palette ? decoded_.data() : row;
      run([&] { png_read_row(handle_.png, reinterpret_cast<png_bytep>(target), nullptr); });
    }
    if (palette)
      look_up(decoded, row);
    else if (interlaced_)
      std::memcpy(row, decoded, info_.row_bytes());
  }

  void copy_samples(std::span<const std::uint8_t> stored, std::byte* row) const {
    std::memcpy(row, stored.data(), stored.size());
    if (bit_depth_ < 16 || std::endian::native == std::endian::big) return;
    for (std::size_t i = 0; i < stored.size(); i += 2) std::swap(row[i], row[i + 1]);
  }

  void look_up(const std::byte* indices, std::byte* row) const {
    const std::size_t channels = std::size_t(info_.channels);
    for (std::size_t x = 0; x < width_; ++x, row += channels) {
      const int index = std::to_integer<int>(indices[x]);
      if (index >= palette_entries_) {
        throw damaged(*source_,
                      fmt::format("a pixel has colour {} of a palette of {}", index, palette_entries_));
      }
      std::memcpy(row, palette_[std::size_t(index)].data(), channels);
    }
  }

  /// Reads on to the end of the file's last chunk: checksums, and that nothing is missing.
  void finish() {
    if (rows_) return rows_->finish();
    run([&] { png_read_end(handle_.png, nullptr); });
  }

  std::unique_ptr<ByteSource> source_;
  PngFailure failure_;
  ForwardReader file_;
  ReadHandle handle_;

  std::shared_ptr<const PictureMetadata> metadata_;
  ImageInfo info_;
  std::size_t width_ = 0, height_ = 0;
  int bit_depth_ = 0, color_type_ = 0, stored_channels_ = 0, passes_ = 1;
  bool interlaced_ = false, transparent_ = false;
  std::array<std::array<std::uint8_t, 4>, 256> palette_{};
  int palette_entries_ = 0;

  std::optional<PngRows> rows_;  ///< of a plain file
  std::size_t decoded_row_bytes_ = 0;
  std::vector<std::byte> decoded_;  ///< all rows if interlaced; one row of indices if there is a palette
  std::int64_t next_row_ = 0;
};

}  // namespace

std::unique_ptr<ImageReader> open_png(std::unique_ptr<ByteSource> source) {
  return std::make_unique<PngReader>(std::move(source));
}

}  // namespace upfirdn
