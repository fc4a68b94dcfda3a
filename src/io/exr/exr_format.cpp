#include <algorithm>
#include <cstring>
#include <utility>

#include "io/exr/exr_metadata.hpp"
#include "io/exr/exr_module.hpp"
#include "io/formats.hpp"

namespace upfirdn {
namespace exr {
namespace {

/// The parts of a file are its images.
class ExrReader final : public ImageReader {
 public:
  explicit ExrReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)), parts_(read_parts(*source_)) { begin(); }

  [[nodiscard]] const ImageInfo& info() const override { return picture_.info; }
  [[nodiscard]] std::int64_t images() const override { return std::int64_t(parts_.size()); }
  [[nodiscard]] std::shared_ptr<const Metadata> metadata() const override { return metadata_; }
  [[nodiscard]] bool next_image() override {
    if (part_ + 1 >= parts_.size()) return false;
    ++part_;
    begin();
    return true;
  }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (next_row_ + count > picture_.info.height) throw std::logic_error("read past the last row");
    if (!decoder_) decoder_ = std::make_unique<Decoder>(*source_, int(part_), picture_.channels, picture_.info.type);
    decoder_->read(next_row_, count, rows, stride_bytes);
    next_row_ += count;
  }

 private:
  void begin() {
    decoder_.reset();
    next_row_ = 0;
    picture_ = picture_of(parts_[part_], *source_);
    metadata_ = read_metadata(parts_[part_], picture_);
    if (metadata_->resolution) picture_.info.spacing = metadata_->resolution->spacing();
  }

  std::unique_ptr<ByteSource> source_;
  std::vector<Part> parts_;
  std::size_t part_ = 0;
  Picture picture_;
  std::shared_ptr<const ExrMetadata> metadata_;
  std::unique_ptr<Decoder> decoder_;
  std::int64_t next_row_ = 0;
};

class ExrWriter final : public ImageWriter {
 public:
  ExrWriter(std::unique_ptr<ByteSink> sink, const ImageInfo& info, const CodecOptions& options)
      : sink_(std::move(sink)), info_(info), header_(outgoing_header(options, info)),
        encoder_(*sink_, header_.attributes, header_.channels, info.type) {}

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (written_ + count > info_.height) throw std::logic_error("write past the last row");
    encoder_.write(rows, count, stride_bytes);
    written_ += count;
  }
  void finish() override {
    if (written_ != info_.height) throw std::logic_error("EXR finished before its last row");
    encoder_.finish();
  }
  [[nodiscard]] std::vector<std::string> notes() const override { return header_.notes; }

 private:
  std::unique_ptr<ByteSink> sink_;
  ImageInfo info_;
  Header header_;
  Encoder encoder_;
  std::int64_t written_ = 0;
};

}  // namespace
}  // namespace exr

Format exr_format() {
  Format format;
  format.name = "EXR";
  format.extensions = {"exr"};
  format.recognises = [](std::span<const std::byte> head) { return head.size() >= 8 && std::memcmp(head.data(), "\x76\x2f\x31\x01", 4) == 0; };
  format.open = [](std::unique_ptr<ByteSource> source, const CodecOptions&) -> std::unique_ptr<ImageReader> {
    return std::make_unique<exr::ExrReader>(std::move(source));
  };
  format.create = [](std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t, const CodecOptions& options) -> std::unique_ptr<ImageWriter> {
    return std::make_unique<exr::ExrWriter>(std::move(sink), info, options);
  };
  format.types = {PixelType::f16, PixelType::f32};
  format.channels = {1, 2, 3, 4};
  format.always_alpha = true;
  format.holds_premultiplied = true;
  format.holds_straight = false;
  format.holds_metadata = true;
  format.max_side = 1 << 29;
  return format;
}

}  // namespace upfirdn
