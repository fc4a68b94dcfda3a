#pragma once
/// How the pixels of a data set are stored, and what their cells mean.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/image.hpp"
#include "io/dicom/dicom_file.hpp"
#include "io/value_meaning.hpp"

namespace upfirdn::dicom {

enum class Photometric : std::uint8_t { monochrome1, monochrome2, palette, rgb, ybr_full, ybr_full_422, ybr_partial, ybr_wavelet };

/// A palette: index `first` + i has the colour (red[i], green[i], blue[i]); indices beyond the ends take the last.
struct Palette {
  std::int64_t first = 0;
  std::vector<std::uint16_t> red, green, blue;
  std::uint32_t maxval = 255;
};

struct PixelLayout {
  std::int64_t rows = 0, columns = 0, frames = 1;
  int samples = 1;
  Photometric photometric = Photometric::monochrome2;
  bool planar = false;
  int allocated = 16, stored = 16, high_bit = 15;
  bool is_signed = false;
  bool is_float = false;  ///< of `allocated` bits, 32 or 64
  std::optional<Palette> palette;

  [[nodiscard]] bool is_gray() const { return photometric <= Photometric::monochrome2; }
  /// Bytes of one uncompressed cell in memory: 1, 2 or 4.
  [[nodiscard]] int cell_bytes() const { return allocated <= 8 ? 1 : allocated <= 16 ? 2 : 4; }
  /// Bits of one uncompressed frame as it is stored.
  [[nodiscard]] std::uint64_t frame_bits() const;
};

/// The layout that a file tells. Throws Error(image_failed): no pixels, impossible or unsupported.
[[nodiscard]] PixelLayout read_layout(const DicomFile& file);

/// The image that its frames become.
[[nodiscard]] ImageInfo image_info(const PixelLayout& layout, const DataSet& data);

/// The stored values that are no samples; none where they can't occur. Signed ones are often told as unsigned.
[[nodiscard]] std::optional<ValueMeaning::Padding> read_padding(const PixelLayout& layout, const DataSet& data);

/// Spacing of the pixels of a data set (row, then column) as DS text: PixelSpacing, ImagerPixelSpacing,
/// NominalScannedPixelSpacing or ImagePlanePixelSpacing, whichever there is first; of the first frame.
[[nodiscard]] std::optional<Spacing> read_spacing(const DataSet& data);

namespace tag {
inline constexpr Tag samples = 0x00280002, photometric = 0x00280004, planar = 0x00280006, frames = 0x00280008, rows = 0x00280010,
                     columns = 0x00280011, aspect = 0x00280034, allocated = 0x00280100, stored = 0x00280101, high_bit = 0x00280102,
                     sign = 0x00280103;
inline constexpr Tag pixel_spacing = 0x00280030, imager_spacing = 0x00181164, scanned_spacing = 0x00182010,
                     receptor_spacing = 0x30020011;  // of RT images
inline constexpr Tag padding = 0x00280120, padding_limit = 0x00280121;
inline constexpr Tag shared_groups = 0x52009229, frame_groups = 0x52009230, pixel_measures = 0x00289110;
}  // namespace tag

}  // namespace upfirdn::dicom
