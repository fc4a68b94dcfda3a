#pragma once
/// The cells of frames as they are stored, whatever compresses them.

#include <cstdint>
#include <memory>
#include <vector>

#include "io/dicom/pixel_layout.hpp"

namespace upfirdn::dicom {

/// What is in a cell of 16 or 32 bits.
struct CellFormat {
  int shift = 0;           ///< bits below the sample
  int bits = 16;           ///< of the sample
  bool is_signed = false;  ///< in two's complement
  Photometric colours = Photometric::monochrome2;  ///< ybr_full, ybr_partial: with one luma and chroma a pixel; never ybr_full_422
};

/// Cells of the frames of a file, interleaved: of 32 bits where the layout has cells of 4 bytes, else of 16.
class Frames {
 public:
  virtual ~Frames() = default;
  [[nodiscard]] const CellFormat& format() const { return format_; }
  /// Reads `count` rows of `frame` from row `y` on into `cells`, columns * samples a row. Throws Error(image_failed).
  virtual void read(std::int64_t frame, std::int64_t y, std::int64_t count, std::byte* cells) = 0;

 protected:
  CellFormat format_;
};

/// Throws Error(image_failed) if the file ends before its uncompressed pixels do.
void check_plain_size(const DicomFile& file, const PixelLayout& layout);

/// Throws Error(image_failed): cut short, of another shape than the data set tells, in an unknown transfer syntax.
[[nodiscard]] std::unique_ptr<Frames> open_frames(const DicomFile& file, const PixelLayout& layout);

}  // namespace upfirdn::dicom
