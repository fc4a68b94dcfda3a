#pragma once
/// From cells to samples: bits beside the sample are masked, signs extended, palettes looked up, luma and chroma turned
/// into RGB.

#include <cstddef>
#include <cstdint>

#include "io/dicom/frames.hpp"

namespace upfirdn::dicom {

/// Writes `pixels` pixels of the image that `image_info(layout)` describes to `out`. `cells`, as Frames gives them, are used up.
void write_samples(const PixelLayout& layout, const CellFormat& format, std::byte* cells, std::int64_t pixels, std::byte* out);

}  // namespace upfirdn::dicom
