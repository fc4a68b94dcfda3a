#include "io/exr/exr_windows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace upfirdn::exr {
namespace {

/// A window along one axis.
struct Span {
  double first, size;
};

struct PlacedSpans {
  Span data, display;
  bool exact;
};

/// Output pixel 0 is centred at `data.first + place.first` in the plane of the input.
PlacedSpans placed_along(const Span& data, const Span& display, const Placement& place, double output_size, bool one_window) {
  const double pitch = to_double(place.pitch);
  const double display_first = std::round(display.first / pitch);
  if (one_window) return {{display_first, output_size}, {display_first, output_size}, true};
  const double beside = (data.first - display.first + place.first + 0.5) / pitch - 0.5;
  const double whole = std::round(beside);
  return {{display_first + whole, output_size}, {display_first, std::max(1.0, std::round(display.size / pitch))}, std::abs(beside - whole) < 1e-6};
}

std::int32_t coordinate(double value) {
  using Limits = std::numeric_limits<std::int32_t>;
  return std::int32_t(std::clamp(value, double(Limits::min()), double(Limits::max())));
}

Window window_of(const Span& x, const Span& y) {
  return {coordinate(x.first), coordinate(y.first), coordinate(x.first + x.size - 1), coordinate(y.first + y.size - 1)};
}

}  // namespace

Windows placed(const Windows& input, const Origin& origin, const ImageInfo& output) {
  const bool one = input.data == input.display;
  const PlacedSpans x = placed_along({double(input.data.min_x), double(input.data.width())}, {double(input.display.min_x), double(input.display.width())},
                                     origin.x, double(output.width), one);
  const PlacedSpans y = placed_along({double(input.data.min_y), double(input.data.height())}, {double(input.display.min_y), double(input.display.height())},
                                     origin.y, double(output.height), one);
  return {window_of(x.data, y.data), window_of(x.display, y.display), x.exact && y.exact};
}

}  // namespace upfirdn::exr
