#include "resample/bank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace upfirdn {
namespace {

constexpr std::int64_t most_taps = std::int64_t(1) << 29;  // in one bank: 4 GiB

Int128 floor_div(Int128 a, Int128 b) {
  const Int128 q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
Int128 ceil_div(Int128 a, Int128 b) { return -floor_div(-a, b); }

/// Rounds and drops zero weights at both ends.
void add_trimmed(Axis& axis, std::int64_t position, const std::vector<double>& weights, ExitCode code, Arithmetic arithmetic) {
  std::vector<double> taps;
  taps.reserve(weights.size());
  for (const double w : weights) taps.push_back(rounded_to(arithmetic, w));
  std::size_t begin = 0, end = taps.size();
  while (begin + 1 < end && taps[begin] == 0) ++begin;
  while (end > begin + 1 && taps[end - 1] == 0) --end;
  if (std::int64_t(axis.taps.size() + end - begin) > most_taps)
    throw Error(code, "the filter bank needs more than 2^29 taps; use a simpler ratio or a narrower filter");
  axis.add_phase(position + std::int64_t(begin), {taps.begin() + std::ptrdiff_t(begin), taps.begin() + std::ptrdiff_t(end)});
}

/// Divides by the sum; false where there is nothing to divide by.
bool normalize_phase(std::vector<double>& weights) {
  double sum = 0, magnitudes = 0;
  for (const double w : weights) sum += w, magnitudes += std::abs(w);
  if (magnitudes == 0 || std::abs(sum) < 1e-6 * magnitudes) return false;
  for (double& w : weights) w /= sum;
  return true;
}

/// The exact centres of an axis: centre(o) = (step * (o + skip) + start) / den, and distances in units of the coarser grid.
class Centres {
 public:
  explicit Centres(const AxisGeometry& g)
      : step_(2 * Int128(g.down) * g.shift.den),
        start_(Int128(g.down) * g.shift.den - Int128(g.up) * g.shift.den + 2 * Int128(g.up) * g.shift.num),
        den_(2 * Int128(g.up) * g.shift.den),
        unit_(2 * Int128(std::max(g.up, g.down)) * g.shift.den),
        skip_(g.skip) {}
  [[nodiscard]] Int128 numerator(std::int64_t o) const { return step_ * (o + skip_) + start_; }
  [[nodiscard]] Int128 den() const { return den_; }    ///< of centres
  [[nodiscard]] Int128 unit() const { return unit_; }  ///< of distances: (i * den - numerator) / unit

 private:
  Int128 step_, start_, den_, unit_;
  std::int64_t skip_;
};

[[noreturn]] void fail_empty_phase(const FilterKernel& kernel, const AxisGeometry& g, ExitCode code) {
  const std::string ratio = fmt::format("{}/{}", g.up, g.down);
  const Centres centres(g);
  // The worst phase is the one whose nearest sample is farthest; a fraction of a sample at most.
  double farthest = 0;
  for (std::int64_t o = 0; o < std::min(g.up, g.out); ++o) {
    const Int128 rest = centres.numerator(o) - floor_div(centres.numerator(o), centres.den()) * centres.den();
    farthest = std::max(farthest, double(std::min(rest, centres.den() - rest)) / double(centres.unit()));
  }
  const auto up4 = [](double v) { return std::ceil(v * 1e4 + 1) / 1e4; };
  std::string remedy = "use a wider filter";
  if (kernel.name == KernelName::gaussian) remedy = fmt::format("the smallest sigma that works is {}", up4(farthest / 4));
  if (kernel.name == KernelName::lanczos || kernel.name == KernelName::kaiser)
    remedy = fmt::format("the smallest a that works is {}", up4(farthest));
  throw Error(code, fmt::format("filter '{}': some outputs get no weight at the factor {}; {}", kernel.text, ratio, remedy));
}

}  // namespace

Axis kernel_axis(const FilterKernel& kernel, const AxisGeometry& g, ExitCode code, Arithmetic arithmetic) {
  Axis axis{.mode = AxisMode::filter, .in = g.in, .out = g.out, .period = g.up, .step = g.down};
  const Centres centres(g);
  const Fraction support = kernel.support();
  const Int128 reach = Int128(support.num) * centres.unit();  // over support.den
  for (std::int64_t o = 0; o < std::min(g.up, g.out); ++o) {
    const Int128 centre = centres.numerator(o);
    const Int128 scaled_den = centres.den() * support.den;
    const std::int64_t first = std::int64_t(ceil_div(centre * support.den - reach, scaled_den));
    const std::int64_t last = std::int64_t(floor_div(centre * support.den + reach, scaled_den));
    if (last - first >= most_taps)
      throw Error(code, fmt::format("filter '{}': a phase has more than 2^29 taps; use a narrower filter", kernel.text));
    std::vector<double> weights;
    for (std::int64_t i = first; i <= last; ++i) weights.push_back(kernel(i * centres.den() - centre, centres.unit()));
    if (!normalize_phase(weights)) fail_empty_phase(kernel, g, code);
    add_trimmed(axis, first, weights, code, arithmetic);
  }
  return axis;
}

Axis nearest_axis(const AxisGeometry& g) {
  Axis axis{.mode = AxisMode::gather, .in = g.in, .out = g.out, .period = g.up, .step = g.down};
  for (std::int64_t o = 0; o < std::min(g.up, g.out); ++o)
    axis.add_phase(std::int64_t(floor_div((2 * Int128(o + g.skip) + 1) * g.down, 2 * Int128(g.up))), {1});
  return axis;
}

FilterStart filter_start(std::int64_t o, const FilterGeometry& g) {
  const Int128 b = Int128(o) * g.down - g.pad_before;
  const std::int64_t position = std::int64_t(ceil_div(b, g.up));
  return {position, std::int64_t(Int128(position) * g.up - b)};
}

Axis filter_axis(const std::vector<double>& correlation, const FilterGeometry& g) {
  Axis axis{.mode = AxisMode::filter, .in = g.in, .out = g.out, .period = g.up, .step = g.down};
  const std::int64_t length = std::int64_t(correlation.size());
  for (std::int64_t o = 0; o < std::min(g.up, g.out); ++o) {
    const FilterStart start = filter_start(o, g);
    std::vector<double> taps;
    for (std::int64_t j = start.tap; j < length; j += g.up) taps.push_back(correlation[std::size_t(j)]);
    axis.add_phase(start.position, taps);
  }
  return axis;
}

Axis centred_axis(const std::vector<double>& taps, const AxisGeometry& g, ExitCode code, Arithmetic arithmetic) {
  Axis axis{.mode = AxisMode::filter, .in = g.in, .out = g.out, .period = g.up, .step = g.down};
  const std::int64_t length = std::int64_t(taps.size());
  // p0 = (T - 1 - down + up) / 2 may be negative and is even before halving (parity of T).
  const FilterGeometry shape{g.in, g.out, g.up, g.down, (length - 1 - g.down + g.up) / 2};
  for (std::int64_t o = 0; o < std::min(g.up, g.out); ++o) {
    const FilterStart start = filter_start(o + g.skip, shape);
    std::vector<double> weights;
    for (std::int64_t j = start.tap; j < length; j += g.up) weights.push_back(taps[std::size_t(length - 1 - j)]);
    if (weights.empty())
      throw Error(code, fmt::format("taps: {} taps leave phases of --up {} without any; give at least {} taps", length, g.up, g.up));
    if (!normalize_phase(weights))
      throw Error(code, fmt::format("taps: those of phase {} of {} sum to 0 and cannot be normalised; use `upfirdn filter "
                                    "--no-normalize`", o % g.up, g.up));
    add_trimmed(axis, start.position, weights, code, arithmetic);
  }
  return axis;
}

}  // namespace upfirdn
