#pragma once
/// Images: what is known before decoding, pixels in memory, and rows on the move.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/fraction.hpp"
#include "core/pixel.hpp"

namespace upfirdn {

/// What the last channel means.
enum class Alpha : std::uint8_t {
  none,        ///< it is one more channel
  straight,    ///< opacity; colour is stored as it is (PNG, PAM ..._ALPHA, TIFF ExtraSamples 2)
  associated,  ///< opacity; colour is stored premultiplied (TIFF ExtraSamples 1)
};

/// Distance of pixel centres in mm.
struct Spacing {
  Fraction x, y;
  friend bool operator==(const Spacing&, const Spacing&) = default;
};

/// Where the pixels of an output lie along one axis of its input: output o is centred at first + o * pitch input pixels
/// (input pixels are centred at whole numbers).
struct Placement {
  Fraction pitch{1, 1};
  double first = 0;
};

/// Shape and meaning of one image, known before its samples are read.
struct ImageInfo {
  std::int64_t width = 0;    ///< pixels, at least 1
  std::int64_t height = 0;   ///< pixels, at least 1
  int channels = 1;          ///< interleaved samples a pixel, at least 1
  PixelType type = PixelType::u8;
  std::uint32_t maxval = 255;  ///< full scale of integers (4095 in a 12-bit file; s16: 32767 or less); 1 for floats
  Alpha alpha = Alpha::none;
  int array_dims = 0;  ///< dimensions of the `.npy` array it came from; 0 for picture formats
  std::optional<Spacing> spacing;  ///< if the file tells it
  bool values_as_stored = false;   ///< samples are numbers (DICOM): formats of another maxval store the same ones
  std::optional<double> nodata;    ///< stored value of missing samples, if the file tells it

  [[nodiscard]] std::size_t pixel_bytes() const { return size_bytes(type) * std::size_t(channels); }
  [[nodiscard]] std::size_t row_bytes() const { return pixel_bytes() * std::size_t(width); }
  friend bool operator==(const ImageInfo&, const ImageInfo&) = default;
};

/// Rows of one image in order, top to bottom, interleaved, native byte order.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Reads the next `count` rows into `rows`, `stride_bytes` apart. Throws Error if the data ends or is damaged.
  virtual void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) = 0;
  /// All rows, without padding, if they lie in memory: who uses them reads none.
  [[nodiscard]] virtual const std::byte* in_memory() const { return nullptr; }
};

/// Takes rows of one image in order, top to bottom.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) = 0;
  /// Where all rows go, without padding, if that is memory: who fills it writes none.
  [[nodiscard]] virtual std::byte* in_memory() { return nullptr; }
};

/// A whole image in memory, rows without padding. Move-only.
class Image {
 public:
  Image() = default;
  explicit Image(const ImageInfo& info)
      : info_(info),
        data_(std::make_unique_for_overwrite<std::byte[]>(info.row_bytes() * std::size_t(info.height))) {}
  [[nodiscard]] const ImageInfo& info() const { return info_; }
  [[nodiscard]] std::size_t size_bytes() const { return info_.row_bytes() * std::size_t(info_.height); }
  [[nodiscard]] std::byte* data() { return data_.get(); }
  [[nodiscard]] const std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::byte* row(std::int64_t y) { return data_.get() + info_.row_bytes() * std::size_t(y); }
  [[nodiscard]] const std::byte* row(std::int64_t y) const {
    return data_.get() + info_.row_bytes() * std::size_t(y);
  }

 private:
  ImageInfo info_;
  std::unique_ptr<std::byte[]> data_;
};

/// Reads the rows of an image in memory, which must outlive it.
class ImageSource final : public RowSource {
 public:
  explicit ImageSource(const Image& image) : image_(image) {}
  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override;
  [[nodiscard]] const std::byte* in_memory() const override { return image_.data(); }

 private:
  const Image& image_;
  std::int64_t next_ = 0;
};

/// Fills an image in memory, which must outlive it.
class ImageSink final : public RowSink {
 public:
  explicit ImageSink(Image& image) : image_(image) {}
  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override;
  [[nodiscard]] std::byte* in_memory() override { return image_.data(); }

 private:
  Image& image_;
  std::int64_t next_ = 0;
};

}  // namespace upfirdn
