#include "io/dicom/dicom_metadata.hpp"

#include "io/dicom/palette.hpp"

namespace upfirdn::dicom {
namespace {

/// The data set that holds an element: the file's own, or the functional group of a frame or of all.
const DataSet& holder(const DataSet& data, Tag sequence, Tag wanted, std::size_t frame) {
  if (data.has(wanted)) return data;
  for (const DataSet* group : {data.item(tag::frame_groups, frame), data.item(tag::shared_groups)})
    if (const DataSet* item = group == nullptr ? nullptr : group->item(sequence)) return *item;
  return data;
}

std::optional<Window> read_window(const DataSet& data, std::size_t frame) {
  const DataSet& from = holder(data, 0x00289132, 0x00281050, frame);
  const auto centre = from.number(0x00281050), width = from.number(0x00281051);
  if (!centre || !width || !(*width > 0)) return std::nullopt;
  const std::string shape = from.text(0x00281056);
  return Window{*centre, *width, shape == "SIGMOID" ? Window::Shape::sigmoid
                                 : shape == "LINEAR_EXACT" ? Window::Shape::linear_exact : Window::Shape::linear};
}

ValueMeaning read_meaning(const DataSet& data, const PixelLayout& layout, std::size_t frame) {
  ValueMeaning meaning{.low_is_white = layout.photometric == Photometric::monochrome1};
  const DataSet& rescale = holder(data, 0x00289145, 0x00281053, frame);
  meaning.slope = rescale.number(0x00281053).value_or(1);
  meaning.intercept = rescale.number(0x00281052).value_or(0);
  if (const DataSet* item = data.item(0x00283000)) meaning.modality_table = read_table(*item, layout.is_signed);
  const bool negative = !meaning.modality_table && (layout.is_signed || meaning.intercept < 0);
  if (const DataSet* item = data.item(0x00283010)) meaning.display_table = read_table(*item, negative);
  meaning.window = read_window(data, frame);
  meaning.padding = read_padding(layout, data);
  return meaning;
}

}  // namespace

std::shared_ptr<const DicomMetadata> make_metadata(std::shared_ptr<const DicomFile> file, const PixelLayout& layout, std::int64_t frame) {
  auto metadata = std::make_shared<DicomMetadata>();
  if (layout.is_gray()) metadata->values = read_meaning(file->data, layout, std::size_t(frame));
  metadata->layout = layout;
  metadata->file = std::move(file);
  return metadata;
}

}  // namespace upfirdn::dicom
