#include "io/dicom/dicom_writer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "io/dicom/codec_client.hpp"
#include "io/dicom/derive.hpp"
#include "io/dicom/rle.hpp"
#include "io/formats.hpp"

namespace upfirdn::dicom {
namespace {

/// Smallest and largest sample of rows.
struct Range {
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = std::numeric_limits<std::int64_t>::min();

  void take(const std::byte* row, const ImageInfo& info) {
    visit_pixel_type(info.type, [&](auto type) {
      if constexpr (std::is_integral_v<decltype(type)>) {
        for (std::size_t at = 0; at < info.row_bytes(); at += sizeof type) {
          std::memcpy(&type, row + at, sizeof type);
          low = std::min<std::int64_t>(low, type);
          high = std::max<std::int64_t>(high, type);
        }
      }
    });
  }
};

/// The data set around the pixels; rewritten at the end, when the range of the samples is known.
class Envelope {
 public:
  Envelope(std::unique_ptr<ByteSink> sink, Derived derived) : sink_(std::move(sink)), derived_(std::move(derived)) {}

  [[nodiscard]] ByteSink& sink() { return *sink_; }
  [[nodiscard]] Derived& derived() { return derived_; }
  /// Bytes up to the value of PixelData, whose header is `vr` and `size`. They do not depend on the range.
  [[nodiscard]] std::vector<std::byte> before(Vr vr, std::uint32_t size) const {
    std::vector<std::byte> bytes;
    append_meta(bytes, derived_.meta);
    append_elements(bytes, part(false));
    append_header(bytes, tag::pixels, vr, size);
    return bytes;
  }
  [[nodiscard]] std::vector<std::byte> after() const {
    std::vector<std::byte> bytes;
    append_elements(bytes, part(true));
    return bytes;
  }
  void set_range(const Range& range) {
    for (const auto& [tag, value] : {std::pair(tag::smallest, range.low), std::pair(tag::largest, range.high)})
      if (const Element* element = derived_.data.find(tag)) derived_.data.set_numbers(tag, element->vr, {double(value)});
  }

 private:
  [[nodiscard]] DataSet part(bool behind_pixels) const {
    DataSet elements;
    for (const Element& element : derived_.data.elements)
      if ((element.tag > tag::pixels) == behind_pixels) elements.elements.push_back(element);
    return elements;
  }

  std::unique_ptr<ByteSink> sink_;
  Derived derived_;
};

class DicomWriter : public ImageWriter {
 public:
  DicomWriter(Envelope envelope, const ImageInfo& info) : envelope_(std::move(envelope)), info_(info) {}
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

 protected:
  void start() { notes_ = envelope_.derived().notes; }

  Envelope envelope_;
  ImageInfo info_;
  Range range_;
  std::vector<std::string> notes_;
};

/// Rows go to their place in the file.
class PlainWriter final : public DicomWriter {
 public:
  PlainWriter(Envelope envelope, const ImageInfo& info, std::int64_t images) : DicomWriter(std::move(envelope), info) {
    start();
    bits_ = envelope_.derived().data.integer(tag::allocated) == 1;
    const auto samples = std::uint64_t(info.width * info.height * info.channels * images);
    size_ = bits_ ? (samples + 7) / 8 : samples * size_bytes(info.type);
    size_ += size_ % 2;
    if (size_ >= std::numeric_limits<std::uint32_t>::max())
      throw image_error(envelope_.sink().name(), "DICOM cannot hold 4 GiB of pixels in one file; take fewer frames (--page) or a smaller size");
    next_ = begin_ = header().size();
  }

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    for (std::int64_t i = 0; i < count; ++i, rows += stride_bytes) {
      const std::span row(rows, info_.row_bytes());
      range_.take(rows, info_);
      if (bits_) pack(row);
      else put(row);
    }
  }

  void finish() override {
    if (filled_ > 0) put(std::as_bytes(std::span(&byte_, 1)));
    if (next_ < begin_ + size_) put(std::vector(std::size_t(begin_ + size_ - next_), std::byte(0)));
    put(envelope_.after());
    envelope_.set_range(range_);
    envelope_.sink().write_at(0, header());
  }

 private:
  [[nodiscard]] std::vector<std::byte> header() const {
    return envelope_.before(info_.type == PixelType::u8 && !bits_ ? vr("OB") : vr("OW"), std::uint32_t(size_));
  }
  void put(std::span<const std::byte> bytes) {
    envelope_.sink().write_at(next_, bytes);
    next_ += bytes.size();
  }
  /// Eight samples a byte, the first in the lowest bit; rows and frames follow without a gap.
  void pack(std::span<const std::byte> row) {
    std::vector<std::byte> packed;
    for (const std::byte sample : row) {
      byte_ = std::uint8_t(byte_ | (sample != std::byte(0) ? 1u << filled_ : 0u));
      if (++filled_ < 8) continue;
      packed.push_back(std::byte(byte_));
      byte_ = 0;
      filled_ = 0;
    }
    put(packed);
  }

