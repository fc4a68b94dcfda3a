#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "io/formats.hpp"
#include "io/tiff_codec.hpp"
#include "io/tiff_metadata.hpp"
#include "io/tiff_stream.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t strip_bytes = std::size_t(1) << 18;

/// How strips are compressed.
struct Compression {
  std::uint16_t scheme = COMPRESSION_NONE;
  std::uint32_t level_tag = 0;  ///< 0: it has no levels
  std::optional<int> level = std::nullopt;
  bool predictor = false;
};

/// `--compression` and `--level`. A level alone asks for deflate; without either the input's is kept.
Compression choose_compression(const CodecOptions& options, const std::string& of_input) {
  struct Known {
    const char* name;
    Compression compression;
    int lowest, highest;
  };
  static const Known known[] = {
      {"none", {}, 0, 0},
      {"lzw", {.scheme = COMPRESSION_LZW, .predictor = true}, 0, 0},
      {"deflate",
       {.scheme = COMPRESSION_ADOBE_DEFLATE, .level_tag = TIFFTAG_ZIPQUALITY, .predictor = true},
       0,
       9},
      {"packbits", {.scheme = COMPRESSION_PACKBITS}, 0, 0},
      {"zstd", {.scheme = COMPRESSION_ZSTD, .level_tag = TIFFTAG_ZSTD_LEVEL, .predictor = true}, 1, 22},
  };
  const std::string fallback = options.level ? "deflate" : of_input.empty() ? "none" : of_input;
  const std::string& name = options.compression.empty() ? fallback : options.compression;
  for (const Known& entry : known) {
    if (name != entry.name || TIFFIsCODECConfigured(entry.compression.scheme) == 0) continue;
    Compression chosen = entry.compression;
    if (chosen.level_tag == 0 || !options.level) return chosen;
    if (*options.level < entry.lowest || *options.level > entry.highest) {
      throw Error(ExitCode::usage, fmt::format("--level {}: {} has the levels {} to {}; choose one",
                                               *options.level, name, entry.lowest, entry.highest));
    }
    chosen.level = options.level;
    return chosen;
  }
  throw Error(
      ExitCode::usage,
      fmt::format("--compression {}: unknown for TIFF; use none, lzw, deflate, packbits or zstd", name));
}

/// Whether the pages may not fit a classic TIFF, whose offsets end at 4 GiB. LZW can enlarge by half, the
/// others by little.
bool needs_big_tiff(const ImageInfo& info, std::int64_t images, const Compression& compression, const PictureMetadata& told) {
  const double growth = compression.scheme == COMPRESSION_LZW ? 1.5 : 1.02;
  double metadata = double(told.profile.size() + told.xmp.size() + 2 * told.exif.size());
  for (const Text& text : told.texts) metadata += double(text.keyword.size() + text.text.size() + 4);
  const double page =
      double(info.row_bytes()) * double(info.height) * growth + 64.0 * double(info.height) + 4096 + metadata;
  return page * double(images) > 4.29e9;
}

std::uint16_t sample_format(PixelType type) {
  if (is_float(type)) return SAMPLEFORMAT_IEEEFP;
  return is_signed_integer(type) ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT;
}

/// Bits of a stored sample: those of 10, 12 and 14 are packed.
int stored_bits(const ImageInfo& info) {
  const bool packed = !info.values_as_stored && (info.maxval == 1023 || info.maxval == 4095 || info.maxval == 16383);
  return info.type == PixelType::u16 && packed ? std::bit_width(info.maxval) : int(size_bytes(info.type)) * 8;
}

/// Writes 16-bit samples of `bits` bits one after the other, most significant first; what is left of the last byte is 0.
void pack_bits(std::span<const std::byte> row, int bits, std::byte* out) {
  std::uint32_t pending = 0;
  int held = 0;
  for (std::size_t at = 0; at < row.size(); at += 2) {
    std::uint16_t sample = 0;
    std::memcpy(&sample, row.data() + at, sizeof sample);
    pending = pending << bits | sample;
    for (held += bits; held >= 8; held -= 8) *out++ = std::byte(pending >> (held - 8));
  }
  if (held > 0) *out = std::byte(pending << (8 - held));
}

/// Exchanges black and white of a row of gray samples; alpha stays.
void invert(std::byte* row, const ImageInfo& info) {
  visit_pixel_type(info.type, [&](auto sample) {
    using Sample = decltype(sample);
    if constexpr (std::is_unsigned_v<Sample>) {
      auto* samples = reinterpret_cast<Sample*>(row);
      for (std::size_t i = 0; i < info.row_bytes() / sizeof(Sample); i += std::size_t(info.channels)) samples[i] = Sample(info.maxval - samples[i]);
    }
  });
}

bool can_be_min_is_white(const ImageInfo& info) {
  return info.channels <= 2 && !is_float(info.type) && !is_signed_integer(info.type);
}

class TiffWriter final : public ImageWriter {
 public:
  TiffWriter(std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t images, const CodecOptions& options)
      : sink_(std::move(sink)),
        info_(info),
        images_(images),
        options_(options),
        told_(outgoing_metadata(options, info)),
        compression_(choose_compression(options, told_.compression)),
        inverted_(told_.white_is_zero && can_be_min_is_white(info)),
        min_is_white_(inverted_ || (options.origin != nullptr && options.origin->low_is_white && can_be_min_is_white(info))),
        bits_(stored_bits(info)),
        stored_row_bytes_((std::size_t(info.width) * std::size_t(info.channels) * std::size_t(bits_) + 7) / 8),
        big_(needs_big_tiff(info, images, compression_, told_)),
        stream_(*sink_, big_),
        rows_per_strip_(
            std::clamp<std::int64_t>(std::int64_t(strip_bytes / info.row_bytes()), 1, info.height)),
        strip_(stored_row_bytes_ * std::size_t(rows_per_strip_)),
        row_(info.row_bytes()) {}

