#pragma once
/// The data set that a DICOM reader hands to a writer.

#include <memory>

#include "io/dicom/pixel_layout.hpp"
#include "io/metadata.hpp"

namespace upfirdn::dicom {

class DicomMetadata final : public Metadata {
 public:
  std::shared_ptr<const DicomFile> file;
  PixelLayout layout;
  std::optional<ValueMeaning> values;  ///< of gray images

  [[nodiscard]] const ValueMeaning* meaning() const override { return values ? &*values : nullptr; }
};

/// `frame`, from 0, is the one whose values are told.
[[nodiscard]] std::shared_ptr<const DicomMetadata> make_metadata(std::shared_ptr<const DicomFile> file, const PixelLayout& layout,
                                                                 std::int64_t frame);

}  // namespace upfirdn::dicom
