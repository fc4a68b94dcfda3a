#include "resample/geometry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace upfirdn {
namespace {

struct Size {
  std::int64_t width, height;
};

std::int64_t scaled_side(std::int64_t side, const Fraction& scale) { return std::max<std::int64_t>(1, round_scaled(side, scale)); }

/// Largest size inside the box, or smallest that covers it, with the aspect of the image.
Size boxed(const Size& image, std::int64_t width, std::int64_t height, bool cover) {
  // The width binds if width / image.width < height / image.height, for `cover` if it is larger.
  const Int128 by_width = Int128(width) * image.height, by_height = Int128(height) * image.width;
  if (cover ? by_width >= by_height : by_width <= by_height)
    return {width, scaled_side(image.height, make_fraction(width, image.width))};
  return {scaled_side(image.width, make_fraction(height, image.height)), height};
}

/// Sets the pitch to `pitch`, whose terms are brought to 31 bits.
void set_pitch(AxisGeometry& axis, Int128 down, Int128 up, const char* name, std::vector<std::string>& notes) {
  bool rounded = false;
  const Fraction r = make_fraction(down, up, 31, &rounded);
  axis.down = r.num, axis.up = r.den;
  if (rounded) notes.push_back(fmt::format("pitch along {} rounded to {}/{}", name, r.num, r.den));
}

void set_size(ResizeGeometry& g, const Size& size) {
  g.x.out = size.width, g.y.out = size.height;
  set_pitch(g.x, g.x.in, size.width, "x", g.notes);
  set_pitch(g.y, g.y.in, size.height, "y", g.notes);
}

void set_scale(AxisGeometry& axis, const Fraction& scale, const char* name, std::vector<std::string>& notes) {
  axis.out = scaled_side(axis.in, scale);
  set_pitch(axis, scale.den, scale.num, name, notes);
}

void set_factors(AxisGeometry& axis, std::int64_t up, std::int64_t down, bool keep, const char* name,
                 std::vector<std::string>& notes) {
  axis.out = scaled_side(axis.in, make_fraction(up, down));
  if (keep) axis.up = up, axis.down = down;
  else set_pitch(axis, down, up, name, notes);
}

bool goes_other_way(const AxisGeometry& axis, OneWay way) {
  return way == OneWay::only_shrink ? axis.down < axis.up : way == OneWay::only_enlarge && axis.down > axis.up;
}

void keep_size(AxisGeometry& axis) {
  axis.out = axis.in;
  axis.up = axis.down = 1;
  axis.kept = true;
}

void cut_centre(AxisGeometry& axis, std::int64_t side) {
  if (axis.out <= side) return;
  axis.skip = (axis.out - side) / 2;
  axis.out = side;
}

/// Sizes and pitches before `--only-...`, cutting and padding.
void aim(ResizeGeometry& g, const ResizeTarget& target, const std::optional<Spacing>& own, bool keeps_factors) {
  const Size image{g.x.in, g.y.in};
  if (const auto* size = std::get_if<ToSize>(&target)) {
    const std::int64_t w = size->width ? *size->width : scaled_side(image.width, make_fraction(*size->height, image.height));
    const std::int64_t h = size->height ? *size->height : scaled_side(image.height, make_fraction(*size->width, image.width));
    set_size(g, {w, h});
  } else if (const auto* fit = std::get_if<ToFit>(&target)) {
    set_size(g, boxed(image, fit->width, fit->height, false));
  } else if (const auto* cover = std::get_if<ToCover>(&target)) {
    set_size(g, boxed(image, cover->width, cover->height, true));
  } else if (const auto* fill = std::get_if<ToFill>(&target)) {
    set_size(g, boxed(image, fill->width, fill->height, true));
  } else if (const auto* box = std::get_if<ToLetterbox>(&target)) {
    set_size(g, boxed(image, box->width, box->height, false));
  } else if (const auto* scale = std::get_if<ByScale>(&target)) {
    set_scale(g.x, scale->x, "x", g.notes);
    set_scale(g.y, scale->y, "y", g.notes);
  } else if (const auto* factors = std::get_if<ByFactors>(&target)) {
    set_factors(g.x, factors->up.x, factors->down.x, keeps_factors, "x", g.notes);
    set_factors(g.y, factors->up.y, factors->down.y, keeps_factors, "y", g.notes);
  } else {
    const auto& wanted = std::get<ToSpacing>(target);
    if (!own)
      throw Error(ExitCode::image_failed, "--spacing: the file does not tell the spacing of its pixels; use --scale or --size");
    set_scale(g.x, own->x / wanted.x, "x", g.notes);
    set_scale(g.y, own->y / wanted.y, "y", g.notes);
  }
}

}  // namespace

ResizeGeometry plan_geometry(const ResizeRequest& request, const ImageInfo& image, bool keeps_factors) {
  ResizeGeometry g;
  g.x.in = image.width, g.y.in = image.height;
  aim(g, request.target, image.spacing, keeps_factors);
  if (goes_other_way(g.x, request.one_way) || goes_other_way(g.y, request.one_way)) keep_size(g.x), keep_size(g.y);
  g.x.shift = make_fraction(request.shift.x.num, request.shift.x.den, 31);
  g.y.shift = make_fraction(request.shift.y.num, request.shift.y.den, 31);
  if (const auto* fill = std::get_if<ToFill>(&request.target)) cut_centre(g.x, fill->width), cut_centre(g.y, fill->height);
  if (const auto* box = std::get_if<ToLetterbox>(&request.target)) {
    const std::int64_t w = std::max(box->width, g.x.out), h = std::max(box->height, g.y.out);
    g.canvas = ResizeGeometry::Canvas{w, h, (w - g.x.out) / 2, (h - g.y.out) / 2, box->value};
  }
  for (const AxisGeometry* axis : {&g.x, &g.y})
    if (axis->out > largest_side)
      throw Error(ExitCode::image_failed, fmt::format("a side of {} pixels is too large; the limit is {}", axis->out, largest_side));
  return g;
}

}  // namespace upfirdn