  void next_image(const std::shared_ptr<const Metadata>& metadata) override {
    if (options_.origin == nullptr) return;
    Origin origin = *options_.origin;
    origin.metadata = metadata;
    options_.origin = std::make_shared<const Origin>(std::move(origin));
    told_ = outgoing_metadata(options_, info_);
  }

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    for (std::int64_t i = 0; i < count; ++i) write_row(rows + stride_bytes * std::size_t(i));
  }

  void finish() override {
    if (page_ != images_) throw std::logic_error("TIFF finished before its last row");
  }

  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

 private:
  void write_row(const std::byte* row) {
    if (page_ == images_) throw std::logic_error("write past the last row");
    if (next_row_ == 0) start_page();
    store(row, strip_.data() + stored_row_bytes_ * std::size_t(next_row_ % rows_per_strip_));
    ++next_row_;
    if (next_row_ % rows_per_strip_ == 0 || next_row_ == info_.height) write_strip();
    if (next_row_ < info_.height) return;
    check(TIFFWriteDirectory(stream_.get()) != 0);
    next_row_ = 0;
    ++page_;
  }

  void store(const std::byte* row, std::byte* place) {
    const bool packed = bits_ != int(size_bytes(info_.type)) * 8;  // short rows may take as many bytes all the same
    std::byte* samples = packed ? row_.data() : place;
    std::memcpy(samples, row, info_.row_bytes());
    if (inverted_) invert(samples, info_);
    if (packed) pack_bits(row_, bits_, place);
  }

  void write_strip() {
    const std::int64_t strip = (next_row_ - 1) / rows_per_strip_;
    const auto bytes = tmsize_t(stored_row_bytes_ * std::size_t(next_row_ - strip * rows_per_strip_));
    check(TIFFWriteEncodedStrip(stream_.get(), std::uint32_t(strip), strip_.data(), bytes) == bytes);
  }

  void start_page() {
    const int colors = info_.channels >= 3 ? 3 : 1;
    set(TIFFTAG_IMAGEWIDTH, std::uint32_t(info_.width));
    set(TIFFTAG_IMAGELENGTH, std::uint32_t(info_.height));
    set(TIFFTAG_BITSPERSAMPLE, bits_);
    set(TIFFTAG_SAMPLEFORMAT, int(sample_format(info_.type)));
    set(TIFFTAG_SAMPLESPERPIXEL, info_.channels);
    set(TIFFTAG_PHOTOMETRIC, colors == 3 ? PHOTOMETRIC_RGB : min_is_white_ ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_MINISBLACK);
    set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(TIFFTAG_ROWSPERSTRIP, std::uint32_t(rows_per_strip_));
    set(TIFFTAG_COMPRESSION, int(compression_.scheme));
    if (compression_.level) set(compression_.level_tag, *compression_.level);
    if (compression_.predictor && bits_ % 8 == 0)
      set(TIFFTAG_PREDICTOR, is_float(info_.type) ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL);
    if (info_.channels > colors) set_extra_samples(std::size_t(info_.channels - colors));
    set_metadata();
  }

  /// EXIF directories go before the strips of their page, so that the page can point to them.
  void set_metadata() {
    set_tiff_metadata(stream_.get(), told_, append_exif(*sink_, told_.exif, big_));
    check(true);
    notes_.insert(notes_.end(), told_.left_out.begin(), told_.left_out.end());
  }

  void set_extra_samples(std::size_t count) {
    std::vector<std::uint16_t> kinds(count, std::uint16_t(EXTRASAMPLE_UNSPECIFIED));
    if (info_.alpha == Alpha::straight) kinds.back() = EXTRASAMPLE_UNASSALPHA;
    if (info_.alpha == Alpha::associated) kinds.back() = EXTRASAMPLE_ASSOCALPHA;
    check(TIFFSetField(stream_.get(), TIFFTAG_EXTRASAMPLES, int(count), kinds.data()) != 0);
  }

  template <class Value>
  void set(std::uint32_t tag, Value value) {
    check(TIFFSetField(stream_.get(), tag, value) != 0);
  }

  void check(bool done) {
    stream_.rethrow_callback_exception();
    if (done && stream_.error().empty()) return;
    throw image_error(
        sink_->name(),
        fmt::format("can't be encoded as TIFF ({}); choose another format or compression", stream_.error()));
  }

  std::unique_ptr<ByteSink> sink_;
  ImageInfo info_;
  std::int64_t images_;
  CodecOptions options_;
  PictureMetadata told_;
  Compression compression_;
  bool inverted_;      ///< the input stored white as 0, samples come with black as 0
  bool min_is_white_;  ///< so does the output
  int bits_;
  std::size_t stored_row_bytes_;
  bool big_;
  TiffStream stream_;
  std::int64_t rows_per_strip_;
  std::vector<std::byte> strip_, row_;
  std::int64_t next_row_ = 0, page_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<ImageWriter> create_tiff(std::unique_ptr<ByteSink> sink, const ImageInfo& info,
                                         std::int64_t images, const CodecOptions& options) {
  if (info.channels > 0xffff) {
    throw image_error(sink->name(),
                      fmt::format("TIFF cannot hold {} channels, only 65535; write NPY", info.channels));
  }
  return std::make_unique<TiffWriter>(std::move(sink), info, images, options);
}

}  // namespace upfirdn
