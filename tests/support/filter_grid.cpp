#include "filter_grid.hpp"

#include <fmt/format.h>

#include <cstring>

#include "describe.hpp"
#include "images.hpp"
#include "random.hpp"

namespace upfirdn {
namespace {

struct Factor {
  const char* name;
  ResizeTarget target;
  Pair<Fraction> shift{};
};

const std::vector<Factor>& factors() {
  static const std::vector<Factor> all{
      {"1/4", ByScale{{1, 4}, {1, 4}}},        {"4", ByScale{{4, 1}, {4, 1}}},
      {"0.341", ByScale{{341, 1000}, {341, 1000}}}, {"1/3.44", ByScale{{25, 86}, {25, 86}}},
      {"3/2", ByScale{{3, 2}, {3, 2}}},        {"1/40", ByScale{{1, 40}, {1, 40}}},
      {"31x53", ToSize{31, 53}},               {"1 shifted", ByScale{{1, 1}, {1, 1}}, {{1, 3}, {-1, 2}}}};
  return all;
}

constexpr Border borders[] = {Border::zero, Border::edge, Border::reflect, Border::mirror, Border::wrap, Border::constant};

ImageInfo grid_info(std::size_t samples) {
  constexpr std::int64_t width = 45, height = 38;
  switch (samples) {
    case 0: return shape(PixelType::u16, width, height);
    case 1: return shape(PixelType::f32, width, height);
    case 2: {
      ImageInfo info = shape(PixelType::u8, width, height, 4);
      info.alpha = Alpha::straight;
      return info;
    }
    case 3: {
      ImageInfo info = shape(PixelType::u16, width, height, 2);
      info.alpha = Alpha::straight;
      return info;
    }
    case 4: return shape(PixelType::u8, width, height, 3);
    default: return shape(PixelType::u16, width, height);
  }
}

/// A frame of missing samples and some within.
void add_missing(Image& image, Random& random) {
  const ImageInfo& info = image.info();
  for (std::int64_t y = 0; y < info.height; ++y)
    for (std::int64_t x = 0; x < info.width; ++x)
      if (x < 5 || y < 4 || x >= info.width - 6 || y >= info.height - 5 || random.chance(5)) put_sample(image, x, y, 0, 0);
}

}  // namespace

const std::vector<std::string>& grid_filters() {
  static const std::vector<std::string> all{
      "gaussian",     "gaussian:0.7",  "box",    "triangle",           "catmullrom",
      "mitchell",     "cubic:0.2,0.4", "lanczos2", "lanczos3",         "lanczos:2.5",
      "kaiser",       "kaiser:5,3",    "kaiser:atten=80,width=0.2",    "kaiser:atten=60,width=0.4,cutoff=0.4",
      "halfband",     "binomial:4",    "binomial:5", "nearest"};
  return all;
}

const std::vector<std::string>& grid_samples() {
  static const std::vector<std::string> all{"u16", "f32", "u8 RGBA", "u16 gray + alpha", "u8 linear light", "u16 nodata"};
  return all;
}

std::int64_t grid_places() { return std::int64_t(factors().size() * std::size(borders)); }

RandomCase grid_case(std::size_t filter, std::size_t samples, std::int64_t place) {
  const Border border = borders[std::size_t(place) % std::size(borders)];
  const Factor& factor = factors()[std::size_t(place) / std::size(borders)];
  const std::string& text = grid_filters()[filter];
  RandomCase result;
  ResizeRequest request{.target = factor.target};
  result.spec.filter = parse_filter(text);
  if (text.starts_with("binomial")) {  // even lengths go with odd differences of the factors
    const bool even = text == "binomial:4";
    const std::int64_t down = place % 2 == 0 ? (even ? 2 : 3) : 1, up = place % 2 == 0 ? 1 : (even ? 2 : 3);
    request.target = ByFactors{{up, up}, {down, down}};
  } else if (text != "nearest") {
    request.shift = factor.shift;
  }
  const ImageInfo info = grid_info(samples);
  Random random(std::uint64_t(place) * 31 + filter * 7 + samples);
  result.image = random_image(info, random.bits());
  request.linear = samples == 4;
  if (samples == 5) {
    request.nodata = 0;
    add_missing(result.image, random);
  }
  result.spec.operation = request;
  result.spec.border = {border, border == Border::constant ? 17.0 : 0.0};
  result.description = fmt::format("{} by {}, {}: {}", text, factor.name, grid_samples()[samples], describe(result.spec, info));
  return result;
}

}  // namespace upfirdn
