#include "app/row_adapters.hpp"

#include <cstring>

namespace upfirdn {

CropSource::CropSource(RowSource& source, const ImageInfo& image, const Crop& crop)
    : source_(source), crop_(crop), height_(image.height), pixel_bytes_(image.pixel_bytes()), row_(image.row_bytes()) {}

void CropSource::take_row() {
  source_.read_rows(row_.data(), 1, row_.size());
  ++next_;
}

void CropSource::read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) {
  while (next_ < crop_.y) take_row();
  for (std::int64_t i = 0; i < count; ++i) {
    take_row();
    std::memcpy(rows + stride_bytes * std::size_t(i), row_.data() + pixel_bytes_ * std::size_t(crop_.x),
                pixel_bytes_ * std::size_t(crop_.width));
  }
}

void CropSource::finish() {
  while (next_ < height_) take_row();
}

LetterboxSink::LetterboxSink(RowSink& sink, const ImageInfo& picture, const ImageInfo& canvas, const Letterbox& letterbox)
    : sink_(sink),
      picture_height_(picture.height),
      below_(canvas.height - picture.height - letterbox.y),
      above_(letterbox.y),
      picture_bytes_(picture.row_bytes()),
      left_bytes_(canvas.pixel_bytes() * std::size_t(letterbox.x)) {
  for (std::int64_t x = 0; x < canvas.width; ++x) blank_.insert(blank_.end(), letterbox.pixel.begin(), letterbox.pixel.end());
  row_ = blank_;
}

void LetterboxSink::write_blank(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) sink_.write_rows(blank_.data(), 1, blank_.size());
}

void LetterboxSink::write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) {
  if (next_ == 0) write_blank(above_);
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(row_.data() + left_bytes_, rows + stride_bytes * std::size_t(i), picture_bytes_);
    sink_.write_rows(row_.data(), 1, row_.size());
  }
  next_ += count;
  if (next_ == picture_height_) write_blank(below_);
}

}  // namespace upfirdn
