#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "io/header_bytes.hpp"
#include "io/tiff_codec.hpp"
#include "io/tiff_layout.hpp"
#include "io/tiff_metadata.hpp"
#include "io/tiff_pages.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t direct_bytes = std::size_t(1) << 20;  ///< of uncompressed rows that are read at once
constexpr std::size_t whole_strip_bytes = std::size_t(1)
                                          << 25;  ///< larger compressed strips are decoded by rows

/// Writes `count` samples of `bits` bits, most significant first, times `scale`, `stride` apart.
template <class Out>
void unpack_bits(const std::byte* packed, std::int64_t count, int bits, unsigned scale, Out* out,
                 std::size_t stride) {
  std::uint32_t pending = 0;
  int available = 0;
  for (std::int64_t i = 0; i < count; ++i, out += stride) {
    for (; available < bits; available += 8)
      pending = pending << 8 | std::to_integer<std::uint32_t>(*packed++);
    available -= bits;
    *out = Out((pending >> available & ((1u << bits) - 1)) * scale);
  }
}

template <class Sample>
void spread(const std::byte* packed, std::int64_t count, Sample* out, std::size_t stride) {
  for (std::int64_t i = 0; i < count; ++i, out += stride, packed += sizeof(Sample))
    std::memcpy(out, packed, sizeof(Sample));
}

template <class Sample>
void invert(Sample* samples, std::int64_t count, std::size_t stride, std::uint32_t maxval) {
  for (std::int64_t i = 0; i < count; ++i, samples += stride) *samples = Sample(maxval - *samples);
}

template <class Sample>
void look_up(const std::uint8_t* indices, std::int64_t count, const TiffLayout& layout, Sample* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::uint16_t value : layout.palette[indices[i]]) *out++ = Sample(value);
  }
}

/// Rows of all planes that are decoded at present.
struct Band {
  std::int64_t first = 0, rows = 0;
  std::size_t row_bytes = 0, plane_bytes = 0;
  std::vector<std::byte> bytes;

  [[nodiscard]] std::byte* row(std::int64_t y, int plane) {
    return bytes.data() + plane_bytes * std::size_t(plane) + row_bytes * std::size_t(y - first);
  }
  void reshape(std::int64_t first_row, std::int64_t count, std::size_t bytes_a_row, int planes) {
    first = first_row;
    rows = count;
    row_bytes = bytes_a_row;
    plane_bytes = row_bytes * std::size_t(rows);
    bytes.resize(plane_bytes * std::size_t(planes));
  }
};

class TiffReader final : public ImageReader {
 public:
  explicit TiffReader(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), stream_(*source_), pages_(tiff_pages(*source_)) {
    read_layout();
  }

  [[nodiscard]] const ImageInfo& info() const override { return layout_.info; }
  [[nodiscard]] std::int64_t images() const override { return std::int64_t(pages_.size()); }

  [[nodiscard]] std::shared_ptr<const Metadata> metadata() const override { return metadata_; }

