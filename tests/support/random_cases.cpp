#include "random_cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "describe.hpp"
#include "images.hpp"
#include "oracle.hpp"
#include "random.hpp"

namespace upfirdn {
namespace {

/// Work of one case in multiply-adds: about 5 ms of the plain implementations.
constexpr double most_work = 1.5e6;

std::int64_t random_side(Random& random) {
  if (random.chance(40)) return random.between(1, 130);
  return random.pick<std::int64_t>({1, 2, 3, 8, 31, 32, 33, 63, 64, 65, 127, 128, 129});
}

Fraction fraction(std::int64_t num, std::int64_t den) {
  return make_fraction(num, den);
}

ImageInfo random_info(std::uint64_t seed, Random& random) {
  ImageInfo info;
  info.type = std::initializer_list<PixelType>{PixelType::u8,  PixelType::u16, PixelType::s16, PixelType::f16,
                                               PixelType::f32, PixelType::u32, PixelType::s32, PixelType::f64}
                  .begin()[seed % 8];
  info.width = random_side(random);
  info.height = random_side(random);
  info.channels = int(random.pick({1, 1, 1, 2, 3, 3, 4, 4, 5, 6}));
  info.maxval = full_scale(info.type);
  if (info.type == PixelType::u16 && random.chance(40))
    info.maxval = random.pick({4095u, 1023u, 300u, 40000u});
  if (info.type == PixelType::u32 && random.chance(40)) info.maxval = random.pick({4095u, 1u << 24, (1u << 24) + 1, 3000000000u});
  if (info.type == PixelType::u8 && random.chance(20)) info.maxval = random.pick({1u, 15u, 127u});
  return info;
}

BorderRule random_border(std::uint64_t seed, const ImageInfo& info, Random& random) {
  BorderRule border;
  border.kind = std::initializer_list<Border>{Border::zero,   Border::edge, Border::reflect,
                                              Border::mirror, Border::wrap, Border::constant}
                    .begin()[seed / 8 % 6];
  if (border.kind != Border::constant) return border;
  const std::int64_t maxval = info.maxval;
  if (is_float(info.type))
    border.value = double(random.between(-16, 16)) / 8;
  else
    border.value = double(random.between(is_signed_integer(info.type) ? -maxval : 0, maxval));
  return border;
}

/// Taps with a sum well away from 0.
std::vector<double> random_taps(std::int64_t length, Random& random) {
  const double low = random.pick({0.05, -0.3});
  std::vector<double> taps;
  for (std::int64_t k = 0; k < length; ++k) taps.push_back(random.real(low, 1));
  if (random.chance(15)) taps[std::size_t(random.between(0, length - 1))] = 0.0;
  double sum = 0;
  for (double tap : taps) sum += tap;
  if (sum < 0.25 * double(length)) taps[std::size_t(length / 2)] += double(length);
  return taps;
}

FilterKernel random_kernel(const ImageInfo& info, Random& random) {
  if (arithmetic_of(info.type) == Arithmetic::float64)  // Bessel functions differ in the last bits of double
    return parse_filter(random.pick<const char*>({"gaussian", "gaussian:0.7", "gaussian:0.35", "box", "triangle", "catmullrom",
                                                  "mitchell", "cubic:0.2,0.4", "lanczos2", "lanczos3", "lanczos:4", "lanczos:2.5"}));
  return parse_filter(
      random.pick<const char*>({"gaussian", "gaussian:0.7", "gaussian:0.35", "box", "triangle", "catmullrom",
                                "mitchell", "cubic:0.2,0.4", "lanczos2", "lanczos3", "lanczos:4",
                                "lanczos:2.5", "kaiser:8,4", "kaiser:beta=5,a=3", "kaiser:atten=50,width=0.5,cutoff=0.45", "halfband:atten=40"}));
}

std::int64_t random_factor(Random& random) {
  return random.pick<std::int64_t>({1, 1, 1, 2, 2, 3, 4, 5, 6, 7});
}

FilterRequest random_operator(Random& random) {
  FilterRequest request;
  request.up = {random_factor(random), random_factor(random)};
  request.down = {random_factor(random), random_factor(random)};
  request.flip = random.chance(30);
  request.normalize = random.chance(70);
  if (random.chance(25)) request.gain = random.pick({0.01, 0.5, 2.0, 4.0, -1.5});
  return request;
}

/// Padding of one axis: any, but so that at least one output exists.
void random_padding(Random& random, std::int64_t in, std::int64_t up, std::int64_t taps, std::int64_t& p0,
                    std::int64_t& p1) {
  p0 = random.chance(20) ? -random.between(0, in * up / 3) : random.between(0, taps + 5);
  p1 = random.chance(20) ? -random.between(0, in * up / 3) : random.between(0, taps + 5);
  if (in * up + p0 + p1 < taps) p1 += taps - (in * up + p0 + p1) + random.between(0, 5);
}

void pad(FilterRequest& request, const ImageInfo& info, std::int64_t taps_x, std::int64_t taps_y,
         Random& random) {
  const bool automatic_fits =
      info.width * request.up.x >= request.down.x && info.height * request.up.y >= request.down.y;
  if (automatic_fits && random.chance(35)) return;
  Padding padding;
  random_padding(random, info.width, request.up.x, taps_x, padding.x0, padding.x1);
  random_padding(random, info.height, request.up.y, taps_y, padding.y0, padding.y1);
  request.padding = padding;
}

void operator_with_taps(ResampleSpec& spec, const ImageInfo& info, std::int64_t longest, Random& random) {
  FilterRequest request = random_operator(random);
  if (longest > 64) {  // more than 64 taps in a phase
    request.up.x = random.between(1, 2);
    request.up.y = random.between(1, 3);
  }
  const auto length = [&](std::int64_t up) {
    return longest > 64 ? random.between(65 * up, 65 * up + longest) : random.between(1, longest);
  };
  AxisTaps taps{random_taps(length(request.up.x), random), {}};
  taps.y = random.chance(30)
               ? taps.x
               : random_taps(random.chance(50) ? random.between(1, 12) : length(request.up.y), random);
  if (random.chance(50)) std::swap(taps.x, taps.y), std::swap(request.up.x, request.up.y);
  pad(request, info, std::int64_t(taps.x.size()), std::int64_t(taps.y.size()), random);
  spec.filter = taps;
  spec.operation = request;
}

void operator_with_matrix(ResampleSpec& spec, const ImageInfo& info, Random& random) {
  FilterRequest request = random_operator(random);
  TapMatrix matrix{random.between(2, 12), random.between(2, 12), {}};
  const std::vector<double> column = random_taps(matrix.rows, random),
                            row = random_taps(matrix.columns, random);
  const bool separable = random.chance(30);
  const std::vector<double> free = random_taps(matrix.rows * matrix.columns, random);
  for (std::int64_t k = 0; k < matrix.rows * matrix.columns; ++k)
    matrix.values.push_back(separable ? column[std::size_t(k / matrix.columns)] *
                                            row[std::size_t(k % matrix.columns)]
                                      : free[std::size_t(k)]);
  pad(request, info, matrix.columns, matrix.rows, random);
  spec.filter = matrix;
  spec.operation = request;
}

void operator_with_name(ResampleSpec& spec, const ImageInfo& info, Random& random) {
  FilterRequest request = random_operator(random);
  spec.filter = random.chance(20)
                    ? parse_filter(random.pick<const char*>({"binomial:2", "binomial:4", "binomial:5"}))
                    : random_kernel(info, random);
  pad(request, info, 16, 16, random);
  if (request.padding) {  // long prototypes: room for their taps
    request.padding->x1 += 24 * std::max(request.up.x, request.down.x);
    request.padding->y1 += 24 * std::max(request.up.y, request.down.y);
  }
  spec.operation = request;
}

ResizeTarget random_target(const ImageInfo& info, Random& random) {
  const std::int64_t w = random_side(random), h = random_side(random);
  switch (random.between(0, 9)) {
    case 0:
      return ToFit{w, h};
    case 1:
      return ToCover{w, h};
    case 2:
      return ToFill{w, h};
    case 3:
      return ToSize{w, std::nullopt};
    case 4:
      return ByScale{fraction(random.between(1, 30), random.between(7, 13)),
                     fraction(random.between(1, 30), random.between(7, 13))};
    case 5:
      return ByFactors{{random_factor(random), random_factor(random)},
                       {random_factor(random), random_factor(random)}};
    case 6:
      return ToSize{w, info.height};
    case 7:
      return ToSize{info.width, h};
    default:
      return ToSize{w, h};
  }
}

ResizeRequest to_random_size(ResampleSpec& spec, const ImageInfo& info, Random& random) {
  ResizeRequest request;
  request.target = random_target(info, random);
  spec.filter = random_kernel(info, random);
  const auto shift = [&] {
    return fraction(random.between(-12, 12), random.pick<std::int64_t>({1, 2, 3, 4, 5, 8, 10}));
  };
  if (random.chance(20)) request.shift = {shift(), shift()};
  return request;
}

/// Along one axis up to 2500 to 1 or 1 to 2500; the other stays small.
ResizeRequest by_huge_ratio(ResampleSpec& spec, ImageInfo& info, Random& random) {
  std::int64_t large = random.between(70, 2500), small = random.between(1, 3);
  if (random.chance(30)) large = random.pick<std::int64_t>({2500, 2499, 1250 * small + 1});
  std::int64_t in = large, out = small;
  if (random.chance(25)) std::swap(in, out);
  const std::int64_t other_in = random.between(1, 5), other_out = random.between(1, 6);
  ResizeRequest request;
  const bool along_x = random.chance(50);
  info.width = along_x ? in : other_in;
  info.height = along_x ? other_in : in;
  request.target = along_x ? ToSize{out, other_out} : ToSize{other_out, out};
  spec.filter = random_kernel(info, random);
  return request;
}

ResizeRequest with_custom_taps(ResampleSpec& spec, Random& random) {
  ByFactors factors{{random_factor(random), random_factor(random)},
                    {random_factor(random), random_factor(random)}};
  const auto length = [&](std::int64_t up, std::int64_t down) {
    std::int64_t n = random.between(up, up + random.pick<std::int64_t>({4, 30, 150}));
    return (n + up - down) % 2 == 0 ? n + 1 : n;
  };
  const auto positive = [&](std::int64_t n) {
    std::vector<double> taps;
    for (std::int64_t k = 0; k < n; ++k) taps.push_back(double(random.between(1, 9)));
    return taps;
  };
  AxisTaps taps;
  taps.x = positive(length(factors.up.x, factors.down.x));
  taps.y = positive(length(factors.up.y, factors.down.y));
  spec.filter = taps;
  if (random.chance(20)) {
    factors = random.pick<ByFactors>(
        {{{2, 2}, {1, 1}}, {{1, 1}, {2, 2}}, {{3, 2}, {2, 1}}, {{1, 2}, {1, 1}}, {{2, 1}, {3, 4}}});
    spec.filter = parse_filter(random.pick<const char*>({"binomial:4", "binomial:6"}));
  }
  ResizeRequest request;
  request.target = factors;
  return request;
}

void random_alpha_or_nodata(ResizeRequest& request, ResampleSpec& spec, ImageInfo& info, Random& random) {
  if ((info.channels == 2 || info.channels == 4) && random.chance(40)) {
    info.alpha = random.chance(75) ? Alpha::straight : Alpha::associated;
    if (random.chance(20)) request.alpha_mode = AlphaMode::straight;
  }
  const bool codes = info.type == PixelType::u8 || info.type == PixelType::u16;
  const bool integers_out =
      spec.depth == Depth::same || spec.depth == Depth::bits8 || spec.depth == Depth::bits16;
  if (codes && integers_out && info.alpha != Alpha::associated && random.chance(20)) {
    request.linear = true;
    return;
  }
  if (info.alpha != Alpha::none || !random.chance(20)) return;
  if (spec.border.kind == Border::constant && random.chance(50))
    request.nodata = spec.border.value;
  else if (is_float(info.type))
    request.nodata = random.pick({std::numeric_limits<double>::quiet_NaN(), -1000.0, 0.0});
  else
    request.nodata = double(random.between(0, info.maxval));
}

void random_request(ResampleSpec& spec, ImageInfo& info, Random& random) {
  ResizeRequest request;
  const std::int64_t kind = random.between(0, 99);
  if (kind < 22) return operator_with_taps(spec, info, 40, random);
  if (kind < 35) return operator_with_taps(spec, info, 200, random);
  if (kind < 45) return operator_with_matrix(spec, info, random);
  if (kind < 52) return operator_with_name(spec, info, random);
  if (kind < 80) {
    request = to_random_size(spec, info, random);
  } else if (kind < 88) {
    request = by_huge_ratio(spec, info, random);
  } else if (kind < 95) {
    request = with_custom_taps(spec, random);
  } else {
    request.target = random_target(info, random);
    spec.filter = parse_filter("nearest");
  }
  random_alpha_or_nodata(request, spec, info, random);
  spec.operation = request;
}

Depth random_depth(const ImageInfo& info, Random& random) {
  if (!random.chance(25)) return Depth::same;
  if (is_signed_integer(info.type)) return random.pick({Depth::bits16, Depth::f16, Depth::f32});
  return random.pick({Depth::bits8, Depth::bits16, Depth::f16, Depth::f32});
}

EpilogueRequest random_epilogue(const ResampleSpec& spec, const ImageInfo& info, Random& random) {
  EpilogueRequest epilogue;
  epilogue.range = random.pick({ValueRange::code, ValueRange::unit, ValueRange::signed_unit});
  const bool codes = !is_float(info.type) && epilogue.range == ValueRange::code;
  const double unit = codes ? double(info.maxval) : 1.0;
  const bool resizes = std::holds_alternative<ResizeRequest>(spec.operation);
  const int counted = resizes && info.alpha != Alpha::none ? info.channels - 1 : info.channels;
  if (random.chance(70))
    for (int c = random.chance(50) ? 1 : counted; c > 0; --c)
      epilogue.bias.push_back(random.real(-0.4, 0.4) * unit);
  epilogue.activation = random.pick({Activation::none, Activation::relu, Activation::lrelu});
  epilogue.slope = random.pick({0.2, 0.01, 0.0, -0.5});
  epilogue.activation_gain = random.pick({1.0, std::numbers::sqrt2, 0.7});
  if (random.chance(30)) epilogue.clamp = random.real(0.2, 0.9) * unit;
  return epilogue;
}

/// Multiply-adds of the request, those of the literal operator included.
double work_of(const ResampleSpec& spec, const ImageInfo& info) {
  const oracle::Setup setup = oracle::resolve(spec, info);
  const auto line = [](const oracle::AxisSetup& axis) {
    double taps = 0;
    for (const oracle::Weights& weights : axis.outputs) taps += double(weights.taps.size() + 1);
    return std::max(taps, double(axis.out) * double(axis.prototype.size()));
  };
  double work = setup.matrix.empty()
                    ? line(setup.x) * double(setup.y.in + 1) + line(setup.y) * double(setup.x.out)
                    : double(setup.x.out) * double(setup.y.out) * double(setup.matrix.size());
  work += 10.0 * (double(info.width) * double(info.height) + double(setup.x.out) * double(setup.y.out));
  return work * info.channels;
}

/// Calls f(x, y, channel) for some samples, at least one.
template <class F>
void at_some_samples(const ImageInfo& info, Random& random, std::int64_t one_in, F&& f) {
  const std::int64_t samples = info.width * info.height * info.channels;
  for (std::int64_t n = 0; n <= samples / one_in; ++n)
    f(random.between(0, info.width - 1), random.between(0, info.height - 1),
      int(random.between(0, info.channels - 1)));
}

void add_specials(Image& image, Random& random) {
  at_some_samples(image.info(), random, 200, [&](std::int64_t x, std::int64_t y, int channel) {
    put_sample(image, x, y, channel,
               random.pick({std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(), -0.0f, -0.0f}));
  });
}

void add_nodata(Image& image, double value, Random& random) {
  const ImageInfo& info = image.info();
  at_some_samples(info, random, 5, [&](std::int64_t x, std::int64_t y, int channel) {
    put_sample(image, x, y, channel, value);
  });
}

}  // namespace

RandomCase random_case(std::uint64_t seed) {
  RandomCase result;
  for (std::uint64_t attempt = 0;; ++attempt) {
    Random random(seed * 1000003 + attempt * 7919);
    ResampleSpec spec;
    ImageInfo info = random_info(seed, random);
    spec.border = random_border(seed, info, random);
    spec.depth = random_depth(info, random);
    random_request(spec, info, random);
    const auto* resize = std::get_if<ResizeRequest>(&spec.operation);
    result.has_epilogue = random.chance(36) && !(resize != nullptr && resize->linear);
    if (result.has_epilogue) spec.epilogue = random_epilogue(spec, info, random);
    if (work_of(spec, info) > most_work) continue;
    result.spec = spec;
    result.image = random_image(info, random.bits());
    if (resize != nullptr && resize->nodata) add_nodata(result.image, *resize->nodata, random);
    result.has_specials = is_float(info.type) && random.chance(36);
    if (result.has_specials) add_specials(result.image, random);
    result.description =
        fmt::format("case {}: {}{}{}", seed, describe(spec, info), result.has_epilogue ? ", epilogue" : "",
                    result.has_specials ? ", specials" : "");
    return result;
  }
}

}  // namespace upfirdn
