#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/dicom/dicom_metadata.hpp"
#include "io/dicom/dicom_writer.hpp"
#include "io/dicom/frames.hpp"
#include "io/dicom/samples.hpp"
#include "io/formats.hpp"
#include "io/header_bytes.hpp"

namespace upfirdn {
namespace dicom {
namespace {

/// Decodes frames, some rows at a time where they are not compressed.
class DicomReader final : public ImageReader {
 public:
  explicit DicomReader(std::unique_ptr<ByteSource> source) : file_(std::make_shared<const DicomFile>(read_dicom(std::move(source)))), layout_(read_layout(*file_)) {
    if (layout_.is_float) check_plain_size(*file_, layout_);
    else frames_ = open_frames(*file_, layout_);
    info_ = image_info(layout_, file_->data);
    metadata_ = make_metadata(file_, layout_, 0);
  }

  [[nodiscard]] const ImageInfo& info() const override { return info_; }
  [[nodiscard]] std::int64_t images() const override { return layout_.frames; }
  [[nodiscard]] std::shared_ptr<const Metadata> metadata() const override { return metadata_; }
  [[nodiscard]] bool next_image() override {
    if (frame_ + 1 >= layout_.frames) return false;
    ++frame_;
    row_ = 0;
    if (layout_.is_gray() && file_->data.has(tag::frame_groups)) metadata_ = make_metadata(file_, layout_, frame_);
    return true;
  }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (!frames_) return read_floats(rows, count, stride_bytes);
    const std::int64_t row_cells = layout_.columns * layout_.samples, most = std::max<std::int64_t>(1, (1 << 18) / row_cells);
    while (count > 0) {
      const std::int64_t taken = std::min(count, most);
      const std::size_t row_bytes = std::size_t(row_cells) * (layout_.cell_bytes() == 4 ? 4 : 2);
      cells_.resize(std::size_t(taken) * row_bytes);
      frames_->read(frame_, row_, taken, cells_.data());
      for (std::int64_t i = 0; i < taken; ++i, rows += stride_bytes)
        write_samples(layout_, frames_->format(), cells_.data() + std::size_t(i) * row_bytes, layout_.columns, rows);
      row_ += taken;
      count -= taken;
    }
  }

 private:
  void read_floats(std::byte* rows, std::int64_t count, std::size_t stride_bytes) {
    const std::ptrdiff_t sample = layout_.allocated / 8;
    for (std::int64_t i = 0; i < count; ++i, ++row_, rows += stride_bytes) {
      const std::span row(rows, info_.row_bytes());
      if (file_->source->read_at(file_->pixels.whole.offset + row.size() * std::uint64_t(frame_ * layout_.rows + row_), row) < row.size())
        throw cut_short(*file_->source);
      if (!file_->big_endian) continue;
      for (auto first = row.begin(); first != row.end(); first += sample) std::reverse(first, first + sample);
    }
  }

  std::shared_ptr<const DicomFile> file_;
  PixelLayout layout_;
  std::unique_ptr<Frames> frames_;  // of float pixels: null
  ImageInfo info_;
  std::shared_ptr<const Metadata> metadata_;
  std::int64_t frame_ = 0, row_ = 0;
  std::vector<std::byte> cells_;
};

}  // namespace
}  // namespace dicom

Format dicom_format() {
  Format format;
  format.name = "DICOM";
  format.extensions = {"dcm", "dicom"};
  format.recognises = dicom::looks_like_dicom;
  format.open = [](std::unique_ptr<ByteSource> source, const CodecOptions&) -> std::unique_ptr<ImageReader> {
    return std::make_unique<dicom::DicomReader>(std::move(source));
  };
  format.create = dicom::make_writer;
  format.types = {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::u32, PixelType::s32};
  format.channels = {1, 3};
  format.any_maxval = true;
  format.max_side = 65535;
  format.many_images = true;
  format.holds_alpha = false;
  format.own_only = true;
  return format;
}

}  // namespace upfirdn