  [[nodiscard]] bool next_image() override {
    if (page_ + 1 >= pages_.size()) return false;
    stream_.forget_messages();
    const bool found = TIFFSetSubDirectory(stream_.get(), pages_[++page_]) != 0;
    stream_.rethrow_callback_exception();
    if (!found)
      throw damaged(*source_, fmt::format("page {} can't be read ({})", page_ + 1, stream_.error()));
    read_layout();
    return true;
  }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (next_row_ + count > layout_.height) throw std::logic_error("read past the last row");
    for (std::int64_t i = 0; i < count; ++i, ++next_row_) {
      if (next_row_ >= band_.first + band_.rows || band_.rows == 0) load_band();
      deliver(rows + stride_bytes * std::size_t(i));
    }
  }

 private:
  void read_layout() {
    check_tiff_tags(*source_, pages_[page_]);
    layout_ = read_tiff_layout(stream_, *source_);
    metadata_ = read_tiff_metadata(stream_, *source_);
    if (metadata_->resolution) layout_.info.spacing = metadata_->resolution->spacing();
    band_.rows = 0;
    next_row_ = 0;
  }

  /// Decodes the next rows into `band_`.
  void load_band() {
    if (!layout_.compressed && !layout_.tiled) return load_direct();
    const bool by_rows = !layout_.tiled && !layout_.planar && layout_.block_bytes() > whole_strip_bytes;
    if (!by_rows) return load_blocks();
    band_.reshape(next_row_, 1, layout_.block_row_bytes, 1);
    stream_.forget_messages();
    check(TIFFReadScanline(stream_.get(), band_.bytes.data(), std::uint32_t(next_row_), 0) == 1);
  }

  /// Rows of uncompressed strips, without libtiff's copy of the whole strip.
  void load_direct() {
    const std::int64_t in_strip = next_row_ % layout_.block_height;
    const std::size_t row_bytes = layout_.block_row_bytes;
    const std::int64_t rows = std::min({layout_.block_height - in_strip, layout_.height - next_row_,
                                        std::int64_t(std::max<std::size_t>(1, direct_bytes / row_bytes))});
    band_.reshape(next_row_, rows, row_bytes, layout_.planes());
    for (int plane = 0; plane < layout_.planes(); ++plane) {
      const std::uint32_t strip =
          TIFFComputeStrip(stream_.get(), std::uint32_t(next_row_), std::uint16_t(plane));
      const std::uint64_t skipped = row_bytes * std::uint64_t(in_strip);
      if (skipped + band_.plane_bytes > TIFFGetStrileByteCount(stream_.get(), strip))
        throw damaged(*source_, fmt::format("strip {} is too short", strip));
      const std::uint64_t offset = TIFFGetStrileOffset(stream_.get(), strip) + skipped;
      if (source_->read_at(offset, {band_.row(next_row_, plane), band_.plane_bytes}) < band_.plane_bytes)
        throw cut_short(*source_);
    }
    to_native_order();
  }

  void to_native_order() {
    const auto bytes = reinterpret_cast<std::uint8_t*>(band_.bytes.data());
    const auto count = tmsize_t(band_.bytes.size());
    std::uint16_t fill_order = FILLORDER_MSB2LSB;
    TIFFGetFieldDefaulted(stream_.get(), TIFFTAG_FILLORDER, &fill_order);
    if (fill_order == FILLORDER_LSB2MSB) TIFFReverseBits(bytes, count);
    if (TIFFIsByteSwapped(stream_.get()) == 0) return;
    if (layout_.bits == 16) TIFFSwabArrayOfShort(reinterpret_cast<std::uint16_t*>(bytes), count / 2);
    if (layout_.bits == 32) TIFFSwabArrayOfLong(reinterpret_cast<std::uint32_t*>(bytes), count / 4);
    if (layout_.bits == 64) TIFFSwabArrayOfLong8(reinterpret_cast<std::uint64_t*>(bytes), count / 8);
  }

  /// A row of tiles, or a strip, of every plane.
  void load_blocks() {
    const std::int64_t first = next_row_ / layout_.block_height * layout_.block_height;
    const std::int64_t rows =
        layout_.tiled ? layout_.block_height : std::min(layout_.block_height, layout_.height - first);
    const std::int64_t across = layout_.blocks_across();
    band_.reshape(first, rows, layout_.block_row_bytes * std::size_t(across), layout_.planes());
    for (int plane = 0; plane < layout_.planes(); ++plane) {
      if (across == 1) {
        decode_block(0, plane, band_.row(first, plane));
        continue;
      }
      block_.resize(layout_.block_bytes());
      for (std::int64_t column = 0; column < across; ++column) {
        decode_block(column, plane, block_.data());
        std::byte* target = band_.row(first, plane) + layout_.block_row_bytes * std::size_t(column);
        for (std::int64_t y = 0; y < rows; ++y)
          std::memcpy(target + band_.row_bytes * std::size_t(y),
                      block_.data() + layout_.block_row_bytes * std::size_t(y), layout_.block_row_bytes);
      }
    }
  }

  void decode_block(std::int64_t column, int plane, std::byte* target) {
    TIFF* tiff = stream_.get();
    const auto x = std::uint32_t(column * layout_.block_width), y = std::uint32_t(band_.first);
    const auto sample = std::uint16_t(plane);
    const tmsize_t bytes = tmsize_t(layout_.block_row_bytes * std::size_t(band_.rows));
    stream_.forget_messages();
    const tmsize_t got =
        layout_.tiled ? TIFFReadEncodedTile(tiff, TIFFComputeTile(tiff, x, y, 0, sample), target, bytes)
                      : TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, y, sample), target, bytes);
    check(got == bytes);
  }

  /// libtiff fills up what it can't decode and only warns; here that is an error, but for the note on an old
  /// LZW variant.
  void check(bool decoded) {
    stream_.rethrow_callback_exception();
    const std::string& warning = stream_.warning();
    const bool harmless = warning.empty() || warning.find("Old-style LZW") != std::string::npos;
    if (decoded && harmless && stream_.error().empty()) return;
    const std::string& reason = !stream_.error().empty() ? stream_.error() : warning;
    throw damaged(*source_,
                  fmt::format("TIFF decoding stopped ({})", reason.empty() ? "it ends early" : reason));
  }

  /// Writes row `next_row_` as `info` describes it.
  void deliver(std::byte* out) {
    if (!layout_.palette.empty()) return deliver_palette(out);
    const std::int64_t count = layout_.planar ? layout_.width : layout_.width * layout_.samples;
    const std::size_t stride = std::size_t(layout_.planes());
    visit_pixel_type(layout_.info.type, [&](auto sample) {
      using Sample = decltype(sample);
      auto* samples = reinterpret_cast<Sample*>(out);
      for (int plane = 0; plane < layout_.planes(); ++plane) {
        const std::byte* packed = band_.row(next_row_, plane);
        if constexpr (std::is_unsigned_v<Sample>) {
          if (layout_.bits != int(sizeof(Sample)) * 8) {
            const unsigned scale = layout_.bits < 8 ? 255u / ((1u << layout_.bits) - 1) : 1;
            unpack_bits(packed, count, layout_.bits, scale, samples + plane, stride);
            continue;
          }
        }
        if (stride == 1)
          std::memcpy(out, packed, std::size_t(count) * sizeof(Sample));
        else
          spread(packed, count, samples + plane, stride);
      }
      if constexpr (std::is_unsigned_v<Sample>) {
        if (layout_.white_is_zero)
          invert(samples, layout_.width, std::size_t(layout_.samples), layout_.info.maxval);
      }
    });
  }

  void deliver_palette(std::byte* out) {
    indices_.resize(std::size_t(layout_.width));
    unpack_bits(band_.row(next_row_, 0), layout_.width, layout_.bits, 1, indices_.data(), 1);
    if (layout_.info.type == PixelType::u8)
      look_up(indices_.data(), layout_.width, layout_, reinterpret_cast<std::uint8_t*>(out));
    else
      look_up(indices_.data(), layout_.width, layout_, reinterpret_cast<std::uint16_t*>(out));
  }

  std::unique_ptr<ByteSource> source_;
  TiffStream stream_;
  std::vector<std::uint64_t> pages_;
  std::size_t page_ = 0;
  TiffLayout layout_;
  std::shared_ptr<const PictureMetadata> metadata_;
  std::int64_t next_row_ = 0;
  Band band_;
  std::vector<std::byte> block_;
  std::vector<std::uint8_t> indices_;
};

}  // namespace

std::unique_ptr<ImageReader> open_tiff(std::unique_ptr<ByteSource> source) {
  return std::make_unique<TiffReader>(std::move(source));
}

}  // namespace upfirdn
