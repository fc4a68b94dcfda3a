#include "describe.hpp"

#include <fmt/format.h>

namespace upfirdn {
namespace {

std::string filter_text(const FilterChoice& filter) {
  if (const auto* kernel = std::get_if<FilterKernel>(&filter)) return kernel->text;
  if (const auto* taps = std::get_if<AxisTaps>(&filter))
    return fmt::format("taps {},{}", taps->x.size(), taps->y.size());
  const auto& matrix = std::get<TapMatrix>(filter);
  return fmt::format("matrix {}x{}", matrix.columns, matrix.rows);
}

std::string target_text(const ResizeTarget& target) {
  if (const auto* t = std::get_if<ToSize>(&target))
    return fmt::format("size {}x{}", t->width.value_or(0), t->height.value_or(0));
  if (const auto* t = std::get_if<ToFit>(&target)) return fmt::format("fit {}x{}", t->width, t->height);
  if (const auto* t = std::get_if<ToCover>(&target)) return fmt::format("cover {}x{}", t->width, t->height);
  if (const auto* t = std::get_if<ToFill>(&target)) return fmt::format("fill {}x{}", t->width, t->height);
  if (const auto* t = std::get_if<ToLetterbox>(&target))
    return fmt::format("letterbox {}x{}", t->width, t->height);
  if (const auto* t = std::get_if<ByScale>(&target))
    return fmt::format("scale {}/{},{}/{}", t->x.num, t->x.den, t->y.num, t->y.den);
  if (const auto* t = std::get_if<ByFactors>(&target))
    return fmt::format("up {},{} down {},{}", t->up.x, t->up.y, t->down.x, t->down.y);
  return "spacing";
}

std::string operation_text(const ResampleSpec& spec) {
  if (const auto* f = std::get_if<FilterRequest>(&spec.operation)) {
    std::string text = fmt::format("filter up {},{} down {},{}", f->up.x, f->up.y, f->down.x, f->down.y);
    if (f->padding)
      text += fmt::format(" pad {},{},{},{}", f->padding->x0, f->padding->x1, f->padding->y0, f->padding->y1);
    if (f->flip) text += " flip";
    if (!f->normalize) text += " as given";
    return f->gain == 1 ? text : text + fmt::format(" gain {}", f->gain);
  }
  const auto& r = std::get<ResizeRequest>(spec.operation);
  std::string text = "resize " + target_text(r.target);
  if (r.shift.x.num != 0 || r.shift.y.num != 0)
    text += fmt::format(" shift {}/{},{}/{}", r.shift.x.num, r.shift.x.den, r.shift.y.num, r.shift.y.den);
  if (r.alpha_mode == AlphaMode::straight) text += " straight";
  if (r.linear) text += " linear";
  if (r.nodata) text += fmt::format(" nodata {}", *r.nodata);
  return text;
}

const char* depth_text(Depth depth) {
  switch (depth) {
    case Depth::same:
      return "";
    case Depth::bits8:
      return " to 8 bits";
    case Depth::bits16:
      return " to 16 bits";
    case Depth::f16:
      return " to f16";
    case Depth::f32:
      return " to f32";
  }
  return "";
}

}  // namespace

const char* name(Border border) {
  switch (border) {
    case Border::zero:
      return "zero";
    case Border::edge:
      return "edge";
    case Border::reflect:
      return "reflect";
    case Border::mirror:
      return "mirror";
    case Border::wrap:
      return "wrap";
    case Border::constant:
      return "constant";
  }
  return "";
}

std::string describe(const ResampleSpec& spec, const ImageInfo& info) {
  std::string text = fmt::format("{} {}x{}x{} maxval {}{}, {}, {}, border {}", name(info.type), info.width,
                                 info.height, info.channels, info.maxval, depth_text(spec.depth),
                                 operation_text(spec), filter_text(spec.filter), name(spec.border.kind));
  if (spec.border.kind == Border::constant) text += fmt::format(":{}", spec.border.value);
  if (info.alpha == Alpha::straight) text += ", alpha";
  if (info.alpha == Alpha::associated) text += ", associated alpha";
  return text;
}

}  // namespace upfirdn
