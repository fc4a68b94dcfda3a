#pragma once
/// The data set that a DICOM reader hands to a writer.

#include <memory>

#include "io/dicom/pixel_layout.hpp"
#include "io/metadata.hpp"

namespace upfirdn::dicom {

class DicomMetadata final : public Metadata {
 public:
  DataSet meta, data;
  PixelLayout layout;
  std::optional<ValueMeaning> values;  ///< of gray images

  [[nodiscard]] const ValueMeaning* meaning() const override { return values ? &*values : nullptr; }
};

[[nodiscard]] std::shared_ptr<const DicomMetadata> make_metadata(const DicomFile& file, const PixelLayout& layout);

}  // namespace upfirdn::dicom
