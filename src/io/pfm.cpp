#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "core/fraction.hpp"
#include "io/formats.hpp"
#include "io/pnm_header.hpp"

namespace upfirdn {
namespace {

struct PfmHeader {
  ImageInfo info;
  bool big_endian = false;
  std::uint64_t data_offset = 0;
};

/// The scale: negative for little-endian samples. Its size is a unit of measurement, which samples do not
/// follow.
double read_scale(ForwardReader& reader, const std::string& name) {
  std::string text;
  int byte = reader.get();
  while (is_pnm_space(byte)) byte = reader.get();
  for (; byte >= 0 && !is_pnm_space(byte) && text.size() < 64; byte = reader.get()) text += char(byte);
  double scale = 0;
  const char* first = text.starts_with('+') ? text.data() + 1 : text.data();
  const char* last = text.data() + text.size();
  const auto [rest, error] = std::from_chars(first, last, scale);
  if (error != std::errc() || rest != last || scale == 0 || !std::isfinite(scale) || !is_pnm_space(byte)) {
    throw image_error(name, "the scale of a PFM header must be a number other than 0; the file is damaged");
  }
  return scale;
}

PfmHeader read_header(const ByteSource& source) {
  ForwardReader reader(source);
  static_cast<void>(reader.get());
  PfmHeader header;
  header.info.channels = reader.get() == 'F' ? 3 : 1;
  header.info.type = PixelType::f32;
  header.info.maxval = 1;
  int delimiter = 0;
  header.info.width = read_pnm_number(reader, 0x7fffffff, "width", source.name(), delimiter);
  header.info.height = read_pnm_number(reader, 0x7fffffff, "height", source.name(), delimiter);
  if (header.info.width == 0 || header.info.height == 0) {
    throw image_error(source.name(), "width or height is 0; the file is damaged");
  }
  header.big_endian = read_scale(reader, source.name()) > 0;
  header.data_offset = reader.position();
  const std::uint64_t present = source.size() - std::min(source.size(), header.data_offset);
  if (Int128(header.info.row_bytes()) * header.info.height > Int128(present)) {
    throw pnm_cut_short(source.name(), present,
                        fmt::format("{}x{} pixels", header.info.width, header.info.height));
  }
  return header;
}

/// Rows are stored bottom up.
class PfmReader final : public ImageReader {
 public:
  explicit PfmReader(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), header_(read_header(*source_)) {}

  [[nodiscard]] const ImageInfo& info() const override { return header_.info; }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (count > info().height - next_) throw std::logic_error("rows beyond the last one asked of a PFM file");
    const std::size_t row_bytes = info().row_bytes();
    for (std::int64_t i = 0; i < count; ++i, ++next_) {
      std::byte* row = rows + std::size_t(i) * stride_bytes;
      const std::uint64_t offset = header_.data_offset + std::uint64_t(info().height - 1 - next_) * row_bytes;
      if (source_->read_at(offset, {row, row_bytes}) < row_bytes) {
        throw image_error(source_->name(), "cut short; get a complete copy");
      }
      if (!header_.big_endian) continue;
      for (std::size_t k = 0; k < row_bytes; k += 4) std::reverse(row + k, row + k + 4);
    }
  }

 private:
  std::unique_ptr<ByteSource> source_;
  PfmHeader header_;
  std::int64_t next_ = 0;
};

class PfmWriter final : public ImageWriter {
 public:
  PfmWriter(std::unique_ptr<ByteSink> sink, const ImageInfo& info) : sink_(std::move(sink)), info_(info) {
    const std::string header =
        fmt::format("P{}\n{} {}\n-1.0\n", info.channels == 3 ? 'F' : 'f', info.width, info.height);
    sink_->write_at(0, std::as_bytes(std::span(header)));
    data_offset_ = header.size();
  }

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    const std::size_t row_bytes = info_.row_bytes();
    for (std::int64_t i = 0; i < count; ++i, ++written_) {
      const std::uint64_t offset = data_offset_ + std::uint64_t(info_.height - 1 - written_) * row_bytes;
      sink_->write_at(offset, {rows + std::size_t(i) * stride_bytes, row_bytes});
    }
  }

  void finish() override {
    if (written_ != info_.height) throw std::logic_error("PFM: rows are missing");
  }

 private:
  std::unique_ptr<ByteSink> sink_;
  ImageInfo info_;
  std::uint64_t data_offset_ = 0;
  std::int64_t written_ = 0;
};

}  // namespace

Format pfm_format() {
  Format format;
  format.name = "PFM";
  format.extensions = {"pfm"};
  format.recognises = [](std::span<const std::byte> head) {
    return head.size() >= 3 && head[0] == std::byte('P') &&
           (head[1] == std::byte('f') || head[1] == std::byte('F')) && is_pnm_space(int(head[2]));
  };
  format.open = [](std::unique_ptr<ByteSource> source, const CodecOptions&) -> std::unique_ptr<ImageReader> {
    return std::make_unique<PfmReader>(std::move(source));
  };
  format.create = [](std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t,
                     const CodecOptions&) -> std::unique_ptr<ImageWriter> {
    return std::make_unique<PfmWriter>(std::move(sink), info);
  };
  format.types = {PixelType::f32};
  format.channels = {1, 3};
  format.holds_alpha = false;
  return format;
}

}  // namespace upfirdn
