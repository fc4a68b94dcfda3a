#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/formats.hpp"
#include "io/pnm_header.hpp"

namespace upfirdn {
namespace {

static_assert(std::endian::native == std::endian::little);

void swap_bytes(std::byte* samples, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::swap(samples[2 * i], samples[2 * i + 1]);
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
    reader_.seek(header_.data_offset);
    stored_maxval_ = header_.expand_bits ? 1 : header_.info.maxval;
  }

  [[nodiscard]] const ImageInfo& info() const override { return header_.info; }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (count > info().height - next_) throw std::logic_error("rows beyond the last one asked of a PNM file");
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
          read_binary(row);
          break;
      }
    }
  }

 private:
  [[nodiscard]] std::size_t samples_a_row() const {
    return std::size_t(info().width) * std::size_t(info().channels);
  }

  [[nodiscard]] Error too_large() const {
    return image_error(
        source_->name(),
        fmt::format("row {} holds a sample above the maxval {}; the file is damaged", next_, stored_maxval_));
  }
  void read_exactly(std::span<std::byte> bytes) {
    if (reader_.read(bytes) < bytes.size()) {
      throw image_error(source_->name(), fmt::format("cut short in row {}; get a complete copy", next_));
    }
  }

  void read_binary(std::byte* row) {
    const std::size_t samples = samples_a_row();
    read_exactly({row, info().row_bytes()});
    if (info().type == PixelType::u16) {
      swap_bytes(row, samples);
      if (stored_maxval_ < 65535 && largest<std::uint16_t>(row, samples) > stored_maxval_) throw too_large();
    } else if (stored_maxval_ < 255 && largest<std::uint8_t>(row, samples) > stored_maxval_) {
      throw too_large();
    }
    if (header_.expand_bits) {
      for (std::size_t i = 0; i < samples; ++i)
        row[i] = row[i] == std::byte(0) ? std::byte(0) : std::byte(255);
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
      if (value > stored_maxval_) throw too_large();
      const auto sample = std::uint16_t(value);
      std::memcpy(row + i * size_bytes(info().type), &sample, size_bytes(info().type));
    }
  }

  std::unique_ptr<ByteSource> source_;
  PnmHeader header_;
  ForwardReader reader_;
  std::uint32_t stored_maxval_ = 0;
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
  PnmWriter(std::unique_ptr<ByteSink> sink, const ImageInfo& info, const std::string& header)
      : sink_(std::move(sink)), info_(info) {
    if (info.type == PixelType::u16 && info.maxval < 256)
      throw std::logic_error("PNM: 16-bit samples of 8 bits");
    put(std::as_bytes(std::span(header)));
  }

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::byte* row = rows + std::size_t(i) * stride_bytes;
      if (info_.type == PixelType::u8) {
        put({row, info_.row_bytes()});
        continue;
      }
      swapped_.assign(row, row + info_.row_bytes());
      swap_bytes(swapped_.data(), swapped_.size() / 2);
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
