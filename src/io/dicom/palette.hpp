#pragma once
/// Lookup tables of data sets: palettes, modality and VOI tables.

#include "io/dicom/pixel_layout.hpp"
#include "io/value_meaning.hpp"

namespace upfirdn::dicom {

/// The palette of a PALETTE COLOR image. Throws Error(image_failed) if it is missing or damaged.
[[nodiscard]] Palette read_palette(const DataSet& data, const ByteSource& source);

/// The table of an item of ModalityLUTSequence or VOILUTSequence; nullopt if it is damaged. `is_signed`: the table is
/// entered with signed values.
[[nodiscard]] std::optional<LookupTable> read_table(const DataSet& item, bool is_signed);

}  // namespace upfirdn::dicom
