#include "io/upright.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/exif.hpp"
#include "io/picture_metadata.hpp"
#include "io/xmp.hpp"

namespace upfirdn {
namespace {

/// Where the stored rows and columns go; `orientation` as in TIFF.
struct Turn {
  int orientation = 1;

  [[nodiscard]] bool none() const { return orientation == 1; }
  [[nodiscard]] bool transposed() const { return orientation >= 5; }
  [[nodiscard]] bool rows_reversed() const { return orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7; }
  [[nodiscard]] bool columns_reversed() const { return orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8; }
};

void turn(PictureMetadata& picture, const Turn& turned) {
  picture.orientation = 1;
  if (turned.transposed() && picture.resolution) std::swap(picture.resolution->x, picture.resolution->y);
  if (!picture.exif.empty()) picture.exif = upright_exif(picture.exif, turned.transposed());
  if (!picture.xmp.empty()) picture.xmp = upright_xmp(picture.xmp, turned.transposed());
}

class UprightReader final : public ImageReader {
 public:
  explicit UprightReader(std::unique_ptr<ImageReader> reader) : reader_(std::move(reader)) { begin(); }

  [[nodiscard]] const ImageInfo& info() const override { return info_; }
  [[nodiscard]] std::int64_t images() const override { return reader_->images(); }
  [[nodiscard]] std::shared_ptr<const Metadata> metadata() const override { return metadata_; }
  [[nodiscard]] bool next_image() override {
    if (!reader_->next_image()) return false;
    begin();
    return true;
  }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (turn_.none()) return reader_->read_rows(rows, count, stride_bytes);
    for (std::int64_t i = 0; i < count; ++i, ++next_row_) {
      std::byte* row = rows + stride_bytes * std::size_t(i);
      if (turn_.orientation == 2) {
        reader_->read_rows(row, 1, stride_bytes);
        reverse(row);
      } else {
        collect(row);
      }
    }
  }

 private:
  /// Looks at the reader's current image.
  void begin() {
    info_ = reader_->info();
    metadata_ = reader_->metadata();
    next_row_ = 0;
    image_ = Image();
    const auto* told = dynamic_cast<const PictureMetadata*>(metadata_.get());
    turn_.orientation = told == nullptr ? 1 : told->orientation;
    if (turn_.none()) return;
    auto changed = std::make_shared<PictureMetadata>(*told);
    turn(*changed, turn_);
    metadata_ = std::move(changed);
    if (!turn_.transposed()) return;
    std::swap(info_.width, info_.height);
    if (info_.spacing) std::swap(info_.spacing->x, info_.spacing->y);
  }

  void reverse(std::byte* row) const {
    const std::size_t bytes = info_.pixel_bytes();
    for (std::int64_t left = 0, right = info_.width - 1; left < right; ++left, --right)
      std::swap_ranges(row + bytes * std::size_t(left), row + bytes * std::size_t(left + 1), row + bytes * std::size_t(right));
  }

  /// Row `next_row_` from the stored image.
  void collect(std::byte* row) {
    if (image_.data() == nullptr) {
      image_ = Image(reader_->info());
      reader_->read_rows(image_.data(), image_.info().height, image_.info().row_bytes());
    }
    const ImageInfo& stored = image_.info();
    const std::size_t bytes = stored.pixel_bytes();
    if (!turn_.transposed()) {
      std::memcpy(row, image_.row(turn_.rows_reversed() ? stored.height - 1 - next_row_ : next_row_), stored.row_bytes());
      if (turn_.columns_reversed()) reverse(row);
      return;
    }
    const std::size_t column = bytes * std::size_t(turn_.columns_reversed() ? stored.width - 1 - next_row_ : next_row_);
    for (std::int64_t x = 0; x < info_.width; ++x)
      std::memcpy(row + bytes * std::size_t(x), image_.row(turn_.rows_reversed() ? stored.height - 1 - x : x) + column, bytes);
  }

  std::unique_ptr<ImageReader> reader_;
  ImageInfo info_;
  std::shared_ptr<const Metadata> metadata_;
  Turn turn_;
  Image image_;  // as stored, if all of it is needed
  std::int64_t next_row_ = 0;
};

}  // namespace

std::unique_ptr<ImageReader> upright(std::unique_ptr<ImageReader> reader) {
  const auto metadata = reader->metadata();
  const auto* told = dynamic_cast<const PictureMetadata*>(metadata.get());
  if (told == nullptr || (told->orientation == 1 && reader->images() == 1)) return reader;
  return std::make_unique<UprightReader>(std::move(reader));
}

}  // namespace upfirdn
