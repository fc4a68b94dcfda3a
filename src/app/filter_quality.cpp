#include "app/filter_quality.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

#include "resample/backend.hpp"
#include "resample/plan.hpp"

namespace upfirdn {
namespace {

constexpr std::int64_t side_in = test_picture_side;
constexpr double middle = 32768, amplitude = 30000;  // of gratings and the zone plate
constexpr double low = 10000, high = 50000;          // of steps
constexpr int bands = 8;                             // of different gratings or steps, one above the other
constexpr std::int64_t band_height = side_in / bands;
constexpr double pass_frequency = 0.25, leak_from = 0.75;  // cycles per coarse pixel

template <class Value>
Image picture(Value&& value) {
  Image image(ImageInfo{.width = side_in, .height = side_in, .type = PixelType::u16, .maxval = 65535});
  for (std::int64_t y = 0; y < side_in; ++y)
    for (std::int64_t x = 0; x < side_in; ++x) {
      const auto code = std::uint16_t(std::lround(value(x, y)));
      std::memcpy(image.row(y) + 2 * x, &code, 2);
    }
  return image;
}

double sample(const Image& image, std::int64_t x, std::int64_t y) {
  const std::byte* at = image.row(y) + std::size_t(x) * image.info().pixel_bytes();
  const auto read = [&]<class T>(T value) { return std::memcpy(&value, at, sizeof value), double(value); };
  switch (image.info().type) {
    case PixelType::u8: return read(std::uint8_t{}) * 257;
    case PixelType::u16: return read(std::uint16_t{});
    case PixelType::s16: return read(std::int16_t{});
    case PixelType::f32: return read(float{});
    case PixelType::f16:
    case PixelType::u32:
    case PixelType::s32:
    case PixelType::f64: break;
  }
  throw std::logic_error("no resizer makes such samples");
}

/// The row of an output in the middle of a band.
std::vector<double> band_row(const Image& image, int band) {
  const std::int64_t y = std::int64_t((band + 0.5) * double(image.info().height) / bands);
  std::vector<double> row;
  for (std::int64_t x = 0; x < image.info().width; ++x) row.push_back(sample(image, x, y));
  return row;
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum / double(values.size()));
}

/// Amplitude of the grating of `frequency` cycles a sample in `values`, which it is taken out of.
double take_out(std::vector<double>& values, double frequency) {
  // Least squares with cosine and sine; a second round removes what their slight overlap leaves.
  double total_c = 0, total_s = 0;
  for (int round = 0; round < 4; ++round) {
    double c = 0, s = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      c += values[i] * std::cos(2 * std::numbers::pi * frequency * double(i));
      s += values[i] * std::sin(2 * std::numbers::pi * frequency * double(i));
    }
    c *= 2 / double(values.size()), s *= 2 / double(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] -= c * std::cos(2 * std::numbers::pi * frequency * double(i)) + s * std::sin(2 * std::numbers::pi * frequency * double(i));
    total_c += c, total_s += s;
  }
  return std::hypot(total_c, total_s);
}

/// A row without its ends, which see the border, and without its mean.
std::vector<double> inner_row(const Image& image, int band) {
  std::vector<double> row = band_row(image, band);
  const std::size_t margin = row.size() / 6;
  row = {row.begin() + std::ptrdiff_t(margin), row.end() - std::ptrdiff_t(margin)};
  double mean = 0;
  for (const double v : row) mean += v / double(row.size());
  for (double& v : row) v -= mean;
  return row;
}

/// Frequency of the grating in a band in cycles per input pixel. The first band shows sharpness, the others leaks.
double grating_frequency(int band, double reduction) {
  if (band == 0) return pass_frequency / std::max(reduction, 1.0);
  const double part = double(band - 1) / (bands - 2);
  if (reduction > 1) return leak_from / reduction + part * (0.47 - leak_from / reduction);
  return 0.05 + part * (pass_frequency - 0.05);
}

double reduction_to(std::int64_t side) { return double(side_in) / double(side); }

Image gratings(double reduction) {
  return picture([&](std::int64_t x, std::int64_t y) {
    const double frequency = grating_frequency(int(y / band_height), reduction);
    return middle + amplitude * std::cos(2 * std::numbers::pi * frequency * double(x) + 0.3);
  });
}

void measure_gratings(const Image& result, FilterQuality& quality) {
  const double reduction = reduction_to(result.info().width);
  for (int band = 0; band < bands; ++band) {
    std::vector<double> row = inner_row(result, band);
    const double frequency = grating_frequency(band, reduction) * reduction;  // cycles per output pixel
    const double kept = frequency < 0.5 ? take_out(row, frequency) : 0;
    if (band == 0) quality.gain_db = 20 * std::log10(kept / amplitude);
    else quality.leak_percent = std::max(quality.leak_percent, 100 * rms(row) / amplitude);
  }
}

