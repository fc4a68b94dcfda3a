#include "app/filter_panels.hpp"

#include <algorithm>
#include <cmath>

#include "filters/response.hpp"

namespace upfirdn {
namespace {

constexpr int response_points = 1200;
constexpr double highest_shown = 4;   // cycles a pixel
constexpr std::size_t most_dots = 120;  // taps beyond that are shown as a line

/// 1, 2 or 5 times a power of ten, about a tenth to a fifth of `range`.
double tick_step(double range) {
  const double raw = range / 8, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

Scale scale_of(double low, double high) { return {low, high, tick_step(high - low)}; }

std::string coarse_pixel(std::int64_t up, std::int64_t down) {
  return up == down ? "pixel" : down > up ? "output pixel" : "input pixel";
}

}  // namespace

std::vector<double> Scale::ticks() const {
  std::vector<double> values;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) values.push_back(k == 0 ? 0 : k * step);
  return values;
}

Panel impulse_panel(const std::vector<NamedTaps>& filters, std::int64_t up, std::int64_t down) {
  const double coarse = double(std::max(up, down));
  Panel panel{.x_title = "distance from the middle in " + coarse_pixel(up, down) + "s", .y_title = "tap"};
  double reach = 0, least = 0, most = 0;
  for (const NamedTaps& filter : filters) {
    Curve curve{.name = filter.name, .dotted = filter.taps.size() <= most_dots};
    const double middle = double(filter.taps.size() - 1) / 2;
    for (std::size_t k = 0; k < filter.taps.size(); ++k) curve.points.push_back({(double(k) - middle) / coarse, filter.taps[k]});
    reach = std::max(reach, middle / coarse);
    for (const double tap : filter.taps) least = std::min(least, tap), most = std::max(most, tap);
    panel.curves.push_back(std::move(curve));
  }
  const double room = most > least ? 0.08 * (most - least) : 1;
  reach = std::max(1.05 * reach, 1 / coarse);
  panel.x = scale_of(-reach, reach);
  panel.y = scale_of(least - room, most + room);
  return panel;
}

Panel response_panel(const std::vector<NamedTaps>& filters, std::int64_t up, std::int64_t down) {
  Panel panel{.x_title = "frequency in cycles per " + coarse_pixel(up, down), .y_title = "gain in dB"};
  const double end = std::min(double(std::max(up, down)) / 2, highest_shown);
  double floor_db = -60;
  for (const NamedTaps& filter : filters) {
    const FrequencyResponse response(filter.taps, up, down);
    if (const auto stop = response.stop_band())
      floor_db = std::min(floor_db, 20 * std::log10(std::max(response.largest_from(*stop).gain, 1e-7)) - 30);
  }
  panel.x = scale_of(0, end);
  panel.y = {20 * std::floor(floor_db / 20), 10, 20};
  for (const NamedTaps& filter : filters) {
    const FrequencyResponse response(filter.taps, up, down);
    Curve curve{.name = filter.name};
    for (int i = 0; i <= response_points; ++i) {
      const double frequency = end * i / response_points;
      const double db = 20 * std::log10(std::max(response.gain(frequency), 1e-12));
      curve.points.push_back({frequency, std::clamp(db, panel.y.low, panel.y.high)});
    }
    panel.curves.push_back(std::move(curve));
  }
  if (end > folding_frequency) panel.mark = folding_frequency, panel.mark_name = "folding frequency 0.5";
  return panel;
}

}  // namespace upfirdn
