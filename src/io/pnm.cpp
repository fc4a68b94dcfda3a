#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/formats.hpp"
#include "io/pnm_header.hpp"

namespace upfirdn {
namespace {

static_assert(std::endian::native == std::endian::little);

/// Copies 16-bit samples with their bytes swapped; `from` and `to` may be the same.
void swap_bytes(const std::byte* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t sample;
    std::memcpy(&sample, from + 2 * i, 2);
    sample = std::uint16_t(sample << 8 | sample >> 8);
    std::memcpy(to + 2 * i, &sample, 2);
  }
}

template <class T>
T largest(const std::byte* row, std::size_t count) {
  T most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    T sample;
    std::memcpy(&sample, row + i * sizeof(T), sizeof(T));
    most = std::max(most, sample);
  }
  return most;
}

class PnmReader final : public ImageReader {
 public:
  explicit PnmReader(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), header_(read_pnm_header(*source_)), reader_(*source_) {
    begin_image();
    for (PnmHeader header = header_; pnm_follows(*source_, header); ++images_) header = read_pnm_header(*source_, header.end_offset);
  }

  [[nodiscard]] const ImageInfo& info() const override { return header_.info; }
  [[nodiscard]] std::int64_t images() const override { return images_; }
  [[nodiscard]] bool next_image() override {
    if (!pnm_follows(*source_, header_)) return false;
    header_ = read_pnm_header(*source_, header_.end_offset);
    begin_image();
    return true;
  }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (count > info().height - next_) throw std::logic_error("rows beyond the last one asked of a PNM file");
    if (header_.samples == PnmSamples::bytes && stride_bytes == info().row_bytes()) {
      // In pieces that go past the reader's buffer and are still in the cache when they are swapped and checked.
      for (std::int64_t rows_now = 0; count > 0; count -= rows_now, rows += std::size_t(rows_now) * stride_bytes) {
        rows_now = std::min(count, std::int64_t((ForwardReader::unbuffered_bytes + stride_bytes - 1) / stride_bytes));
        read_binary(rows, rows_now);
        next_ += rows_now;
      }
      return;
    }
    for (std::int64_t i = 0; i < count; ++i, ++next_) {
      std::byte* row = rows + std::size_t(i) * stride_bytes;
      switch (header_.samples) {
        case PnmSamples::ascii:
          read_numbers(row);
          break;
        case PnmSamples::ascii_bits:
          read_digits(row);
          break;
        case PnmSamples::bits:
          read_bits(row);
          break;
        case PnmSamples::bytes:
          read_binary(row, 1);
          break;
      }
    }
  }

 private:
  void begin_image() {
    reader_.seek(header_.data_offset);
    stored_maxval_ = header_.expand_bits ? 1 : header_.info.maxval;
    next_ = 0;
  }

  [[nodiscard]] std::size_t samples_a_row() const {
    return std::size_t(info().width) * std::size_t(info().channels);
  }

  [[nodiscard]] Error too_large(std::int64_t row) const {
    return image_error(source_->name(), fmt::format("row {} holds a sample above the maxval {}; the file is damaged", row, stored_maxval_));
  }
  void read_exactly(std::span<std::byte> bytes) {
    if (const std::size_t got = reader_.read(bytes); got < bytes.size())
      throw image_error(source_->name(), fmt::format("cut short in row {}; get a complete copy", next_ + std::int64_t(got / info().row_bytes())));
  }

  /// Rows without gaps.
  void read_binary(std::byte* rows, std::int64_t count) {
    read_exactly({rows, std::size_t(count) * info().row_bytes()});
    const std::size_t samples = samples_a_row();
    if (info().type == PixelType::u16) swap_bytes(rows, rows, std::size_t(count) * samples);
    if (stored_maxval_ < full_scale(info().type)) check_samples(rows, count);
    if (header_.expand_bits) {
      for (std::size_t i = 0; i < std::size_t(count) * samples; ++i) rows[i] = rows[i] == std::byte(0) ? std::byte(0) : std::byte(255);
    }
  }

  void check_samples(const std::byte* rows, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::byte* row = rows + std::size_t(i) * info().row_bytes();
      const std::uint32_t most = info().type == PixelType::u16 ? largest<std::uint16_t>(row, samples_a_row()) : largest<std::uint8_t>(row, samples_a_row());
      if (most > stored_maxval_) throw too_large(next_ + i);
    }
  }

  void read_bits(std::byte* row) {
    packed_.resize(std::size_t(info().width + 7) / 8);
    read_exactly(packed_);
    for (std::size_t x = 0; x < std::size_t(info().width); ++x) {
      const bool black = (std::to_integer<unsigned>(packed_[x / 8]) >> (7 - x % 8) & 1u) != 0;
      row[x] = black ? std::byte(0) : std::byte(255);
    }
  }

  void read_digits(std::byte* row) {
    for (std::int64_t x = 0; x < info().width; ++x) {
      int byte = reader_.get();
      while (is_pnm_space(byte) || byte == '#') {
        if (byte == '#') {
          while (byte != '\n' && byte >= 0) byte = reader_.get();
        } else {
          byte = reader_.get();
        }
      }
      if (byte < 0)
        throw image_error(source_->name(), fmt::format("cut short in row {}; get a complete copy", next_));
      if (byte != '0' && byte != '1') {
        throw image_error(source_->name(),
                          fmt::format("row {} holds other than 0 and 1; the file is damaged", next_));
      }
      row[x] = byte == '1' ? std::byte(0) : std::byte(255);
    }
  }

  void read_numbers(std::byte* row) {
    for (std::size_t i = 0; i < samples_a_row(); ++i) {
      int delimiter = 0;
      const std::uint32_t value =
          read_pnm_number(reader_, 0xffffffffu, "a sample", source_->name(), delimiter);
      if (value > stored_maxval_) throw too_large(next_);
      const auto sample = std::uint16_t(value);
      std::memcpy(row + i * size_bytes(info().type), &sample, size_bytes(info().type));
    }
  }

  std::unique_ptr<ByteSource> source_;
  PnmHeader header_;
  ForwardReader reader_;
  std::uint32_t stored_maxval_ = 0;
  std::int64_t images_ = 1;
  std::int64_t next_ = 0;
  std::vector<std::byte> packed_;
};

