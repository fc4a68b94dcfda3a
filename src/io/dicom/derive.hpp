#pragma once
/// The data set of a derived image (PS3.3 C.7.6.1.1.2): what stays of the source, what changes, what goes.

#include <string>
#include <vector>

#include "io/dicom/dicom_metadata.hpp"

namespace upfirdn::dicom {

struct Derived {
  DataSet meta, data;              ///< without pixels; Smallest and LargestImagePixelValue are to be filled in
  std::vector<std::string> notes;  ///< what was left out
};

/// `images` images of the shape `output`. `origin.metadata` is `source`.
[[nodiscard]] Derived derive(const DicomMetadata& source, const Origin& origin, const ImageInfo& output, std::int64_t images,
                             const std::string& transfer_syntax);

/// Brings what counts pixels or their distances to the new grid: spacings, positions, shutters, collimators, ultrasound
/// regions, functional groups. `data` has the new numbers of rows and columns. Returns notes on what had to go.
[[nodiscard]] std::vector<std::string> move_geometry(DataSet& data, const Origin& origin);

/// "2.25." and a number made from the texts; the same texts give the same one.
[[nodiscard]] std::string hashed_uid(const std::vector<std::string>& texts);

namespace tag {
inline constexpr Tag image_type = 0x00080008, frame_type = 0x00089007;
inline constexpr Tag class_uid = 0x00080016, instance_uid = 0x00080018, study_uid = 0x0020000d, series_uid = 0x0020000e;
inline constexpr Tag smallest = 0x00280106, largest = 0x00280107;
inline constexpr Tag position = 0x00200032, orientation = 0x00200037;
}  // namespace tag

}  // namespace upfirdn::dicom