  bool bits_ = false;
  std::uint64_t size_ = 0, begin_ = 0, next_ = 0;
  std::uint8_t byte_ = 0;
  int filled_ = 0;
};

/// Collects the frames and compresses them at the end.
class CompressedWriter final : public DicomWriter {
 public:
  CompressedWriter(Envelope envelope, const ImageInfo& info, std::string transfer_syntax)
      : DicomWriter(std::move(envelope), info), transfer_syntax_(std::move(transfer_syntax)) {
    start();
  }

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    for (std::int64_t i = 0; i < count; ++i, rows += stride_bytes) {
      range_.take(rows, info_);
      cells_.insert(cells_.end(), rows, rows + info_.row_bytes());
    }
  }

  void finish() override {
    const bool is_signed = is_signed_integer(info_.type);
    const int stored = int(std::bit_width(info_.maxval)) + (is_signed ? 1 : 0);
    const int bits = std::max(int(size_bytes(info_.type) / 2) * 8 + 1, stored);  // cells stay as wide as they are
    const CodecFrames kind{transfer_syntax_, info_.width, info_.height, info_.channels, bits, is_signed};
    const auto frames = transfer_syntax_ == uid::rle ? packed_frames(kind) : encode_frames(kind, cells_, envelope_.sink().name());
    envelope_.set_range(range_);
    std::vector<std::byte> bytes = envelope_.before(vr("OB"), 0xffffffffu);
    append_items(bytes, frames);
    const std::vector<std::byte> after = envelope_.after();
    bytes.insert(bytes.end(), after.begin(), after.end());
    envelope_.sink().write_at(0, bytes);
  }

 private:
  [[nodiscard]] std::vector<std::vector<std::byte>> packed_frames(const CodecFrames& kind) const {
    std::vector<std::vector<std::byte>> frames;
    for (std::size_t at = 0; at < cells_.size(); at += kind.frame_bytes())
      frames.push_back(encode_rle(std::span(cells_).subspan(at, kind.frame_bytes()), std::size_t(info_.width), info_.channels, kind.cell_bytes()));
    return frames;
  }
  static void append_number(std::vector<std::byte>& bytes, std::uint64_t value) {
    for (int i = 0; i < 4; ++i) bytes.push_back(std::byte(value >> (8 * i) & 0xffu));
  }
  static void append_mark(std::vector<std::byte>& bytes, Tag tag, std::uint64_t size) {
    append_number(bytes, std::uint64_t(tag & 0xffffu) << 16 | tag >> 16);
    append_number(bytes, size);
  }
  static void append_items(std::vector<std::byte>& bytes, const std::vector<std::vector<std::byte>>& frames) {
    append_mark(bytes, tag::item, 4 * frames.size());
    std::uint64_t offset = 0;
    for (const auto& frame : frames) {
      append_number(bytes, offset);
      offset += 8 + frame.size() + frame.size() % 2;
    }
    for (const auto& frame : frames) {
      append_mark(bytes, tag::item, frame.size() + frame.size() % 2);
      bytes.insert(bytes.end(), frame.begin(), frame.end());
      if (frame.size() % 2 != 0) bytes.push_back(std::byte(0));
    }
    append_mark(bytes, tag::sequence_end, 0);
  }

  std::string transfer_syntax_;
  std::vector<std::byte> cells_;
};

std::string syntax_uid(const std::string& name) {
  if (name == "jpeg-ls") return std::string(uid::jpeg_ls);
  if (name == "jpeg2000") return std::string(uid::jpeg2000);
  if (name == "rle") return std::string(uid::rle);
  return std::string(uid::explicit_little);
}

}  // namespace

std::unique_ptr<ImageWriter> make_writer(std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t images,
                                         const CodecOptions& options) {
  const Origin* origin = options.origin.get();
  const auto* source = origin == nullptr ? nullptr : dynamic_cast<const DicomMetadata*>(origin->metadata.get());
  if (source == nullptr) throw image_error(sink->name(), "DICOM is written from DICOM files only; write PNG or TIFF");
  if (info.type != origin->input.type || info.maxval != origin->input.maxval)
    throw image_error(sink->name(), "DICOM files keep the depth of their samples; leave out --depth or write PNG or TIFF");
  const std::string syntax = syntax_uid(options.transfer_syntax);
  Envelope envelope(std::move(sink), derive(*source, *origin, info, images, syntax));
  if (syntax == uid::explicit_little) return std::make_unique<PlainWriter>(std::move(envelope), info, images);
  if (source->layout.allocated == 1) throw image_error(envelope.sink().name(), "single bits are not compressed; leave out --transfer-syntax");
  if (size_bytes(info.type) > 2 && syntax != uid::rle)
    throw image_error(envelope.sink().name(), "samples of more than 16 bits are compressed as RLE only; use --transfer-syntax rle, or leave it out");
  return std::make_unique<CompressedWriter>(std::move(envelope), info, syntax);
}

}  // namespace upfirdn::dicom
