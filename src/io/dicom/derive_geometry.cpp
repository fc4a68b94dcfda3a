#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/dicom/derive.hpp"

namespace upfirdn::dicom {
namespace {

/// Coordinate on the new grid of a coordinate on the old one; the first pixel has the coordinate `base` on both.
double moved(const Placement& p, double old, double base) { return std::round((old - base - p.first) / to_double(p.pitch) + base); }

/// Rewrites the numbers of an element, if it is there and has a number for each of `values`.
template <class Change>
void change(DataSet& data, Tag tag, Change&& new_value) {
  std::vector<double> values = data.numbers(tag);
  if (values.empty()) return;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = new_value(values[i], i);
  data.set_numbers(tag, data.find(tag)->vr, values);
}

/// Spacings, row then column. The products are exact until they are written.
void scale_spacing(DataSet& data, Tag tag, const Origin& origin) {
  const std::vector<std::string> parts = split_values(data.text(tag));
  if (parts.size() != 2) return;
  std::string text;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto old = parse_fraction(parts[i]);
    if (!old) return;
    if (i > 0) text += '\\';
    text += decimal_text(to_double(*old * (i == 0 ? origin.y : origin.x).pitch));
  }
  data.set_text(tag, vr("DS"), text);
}

/// The ratio of height to width of a pixel, where no spacing says it.
void scale_aspect(DataSet& data, const Origin& origin) {
  const bool has_spacing = data.has(tag::pixel_spacing) || data.has(tag::imager_spacing) || data.has(tag::scanned_spacing);
  std::vector<double> ratio = data.numbers(tag::aspect);
  if (ratio.size() != 2 || ratio[0] <= 0 || ratio[1] <= 0) ratio = {1, 1};
  const Fraction own = make_fraction(std::llround(ratio[0]), std::max<long long>(1, std::llround(ratio[1])));
  const Fraction now = make_fraction((own * origin.y.pitch / origin.x.pitch).num, (own * origin.y.pitch / origin.x.pitch).den, 31);
  const bool square = now == Fraction{1, 1};
  if (!data.has(tag::aspect) && (square || has_spacing)) return;
  if (has_spacing) data.erase(tag::aspect);
  else data.set_numbers(tag::aspect, vr("IS"), {double(now.num), double(now.den)});
}

/// Centre of the new first pixel. `orientation` and `spacing` (row, column) are those of the source.
void move_position(DataSet& data, const std::vector<double>& orientation, const std::vector<double>& spacing, const Origin& origin) {
  if (data.numbers(tag::position).size() != 3 || orientation.size() != 6 || spacing.size() != 2) return;
  change(data, tag::position, [&](double old, std::size_t i) {
    return old + origin.x.first * spacing[1] * orientation[i] + origin.y.first * spacing[0] * orientation[i + 3];
  });
}

/// Edges, centre and radius, vertices of a display shutter (from 0018,1602 on) or of a collimator (from 0018,1702 on).
void move_shape(DataSet& data, Tag first, const Origin& origin) {
  for (const Tag along_x : {first, first + 2}) change(data, along_x, [&](double v, std::size_t) { return moved(origin.x, v, 1); });
  for (const Tag along_y : {first + 4, first + 6}) change(data, along_y, [&](double v, std::size_t) { return moved(origin.y, v, 1); });
  for (const Tag points : {first + 0xe, first + 0x1e})
    change(data, points, [&](double v, std::size_t i) { return moved(i % 2 == 0 ? origin.y : origin.x, v, 1); });
  change(data, first + 0x10, [&](double v, std::size_t) { return std::round(v / to_double(origin.x.pitch)); });
}

void move_region(DataSet& region, const Origin& origin) {
  const auto edge = [](const Placement& p) { return [&p](double v, std::size_t) { return std::max(0.0, moved(p, v, 0)); }; };
  change(region, 0x00186018, edge(origin.x));
  change(region, 0x0018601a, edge(origin.y));
  change(region, 0x0018601c, edge(origin.x));
  change(region, 0x0018601e, edge(origin.y));
  const double px = to_double(origin.x.pitch), py = to_double(origin.y.pitch);
  change(region, 0x00186020, [&](double v, std::size_t) { return std::round(v / px); });
  change(region, 0x00186022, [&](double v, std::size_t) { return std::round(v / py); });
  change(region, 0x0018602c, [&](double v, std::size_t) { return v * px; });
  change(region, 0x0018602e, [&](double v, std::size_t) { return v * py; });
}

/// Everything in a data set, and in the items of its functional groups, that counts pixels. `orientation` and `spacing` are
/// those of what is around an item.
void move_all(DataSet& data, std::vector<double> orientation, std::vector<double> spacing, const Origin& origin) {
  if (const auto own = data.numbers(tag::orientation); own.size() == 6) orientation = own;
  if (const auto own = data.numbers(tag::pixel_spacing); own.size() == 2) spacing = own;
  for (const auto& [sequence, inner, values] : {std::tuple(Tag(0x00209116), tag::orientation, &orientation),
                                                std::tuple(tag::pixel_measures, tag::pixel_spacing, &spacing)})
    if (const DataSet* item = data.item(sequence))
      if (const auto own = item->numbers(inner); !own.empty()) *values = own;
  if (const DataSet* shared = data.item(tag::shared_groups)) {
    if (const DataSet* item = shared->item(0x00209116)) orientation = item->numbers(tag::orientation);
    if (const DataSet* item = shared->item(tag::pixel_measures)) spacing = item->numbers(tag::pixel_spacing);
  }
  move_position(data, orientation, spacing, origin);
  for (const Tag tag : {tag::pixel_spacing, tag::imager_spacing, tag::scanned_spacing}) scale_spacing(data, tag, origin);
  move_shape(data, 0x00181602, origin);
  move_shape(data, 0x00181702, origin);
  for (Element& element : data.elements) {
    const bool is_group = element.tag == tag::shared_groups || element.tag == tag::frame_groups;
    // Inside a group every sequence describes the frame; elsewhere sequences refer to other images.
    const bool in_group = element.tag == tag::pixel_measures || element.tag == 0x00209113 || element.tag == 0x00189472 || element.tag == 0x00189407;
    if (is_group || in_group)
      for (DataSet& item : element.items) move_all(item, orientation, spacing, origin);
  }
  if (Element* regions = data.find(0x00186011))
    for (DataSet& region : regions->items) move_region(region, origin);
}

}  // namespace

void move_geometry(DataSet& data, const Origin& origin) {
  scale_aspect(data, origin);
  move_all(data, {}, {}, origin);
}

}  // namespace upfirdn::dicom
