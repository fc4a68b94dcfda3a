#include "app/request_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace upfirdn {
namespace {

std::string text_of(const Fraction& f) { return f.den == 1 ? fmt::format("{}", f.num) : fmt::format("{}/{}", f.num, f.den); }

std::string side(const std::optional<std::int64_t>& pixels) { return pixels ? std::to_string(*pixels) : ""; }

struct TargetText {
  std::string operator()(const ToSize& t) const { return fmt::format("size={}x{}", side(t.width), side(t.height)); }
  std::string operator()(const ToFit& t) const { return fmt::format("fit={}x{}", t.width, t.height); }
  std::string operator()(const ToCover& t) const { return fmt::format("cover={}x{}", t.width, t.height); }
  std::string operator()(const ToFill& t) const { return fmt::format("fill={}x{}", t.width, t.height); }
  std::string operator()(const ToLetterbox& t) const { return fmt::format("letterbox={}x{}:{}", t.width, t.height, t.value); }
  std::string operator()(const ByScale& t) const { return fmt::format("scale={},{}", text_of(t.x), text_of(t.y)); }
  std::string operator()(const ByFactors& t) const { return fmt::format("up={},{} down={},{}", t.up.x, t.up.y, t.down.x, t.down.y); }
  std::string operator()(const ToSpacing& t) const { return fmt::format("spacing={},{}", text_of(t.x), text_of(t.y)); }
};

struct FilterText {
  std::string operator()(const FilterKernel& kernel) const { return kernel.text; }
  std::string operator()(const AxisTaps& taps) const { return fmt::format("taps-x={} taps-y={}", fmt::join(taps.x, ","), fmt::join(taps.y, ",")); }
  std::string operator()(const TapMatrix& taps) const { return fmt::format("taps={}x{}:{}", taps.columns, taps.rows, fmt::join(taps.values, ",")); }
};

std::string border_text(const BorderRule& border) {
  switch (border.kind) {
    case Border::zero: return "zero";
    case Border::edge: return "edge";
    case Border::reflect: return "reflect";
    case Border::mirror: return "mirror";
    case Border::wrap: return "wrap";
    case Border::constant: return fmt::format("constant:{}", border.value);
  }
  throw std::logic_error("border out of range");
}

std::string resize_text(const ResizeRequest& r) {
  std::string text = "resize " + std::visit(TargetText{}, r.target);
  if (r.one_way != OneWay::no) text += r.one_way == OneWay::only_shrink ? " only-shrink" : " only-enlarge";
  if (r.crop) text += fmt::format(" crop={},{},{},{}", r.crop->x, r.crop->y, r.crop->width, r.crop->height);
  if (r.shift.x.num != 0 || r.shift.y.num != 0) text += fmt::format(" shift={},{}", text_of(r.shift.x), text_of(r.shift.y));
  if (r.alpha_mode == AlphaMode::straight) text += " straight-alpha";
  if (r.linear) text += " linear";
  if (!r.nodata_of_file) text += r.nodata ? fmt::format(" nodata={}", *r.nodata) : " nodata=none";
  return text;
}

std::string filter_text(const FilterRequest& f) {
  std::string text = fmt::format("filter up={},{} down={},{}", f.up.x, f.up.y, f.down.x, f.down.y);
  if (f.padding) text += fmt::format(" pad={},{},{},{}", f.padding->x0, f.padding->x1, f.padding->y0, f.padding->y1);
  if (f.flip) text += " flip";
  if (!f.normalize) text += " no-normalize";
  if (f.gain != 1) text += fmt::format(" gain={}", f.gain);
  return text;
}

std::string epilogue_text(const EpilogueRequest& e) {
  const EpilogueRequest plain;
  std::string text;
  if (!e.bias.empty()) text += fmt::format(" bias={}", fmt::join(e.bias, ","));
  if (e.activation != plain.activation) text += fmt::format(" act={}:{}", e.activation == Activation::relu ? "relu" : "lrelu", e.slope);
  if (e.activation_gain != plain.activation_gain) text += fmt::format(" act-gain={}", e.activation_gain);
  if (e.clamp) text += fmt::format(" clamp={}", *e.clamp);
  if (!text.empty() && e.range != plain.range) text += e.range == ValueRange::unit ? " range=unit" : " range=signed";
  return text;
}

}  // namespace

std::string describe_filter(const FilterChoice& filter) { return std::visit(FilterText{}, filter); }

std::string describe(const ResampleSpec& spec, const ValueRequest& values) {
  const auto* resize = std::get_if<ResizeRequest>(&spec.operation);
  const std::string named = std::holds_alternative<FilterKernel>(spec.filter) ? "filter=" : "";
  std::string text = fmt::format("upfirdn {} {} {}{} border={}{}", UPFIRDN_VERSION,
                                 resize != nullptr ? resize_text(*resize) : filter_text(std::get<FilterRequest>(spec.operation)), named,
                                 describe_filter(spec.filter), border_text(spec.border), epilogue_text(spec.epilogue));
  if (values.changes_values()) text += fmt::format(" values={},{},{},{},{}", int(values.display), values.a, values.b, values.rescale, values.invert_low_is_white);
  return text;
}

}  // namespace upfirdn
