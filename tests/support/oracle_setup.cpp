#include <cmath>
#include <stdexcept>

#include "oracle.hpp"
#include "oracle_kernel.hpp"

namespace upfirdn::oracle {
namespace {

Rational exact(const Fraction& f) {
  return {f.num, f.den};
}

std::int64_t rounded_size(Rational size) {
  const std::int64_t n = floor_of(size + Rational(1, 2));
  return n < 1 ? 1 : n;
}

/// Pitch, factors and size of one axis of a resize.
struct Extent {
  Rational pitch = 1;
  std::int64_t out = 1;
  std::int64_t skip = 0;                        ///< outputs dropped before the first that is kept (fill)
  std::optional<Pair<std::int64_t>> factors{};  ///< {up, down} as given
};

Extent to_size(std::int64_t in, std::int64_t out) {
  return {.pitch = Rational(in, out), .out = out};
}

Extent by_factors(std::int64_t in, std::int64_t up, std::int64_t down) {
  return {.pitch = Rational(down, up), .out = rounded_size(Rational(in * up, down)), .factors = {{up, down}}};
}

/// Largest size inside (or smallest covering) width x height.
Pair<std::int64_t> same_aspect(const ImageInfo& in, std::int64_t width, std::int64_t height, bool inside) {
  const Rational fx(width, in.width), fy(height, in.height);
  const Rational factor = (fx < fy) == inside ? fx : fy;
  return {rounded_size(Rational(in.width) * factor), rounded_size(Rational(in.height) * factor)};
}

Pair<std::int64_t> missing_side(const ImageInfo& in, const ToSize& size) {
  if (size.width && size.height) return {*size.width, *size.height};
  if (size.width) return {*size.width, rounded_size(Rational(in.height * *size.width, in.width))};
  return {rounded_size(Rational(in.width * *size.height, in.height)), *size.height};
}

Pair<Extent> extents(const ResizeRequest& request, const ImageInfo& in) {
  if (const auto* scale = std::get_if<ByScale>(&request.target))
    return {by_factors(in.width, scale->x.num, scale->x.den),
            by_factors(in.height, scale->y.num, scale->y.den)};
  if (const auto* factors = std::get_if<ByFactors>(&request.target))
    return {by_factors(in.width, factors->up.x, factors->down.x),
            by_factors(in.height, factors->up.y, factors->down.y)};
  Pair<std::int64_t> size{};
  if (const auto* to = std::get_if<ToSize>(&request.target)) size = missing_side(in, *to);
  if (const auto* to = std::get_if<ToFit>(&request.target))
    size = same_aspect(in, to->width, to->height, true);
  if (const auto* to = std::get_if<ToLetterbox>(&request.target))
    size = same_aspect(in, to->width, to->height, true);
  if (const auto* to = std::get_if<ToCover>(&request.target))
    size = same_aspect(in, to->width, to->height, false);
  if (const auto* to = std::get_if<ToFill>(&request.target))
    size = same_aspect(in, to->width, to->height, false);
  if (size.x == 0) throw std::logic_error("the oracle knows no spacing");
  return {to_size(in.width, size.x), to_size(in.height, size.y)};
}

void keep_size_if_other_way(const ResizeRequest& request, const ImageInfo& in, Pair<Extent>& extent) {
  const bool shrinks = extent.x.out < in.width || extent.y.out < in.height;
  const bool enlarges = extent.x.out > in.width || extent.y.out > in.height;
  const bool keep = (request.one_way == OneWay::only_shrink && enlarges) ||
                    (request.one_way == OneWay::only_enlarge && shrinks);
  if (keep) extent = {to_size(in.width, in.width), to_size(in.height, in.height)};
}

void cut_to(Extent& extent, std::int64_t wanted) {
  if (extent.out <= wanted) return;
  extent.skip = (extent.out - wanted) / 2;
  extent.out = wanted;
}

/// Outputs of the literal operator in closed form: positions and taps of g = reverse(f), or f when flipped.
void add_operator_outputs(AxisSetup& axis, bool flip) {
  const std::int64_t length = std::int64_t(axis.prototype.size());
  for (std::int64_t o = 0; o < axis.out; ++o) {
    const std::int64_t b = o * axis.down - axis.p0;
    const std::int64_t i0 = ceil_of(Rational(b, axis.up));
    Weights weights{.first = i0, .j0 = i0 * axis.up - b};
    for (std::int64_t j = weights.j0; j < length; j += axis.up)
      weights.taps.push_back(axis.prototype[std::size_t(flip ? j : length - 1 - j)]);
    axis.outputs.push_back(weights);
  }
}

AxisSetup resize_axis(std::int64_t in, const Extent& extent, const FilterChoice& choice,
                      const std::vector<double>* taps, Rational shift) {
  AxisSetup axis{.in = in, .out = extent.out};
  axis.up = std::int64_t(extent.pitch.den);
  axis.down = std::int64_t(extent.pitch.num);
  const FilterKernel* kernel = std::get_if<FilterKernel>(&choice);
  if (kernel != nullptr && kernel->name == KernelName::nearest) {
    axis.copied = true;
    for (std::int64_t o = extent.skip; o < extent.skip + extent.out; ++o)
      axis.outputs.push_back({.first = floor_of(Rational(2 * o + 1, 2) * extent.pitch)});
    return axis;
  }
  if (kernel != nullptr && extent.pitch == 1 && shift == 0) {
    axis.copied = true;
    for (std::int64_t o = extent.skip; o < extent.skip + extent.out; ++o)
      axis.outputs.push_back({.first = o});
    return axis;
  }
  if (kernel != nullptr && kernel->name != KernelName::binomial) {
    for (std::int64_t o = extent.skip; o < extent.skip + extent.out; ++o)
      axis.outputs.push_back(named_weights(*kernel, extent.pitch, shift, o));
  } else {
    if (!extent.factors || extent.skip != 0) throw std::logic_error("taps need factors");
    axis.up = extent.factors->x;
    axis.down = extent.factors->y;
    axis.prototype = kernel != nullptr ? pascal_row(kernel->taps) : *taps;
    const std::int64_t twice = std::int64_t(axis.prototype.size()) - 1 - axis.down + axis.up;
    if (twice % 2 != 0) throw std::logic_error("taps of the wrong parity");
    axis.p0 = twice / 2;
    add_operator_outputs(axis, false);
  }
  for (Weights& weights : axis.outputs) normalize_phase(weights);
  return axis;
}

std::vector<double> scaled_to(std::vector<double> taps, double factor) {
  double sum = 0;
  for (double tap : taps) sum += tap;
  for (double& tap : taps) tap = tap / sum * factor;
  return taps;
}

AxisSetup filter_axis(const FilterRequest& request, std::int64_t in, std::int64_t up, std::int64_t down,
                      std::vector<double> taps, std::optional<Pair<std::int64_t>> padding) {
  AxisSetup axis{.in = in, .up = up, .down = down};
  const std::int64_t length = std::int64_t(taps.size());
  axis.prototype = std::move(taps);
  axis.p0 = padding ? padding->x : floor_of(Rational(length + up - down, 2));
  axis.p1 = padding ? padding->y : floor_of(Rational(length - up - down + 1, 2));
  const std::int64_t room = in * up + axis.p0 + axis.p1 - length;
  if (room < 0) throw std::logic_error("smaller than the taps");
  axis.out = room / down + 1;
  add_operator_outputs(axis, request.flip);
  return axis;
}

/// Factors a matrix of rank 1 into column and row; false if it is not of rank 1.
bool factor(const std::vector<double>& m, std::int64_t rows, std::int64_t columns,
            std::vector<double>& column, std::vector<double>& row) {
  std::int64_t pivot = 0;
  for (std::int64_t k = 0; k < rows * columns; ++k)
    if (std::abs(m[std::size_t(k)]) > std::abs(m[std::size_t(pivot)])) pivot = k;
  const double largest = m[std::size_t(pivot)];
  for (std::int64_t y = 0; y < rows; ++y) column.push_back(m[std::size_t(y * columns + pivot % columns)]);
  for (std::int64_t x = 0; x < columns; ++x)
    row.push_back(m[std::size_t(pivot / columns * columns + x)] / largest);
  for (std::int64_t y = 0; y < rows; ++y)
    for (std::int64_t x = 0; x < columns; ++x) {
      const double product = column[std::size_t(y)] * row[std::size_t(x)];
      if (std::abs(m[std::size_t(y * columns + x)] - product) > 1e-6 * std::abs(largest)) return false;
    }
  return true;
}

void resolve_filter(const ResampleSpec& spec, const FilterRequest& request, Setup& setup) {
  std::vector<double> x, y;
  const Pair<std::int64_t> up = request.up, down = request.down;
  if (const auto* kernel = std::get_if<FilterKernel>(&spec.filter)) {
    x = prototype_of(*kernel, up.x, down.x);
    y = prototype_of(*kernel, up.y, down.y);
  } else if (const auto* taps = std::get_if<AxisTaps>(&spec.filter)) {
    x = taps->x;
    y = taps->y;
  }
  if (const auto* matrix = std::get_if<TapMatrix>(&spec.filter)) {
    std::vector<double> values = matrix->values;
    if (request.normalize) values = scaled_to(values, double(up.x) * double(up.y));
    if (!factor(values, matrix->rows, matrix->columns, y, x)) {
      setup.matrix = values;
      x.assign(std::size_t(matrix->columns), 0.0);
      y.assign(std::size_t(matrix->rows), 0.0);
    }
  } else if (request.normalize) {
    x = scaled_to(x, double(up.x));
    y = scaled_to(y, double(up.y));
  }
  std::optional<Pair<std::int64_t>> pad_x, pad_y;
  if (request.padding) {
    pad_x = {request.padding->x0, request.padding->x1};
    pad_y = {request.padding->y0, request.padding->y1};
  }
  setup.flip = request.flip;
  setup.x = filter_axis(request, setup.input.width, up.x, down.x, x, pad_x);
  setup.y = filter_axis(request, setup.input.height, up.y, down.y, y, pad_y);
}

void resolve_resize(const ResampleSpec& spec, const ResizeRequest& request, Setup& setup) {
  if (request.crop) {
    setup.input.width = request.crop->width;
    setup.input.height = request.crop->height;
  }
  Pair<Extent> extent = extents(request, setup.input);
  keep_size_if_other_way(request, setup.input, extent);
  if (const auto* fill = std::get_if<ToFill>(&request.target)) {
    cut_to(extent.x, fill->width);
    cut_to(extent.y, fill->height);
  }
  const AxisTaps* taps = std::get_if<AxisTaps>(&spec.filter);
  setup.x = resize_axis(setup.input.width, extent.x, spec.filter, taps != nullptr ? &taps->x : nullptr,
                        exact(request.shift.x));
  setup.y = resize_axis(setup.input.height, extent.y, spec.filter, taps != nullptr ? &taps->y : nullptr,
                        exact(request.shift.y));
}

}  // namespace

ImageInfo stored_as(const ImageInfo& input, Depth depth) {
  ImageInfo info = input;
  const bool is_signed = input.type == PixelType::s16 || input.type == PixelType::s32;
  switch (depth) {
    case Depth::same:
      return info;
    case Depth::bits8:
      if (is_signed) throw std::logic_error("no signed 8-bit type");
      info.type = PixelType::u8;
      info.maxval = 255;
      break;
    case Depth::bits16:
      info.type = is_signed ? PixelType::s16 : PixelType::u16;
      info.maxval = is_signed ? 32767 : 65535;
      break;
    case Depth::f16:
      info.type = PixelType::f16;
      info.maxval = 1;
      break;
    case Depth::f32:
      info.type = PixelType::f32;
      info.maxval = 1;
      break;
  }
  return info;
}

Setup resolve(const ResampleSpec& spec, const ImageInfo& input) {
  Setup setup{.input = input};
  if (const auto* request = std::get_if<FilterRequest>(&spec.operation))
    resolve_filter(spec, *request, setup);
  if (const auto* request = std::get_if<ResizeRequest>(&spec.operation))
    resolve_resize(spec, *request, setup);
  setup.output = stored_as(setup.input, spec.depth);
  setup.output.width = setup.x.out;
  setup.output.height = setup.y.out;
  setup.vertical_first = setup.y.down >= setup.y.up;
  return setup;
}

}  // namespace upfirdn::oracle
