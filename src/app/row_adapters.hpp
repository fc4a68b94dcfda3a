#pragma once
/// What lies between a file and a backend: a part of the input (crop), a frame around the output (letterbox).

#include <cstddef>
#include <vector>

#include "core/image.hpp"
#include "resample/plan.hpp"

namespace upfirdn {

/// Rows of a part of an image. After the last row of the part, `finish` reads the rest of the image, so that a file that ends
/// too early is found out.
class CropSource final : public RowSource {
 public:
  CropSource(RowSource& source, const ImageInfo& image, const Crop& crop);
  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override;
  void finish();

 private:
  void take_row();
  RowSource& source_;
  Crop crop_;
  std::int64_t height_, next_ = 0;
  std::size_t pixel_bytes_;
  std::vector<std::byte> row_;
};

/// Sets rows on a larger canvas.
class LetterboxSink final : public RowSink {
 public:
  LetterboxSink(RowSink& sink, const ImageInfo& picture, const ImageInfo& canvas, const Letterbox& letterbox);
  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override;

 private:
  void write_blank(std::int64_t count);
  RowSink& sink_;
  std::int64_t picture_height_, below_, above_, next_ = 0;
  std::size_t picture_bytes_, left_bytes_;
  std::vector<std::byte> blank_, row_;
};

}  // namespace upfirdn