std::string pam_header(const ImageInfo& info) {
  std::string tuple_type;
  if (info.channels == 1) tuple_type = "GRAYSCALE";
  if (info.channels == 3) tuple_type = "RGB";
  if (info.channels == 2 && info.alpha != Alpha::none) tuple_type = "GRAYSCALE_ALPHA";
  if (info.channels == 4 && info.alpha != Alpha::none) tuple_type = "RGB_ALPHA";
  return fmt::format("P7\nWIDTH {}\nHEIGHT {}\nDEPTH {}\nMAXVAL {}\n{}ENDHDR\n", info.width, info.height,
                     info.channels, info.maxval,
                     tuple_type.empty() ? "" : fmt::format("TUPLTYPE {}\n", tuple_type));
}

class PnmWriter final : public ImageWriter {
 public:
  PnmWriter(std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::string header)
      : sink_(std::move(sink)), info_(info), header_(std::move(header)) {
    if (info.type == PixelType::u16 && info.maxval < 256)
      throw std::logic_error("PNM: 16-bit samples of 8 bits");
    put(std::as_bytes(std::span(header_)));
  }

  void next_image(const std::shared_ptr<const Metadata>&) override {
    finish();
    written_ = 0;
    put(std::as_bytes(std::span(header_)));
  }

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::byte* row = rows + std::size_t(i) * stride_bytes;
      if (info_.type == PixelType::u8) {
        put({row, info_.row_bytes()});
        continue;
      }
      swapped_.resize(info_.row_bytes());
      swap_bytes(row, swapped_.data(), swapped_.size() / 2);
      put(swapped_);
    }
    written_ += count;
  }

  void finish() override {
    if (written_ != info_.height) throw std::logic_error("PNM: rows are missing");
  }

 private:
  void put(std::span<const std::byte> bytes) {
    sink_->write_at(offset_, bytes);
    offset_ += bytes.size();
  }

  std::unique_ptr<ByteSink> sink_;
  ImageInfo info_;
  std::string header_;
  std::uint64_t offset_ = 0;
  std::int64_t written_ = 0;
  std::vector<std::byte> swapped_;
};

std::unique_ptr<ImageReader> open_pnm(std::unique_ptr<ByteSource> source, const CodecOptions&) {
  return std::make_unique<PnmReader>(std::move(source));
}

std::unique_ptr<ImageWriter> create_pnm(std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t,
                                        const CodecOptions&) {
  const std::string header =
      fmt::format("P{}\n{} {}\n{}\n", info.channels == 1 ? 5 : 6, info.width, info.height, info.maxval);
  return std::make_unique<PnmWriter>(std::move(sink), info, header);
}

std::unique_ptr<ImageWriter> create_pam(std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t,
                                        const CodecOptions&) {
  return std::make_unique<PnmWriter>(std::move(sink), info, pam_header(info));
}

/// Recognises "P" and one of `kinds`, then white space or a comment.
auto begins_with(std::string_view kinds) {
  return [kinds](std::span<const std::byte> head) {
    return head.size() >= 3 && head[0] == std::byte('P') &&
           kinds.find(char(head[1])) != std::string_view::npos &&
           (is_pnm_space(int(head[2])) || head[2] == std::byte('#'));
  };
}

Format pnm_format(std::string name, std::vector<std::string> extensions, std::string_view kinds,
                  std::vector<int> channels) {
  Format format;
  format.name = std::move(name);
  format.extensions = std::move(extensions);
  if (!kinds.empty()) format.recognises = begins_with(kinds);
  format.open = open_pnm;
  format.create = create_pnm;
  format.types = {PixelType::u8, PixelType::u16};
  format.channels = std::move(channels);
  format.any_maxval = true;
  format.holds_alpha = false;
  format.streams = true;
  return format;
}

}  // namespace

std::vector<Format> pnm_formats() {
  Format pam = pnm_format("PAM", {"pam"}, "7", {});
  pam.create = create_pam;
  pam.holds_alpha = true;
  Format pbm = pnm_format("PBM", {"pbm"}, "14", {1});
  pbm.create = nullptr;
  return {pnm_format("PGM", {"pgm"}, "25", {1}), pnm_format("PPM", {"ppm"}, "36", {3}),
          pnm_format("PNM", {"pnm"}, "", {1, 3}), std::move(pam), std::move(pbm)};
}

}  // namespace upfirdn
