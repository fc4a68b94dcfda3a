#include <algorithm>
#include <cmath>

#include "io/dicom/derive.hpp"

namespace upfirdn::dicom {
namespace {

constexpr Tag plane_orientation = 0x00209116, volume_orientation = 0x0020930f, regions = 0x00186011, collimator_shapes = 0x00189407,
              frame_shutters = 0x00189472, object_spacing = 0x00189404;

/// Sequences whose items describe the image or a frame of it; others refer to other images, or to what is no pixel grid.
constexpr Tag describing[] = {
    0x00189401,            // ProjectionPixelCalibrationSequence
    0x00209113,            // PlanePositionSequence
    0x0020930e,            // PlanePositionVolumeSequence
    0x00286100,            // MaskSubtractionSequence
    0x00289415,            // FramePixelShiftSequence
    0x00289443,            // FramePixelDataPropertiesSequence
    0x00480008,            // TotalPixelMatrixOriginSequence
    0x0048021a,            // PlanePositionSlideSequence
    0x00540022,            // DetectorInformationSequence
    collimator_shapes, frame_shutters, tag::pixel_measures, tag::shared_groups, tag::frame_groups};

/// Directions of rows and columns, and spacings, of what is around an element; empty: not told.
struct Plane {
  std::vector<double> orientation, volume, slide, spacing;
};

/// Coordinate on the new grid of a coordinate on the old one; the first pixel has the coordinate `base` on both.
double moved(const Placement& p, double old, double base) { return std::round((old - base - p.first) / to_double(p.pitch) + base); }

/// Rewrites the numbers of an element, if it is there and they change.
template <class Change>
void change(DataSet& data, Tag tag, Change&& new_value) {
  const std::vector<double> old = data.numbers(tag);
  std::vector<double> values = old;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = new_value(values[i], i);
  if (values != old) data.set_numbers(tag, data.find(tag)->vr, values);
}

/// Distances: of rows, then of columns.
void scale_spacing(DataSet& data, Tag tag, const Origin& origin) {
  if (data.numbers(tag).size() != 2) return;
  change(data, tag, [&](double v, std::size_t i) { return v * to_double((i == 0 ? origin.y : origin.x).pitch); });
}

/// The ratio of height to width of a pixel, where no spacing says it.
void scale_aspect(DataSet& data, const Origin& origin) {
  if (read_spacing(data)) return void(data.erase(tag::aspect));
  std::vector<double> ratio = data.numbers(tag::aspect);
  if (ratio.size() != 2 || ratio[0] <= 0 || ratio[1] <= 0) ratio = {1, 1};
  const Fraction own = make_fraction(std::llround(ratio[0]), std::max<long long>(1, std::llround(ratio[1])));
  const Fraction exact = own * origin.y.pitch / origin.x.pitch, now = make_fraction(exact.num, exact.den, 31);
  if (data.has(tag::aspect) || now != Fraction{1, 1}) data.set_numbers(tag::aspect, vr("IS"), {double(now.num), double(now.den)});
}

/// Centre of the new first pixel, in the coordinates of `orientation`; `spacing` is that of the source.
void move_position(DataSet& data, Tag position, const std::vector<double>& orientation, const std::vector<double>& spacing, const Origin& origin) {
  const std::size_t axes = orientation.size() / 2;
  if (axes == 0 || spacing.size() != 2 || data.numbers(position).size() > axes) return;
  change(data, position, [&](double old, std::size_t i) {
    return old + origin.x.first * spacing[1] * orientation[i] + origin.y.first * spacing[0] * orientation[i + axes];
  });
}

/// Tiles of a slide: the size of the whole, places in it, and the same in mm, an element for each axis.
void move_tiles(DataSet& data, const Plane& plane, const Origin& origin) {
  change(data, 0x00480006, [&](double v, std::size_t) { return std::round(v / to_double(origin.x.pitch)); });
  change(data, 0x00480007, [&](double v, std::size_t) { return std::round(v / to_double(origin.y.pitch)); });
  change(data, 0x0048021e, [&](double v, std::size_t) { return moved(origin.x, v, 1); });
  change(data, 0x0048021f, [&](double v, std::size_t) { return moved(origin.y, v, 1); });
  if (plane.slide.size() != 6 || plane.spacing.size() != 2) return;
  for (std::size_t axis = 0; axis < 3; ++axis)
    change(data, Tag(0x0040072a + 0x10 * axis), [&](double v, std::size_t) {
      return v + origin.x.first * plane.spacing[1] * plane.slide[axis] + origin.y.first * plane.spacing[0] * plane.slide[axis + 3];
    });
}

/// The plane of an RT image; its rows run along x and its columns against y unless it tells otherwise.
void move_rt_plane(DataSet& data, const Origin& origin) {
  std::vector<double> orientation = data.numbers(0x30020010);
  if (orientation.size() != 6) orientation = {1, 0, 0, 0, -1, 0};
  move_position(data, 0x30020012, orientation, data.numbers(tag::receptor_spacing), origin);
}

bool says(const DataSet& data, Tag tag, std::string_view value) {
  const std::vector<std::string> values = split_values(data.text(tag));
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// Edges, centre and radius, vertices of a display shutter (`shape` 0018,1600) or of a collimator (0018,1700).
void move_shape(DataSet& data, Tag shape, std::string_view name, const Origin& origin, std::vector<std::string>& notes) {
  const bool is_ellipse = says(data, shape, "CIRCULAR") && origin.x.pitch != origin.y.pitch;
  if (is_ellipse || says(data, shape, "BITMAP")) {  // a bitmap is an overlay, and those are left out
    std::erase_if(data.elements, [&](const Element& element) { return element.tag >= shape && element.tag <= shape + 0x24; });
    notes.push_back(std::string(name) + (is_ellipse ? " is left out; it is a circle no more" : " is left out with the overlays"));
    return;
  }
  for (const Tag along_x : {shape + 2, shape + 4}) change(data, along_x, [&](double v, std::size_t) { return moved(origin.x, v, 1); });
  for (const Tag along_y : {shape + 6, shape + 8}) change(data, along_y, [&](double v, std::size_t) { return moved(origin.y, v, 1); });
  for (const Tag points : {shape + 0x10, shape + 0x20})
    change(data, points, [&](double v, std::size_t i) { return moved(i % 2 == 0 ? origin.y : origin.x, v, 1); });
  change(data, shape + 0x12, [&](double v, std::size_t) { return std::round(v / to_double(origin.x.pitch)); });
}

/// Along one axis of an ultrasound region: its ends, the reference pixel (counted from its first end), the size of a pixel,
/// and places counted from the reference pixel (PS3.3 C.8.5.5.1.10). False if nothing of the region is left of the `size` pixels.
bool move_region(DataSet& region, Tag axis, const Placement& p, double size) {
  const double old = region.number(axis).value_or(0), first = moved(p, old, 0), last = moved(p, region.number(axis + 4).value_or(0), 0);
  if (last < 0 || first >= size) return false;
  const double begin = std::max(first, 0.0);
  change(region, axis, [&](double, std::size_t) { return begin; });
  change(region, axis + 4, [&](double, std::size_t) { return std::min(last, size - 1); });
  change(region, axis + 8, [&](double v, std::size_t) { return moved(p, old + v, 0) - begin; });
  change(region, axis + 0x14, [&](double v, std::size_t) { return v * to_double(p.pitch); });
  for (const Tag place : {axis + 0x21, axis + 0x25, axis + 0x29})  // of the Doppler sample volume, ends of the TM line
    change(region, place, [&](double v, std::size_t) { return std::round(v / to_double(p.pitch)); });
  return true;
}

void move_regions(DataSet& data, const Origin& origin, std::vector<std::string>& notes) {
  Element* element = data.find(regions);
  if (element == nullptr) return;
  const double columns = data.number(tag::columns).value_or(0), rows = data.number(tag::rows).value_or(0);
  const bool some_gone = std::erase_if(element->items, [&](DataSet& region) {
    return !move_region(region, 0x00186018, origin.x, columns) || !move_region(region, 0x0018601a, origin.y, rows);
  }) > 0;
  if (some_gone) notes.emplace_back("ultrasound regions outside of the part are left out");
  if (element->items.empty()) data.erase(regions);
}

/// What `data` tells of its plane, itself or in functional groups, before what is around it.
Plane plane_of(const DataSet& data, Plane plane) {
  const auto take = [&](std::vector<double>& values, const DataSet* from, Tag tag) {
    if (from == nullptr) return;
    if (auto own = from->numbers(tag); !own.empty()) values = std::move(own);
  };
  const auto take_all = [&](const DataSet& from) {
    take(plane.orientation, &from, tag::orientation);
    take(plane.slide, &from, 0x00480102);
    take(plane.spacing, &from, tag::pixel_spacing);
    take(plane.orientation, from.item(plane_orientation), tag::orientation);
    take(plane.volume, from.item(volume_orientation), 0x00209302);
    take(plane.spacing, from.item(tag::pixel_measures), tag::pixel_spacing);
  };
  if (const DataSet* shared = data.item(tag::shared_groups)) take_all(*shared);
  take_all(data);
  return plane;
}

/// Everything in a data set, and in what describes its frames, that counts pixels.
void move_all(DataSet& data, const Plane& around, const Origin& origin, std::vector<std::string>& notes) {
  const Plane plane = plane_of(data, around);
  move_position(data, tag::position, plane.orientation, plane.spacing, origin);
  move_position(data, 0x00209301, plane.volume, plane.spacing, origin);
  move_rt_plane(data, origin);
  move_tiles(data, plane, origin);
  for (const Tag tag : {tag::pixel_spacing, tag::imager_spacing, tag::scanned_spacing, tag::receptor_spacing, object_spacing}) scale_spacing(data, tag, origin);
  const double pitch[] = {to_double(origin.y.pitch), to_double(origin.x.pitch)};
  change(data, 0x00286114, [&](double v, std::size_t i) { return v / pitch[i % 2]; });  // MaskSubPixelShift
  move_shape(data, 0x00181600, "the display shutter", origin, notes);
  move_shape(data, 0x00181700, "the shape of the collimator", origin, notes);
  move_regions(data, origin, notes);
  for (Element& element : data.elements) {
    if (std::find(std::begin(describing), std::end(describing), element.tag) == std::end(describing)) continue;
    for (DataSet& item : element.items) move_all(item, plane, origin, notes);
  }
  for (const Tag shapes : {collimator_shapes, frame_shutters})  // one that was left out leaves an empty item
    if (const DataSet* item = data.item(shapes); item != nullptr && item->elements.empty()) data.erase(shapes);
}

}  // namespace

std::vector<std::string> move_geometry(DataSet& data, const Origin& origin) {
  std::vector<std::string> notes;
  scale_aspect(data, origin);
  move_all(data, {}, origin, notes);
  std::sort(notes.begin(), notes.end());
  notes.erase(std::unique(notes.begin(), notes.end()), notes.end());  // of many frames
  return notes;
}

}  // namespace upfirdn::dicom