constexpr double centre = double(side_in - 1) / 2;

/// The local frequency is the distance from the centre over side_in: 0.5 cycles a pixel at the middle of the sides.
Image zone_plate() {
  return picture([](std::int64_t x, std::int64_t y) {
    const double dx = double(x) - centre, dy = double(y) - centre;
    return middle + amplitude * std::cos(std::numbers::pi * (dx * dx + dy * dy) / double(side_in));
  });
}

void measure_zone_plate(const Image& result, FilterQuality& quality) {
  const std::int64_t side = result.info().width;
  const double reduction = reduction_to(side);
  if (reduction <= 1) return;
  std::vector<double> rest;
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x) {
      const double dx = (double(x) + 0.5) * reduction - 0.5 - centre, dy = (double(y) + 0.5) * reduction - 0.5 - centre;
      const double along = std::max(std::abs(dx), std::abs(dy)) / double(side_in) * reduction;
      if (along >= leak_from && std::hypot(dx, dy) < 0.47 * double(side_in)) rest.push_back(sample(result, x, y) - middle);
    }
  quality.zone_percent = 100 * rms(rest) / amplitude;
}

/// Input pixels left of the step of a band. Steps at different places of the output grid sample its profile finely.
double edge_of(int band) { return double(side_in / 2 + 11 * band); }

Image steps() {
  return picture([](std::int64_t x, std::int64_t y) { return double(x) < edge_of(int(y / band_height)) ? low : high; });
}

/// Position where a rising profile first passes `level`, interpolated.
double crossing(const std::vector<std::pair<double, double>>& profile, double level) {
  for (std::size_t i = 1; i < profile.size(); ++i)
    if (profile[i].second >= level) {
      const auto [x0, v0] = profile[i - 1];
      const auto [x1, v1] = profile[i];
      return v1 == v0 ? x1 : x0 + (x1 - x0) * (level - v0) / (v1 - v0);
    }
  return profile.back().first;
}

void measure_steps(const Image& result, FilterQuality& quality) {
  const double reduction = reduction_to(result.info().width), coarse = std::max(reduction, 1.0);
  constexpr double reach = 12;  // coarse pixels around a step
  std::vector<std::pair<double, double>> profile;  // distance from the step in coarse pixels, value
  double shift = 0;
  for (int band = 0; band < bands; ++band) {
    const std::vector<double> row = band_row(result, band);
    double dark = 0, first = -1;  // what is missing to the upper level in outputs, and from which output on
    for (std::size_t o = 0; o < row.size(); ++o) {
      const double distance = ((double(o) + 0.5) * reduction - edge_of(band)) / coarse;
      if (std::abs(distance) > reach) continue;
      if (first < 0) first = double(o);
      dark += (high - row[o]) / (high - low);
      profile.emplace_back(distance, row[o]);
    }
    shift += ((first + dark) * reduction - edge_of(band)) / bands;
  }
  std::stable_sort(profile.begin(), profile.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double least = low, most = high;
  for (const auto& [x, value] : profile) least = std::min(least, value), most = std::max(most, value);
  quality.overshoot_percent = 100 * std::max(low - least, most - high) / (high - low);
  quality.edge_pixels = crossing(profile, low + 0.9 * (high - low)) - crossing(profile, low + 0.1 * (high - low));
  quality.shift_pixels = shift;
}

}  // namespace

QualityTest::QualityTest(std::int64_t side)
    : side_(side), gratings_(gratings(reduction_to(side))), zone_plate_(zone_plate()), steps_(steps()) {}

std::optional<FilterQuality> QualityTest::measure(const Resizer& resizer) const {
  const auto of_gratings = resizer(gratings_, side_, side_), of_zone_plate = resizer(zone_plate_, side_, side_),
             of_steps = resizer(steps_, side_, side_);
  if (!of_gratings || !of_zone_plate || !of_steps) return std::nullopt;
  FilterQuality quality;
  measure_gratings(*of_gratings, quality);
  measure_zone_plate(*of_zone_plate, quality);
  measure_steps(*of_steps, quality);
  return quality;
}

Resizer own_resizer(const std::string& text) {
  ResampleSpec spec;
  spec.filter = parse_filter(text);
  return [spec](const Image& image, std::int64_t width, std::int64_t height) mutable -> std::optional<Image> {
    spec.operation = ResizeRequest{.target = ToSize{width, height}};
    const Plan plan = make_plan(spec, image.info(), image.info());
    ImageSource source(image);
    Image result(plan.output);
    ImageSink sink(result);
    make_cpu_backend(0)->run(plan.operation, source, sink);
    return result;
  };
}

}  // namespace upfirdn
