#include <cmath>

#include "images.hpp"
#include "random.hpp"
#include "random_cases.hpp"

namespace upfirdn {
namespace {

enum class Content { noise, ramp, flat, extremes };

/// A sample as a number from 0 to 1.
double level(Content content, Random& random, std::int64_t x, std::int64_t y, int channel) {
  switch (content) {
    case Content::noise:
      return random.real(0, 1);
    case Content::ramp:
      return double((x * 7 + y * 13 + channel * 29) % 101) / 100;
    case Content::flat:
      return random.chance(3) ? random.real(0, 1) : 0.75;
    case Content::extremes:
      return random.chance(50) ? 1.0 : 0.0;
  }
  return 0;
}

}  // namespace

Image random_image(const ImageInfo& info, std::uint64_t seed) {
  Random random(seed ^ 0x5eed0fu);
  const Content content =
      random.pick({Content::noise, Content::noise, Content::ramp, Content::flat, Content::extremes});
  const double maxval = double(info.maxval);
  const double scale = random.pick({1.0, 1.0, 255.0, 3000.0});
  const double high = is_float(info.type) ? scale : maxval;
  const double low = is_float(info.type)            ? random.pick({0.0, -scale, -0.25 * scale})
                     : is_signed_integer(info.type) ? -maxval - 1
                                                    : 0.0;
  const bool fraction_of_alpha = info.alpha != Alpha::none && is_float(info.type);
  Image image(info);
  for (std::int64_t y = 0; y < info.height; ++y)
    for (std::int64_t x = 0; x < info.width; ++x)
      for (int c = 0; c < info.channels; ++c) {
        const bool alpha = fraction_of_alpha && c == info.channels - 1;
        const double from = alpha ? 0.0 : low, to = alpha ? 1.0 : high;
        const double value = from + (to - from) * level(content, random, x, y, c);
        put_sample(image, x, y, c, is_float(info.type) ? value : std::round(value));
      }
  return image;
}

}  // namespace upfirdn
