#include "oracle_kernel.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace upfirdn::oracle {
namespace {

Rational exact(const Fraction& f) {
  return {f.num, f.den};
}

double sinc(Rational x) {
  if (x.num == 0) return 1.0;
  if (x.den == 1) return 0.0;
  return std::sin(std::numbers::pi * x.value()) / (std::numbers::pi * x.value());
}

double bessel_i0(double x) {
  double sum = 1.0, term = 1.0;
  for (int k = 1; term > sum * 1e-18; ++k) {
    term *= (x / 2.0 / k) * (x / 2.0 / k);
    sum += term;
  }
  return sum;
}

double cubic(double x, double b, double c) {
  if (x < 1.0) return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + (6 - 2 * b)) / 6;
  return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) /
         6;
}

}  // namespace

Rational support_of(const FilterKernel& kernel) {
  switch (kernel.name) {
    case KernelName::gaussian:
      return Rational(4) * exact(kernel.sigma);
    case KernelName::box:
      return {1, 2};
    case KernelName::triangle:
      return 1;
    case KernelName::cubic:
      return 2;
    case KernelName::lanczos:
    case KernelName::kaiser:
      return exact(kernel.a);
    case KernelName::binomial:
    case KernelName::nearest:
      break;
  }
  throw std::logic_error("no kernel");
}

double kernel_value(const FilterKernel& kernel, Rational x) {
  x = abs_of(x);
  const Rational support = support_of(kernel);
  if (support < x) return 0.0;
  const double v = x.value();
  switch (kernel.name) {
    case KernelName::gaussian: {
      const double sigma = exact(kernel.sigma).value();
      return std::exp(-v * v / (2 * sigma * sigma));
    }
    case KernelName::box:
      return x == support ? 0.5 : 1.0;
    case KernelName::triangle:
      return (Rational(1) - x).value();
    case KernelName::cubic:
      return x == support ? 0.0 : cubic(v, kernel.b, kernel.c);
    case KernelName::lanczos:
      return sinc(x) * sinc(x / exact(kernel.a));
    case KernelName::kaiser: {
      const double ratio = (x / support).value();
      const Rational cycles = Rational(2) * exact(kernel.cutoff) * x;
      return sinc(cycles) * bessel_i0(kernel.beta * std::sqrt(1.0 - ratio * ratio)) / bessel_i0(kernel.beta);
    }
    case KernelName::binomial:
    case KernelName::nearest:
      break;
  }
  throw std::logic_error("no kernel");
}

std::vector<double> pascal_row(int n) {
  std::vector<double> row{1.0};
  for (int k = 1; k < n; ++k) {
    row.push_back(0.0);
    for (int i = k; i > 0; --i) row[std::size_t(i)] += row[std::size_t(i - 1)];
  }
  return row;
}

std::vector<double> prototype_of(const FilterKernel& kernel, std::int64_t up, std::int64_t down) {
  if (kernel.name == KernelName::binomial) return pascal_row(kernel.taps);
  const std::int64_t stretch = up > down ? up : down;
  std::int64_t length = floor_of(Rational(2 * stretch) * support_of(kernel)) + 1;
  if ((length - (kernel.on_sample ? 1 : down - up + 1)) % 2 != 0) --length;
  std::vector<double> taps;
  for (std::int64_t k = 0; k < length; ++k)
    taps.push_back(kernel_value(kernel, Rational(2 * k - (length - 1), 2 * stretch)));
  while (kernel.on_sample && taps.size() > 1 && taps.front() == 0.0) taps = {taps.begin() + 1, taps.end() - 1};
  return taps;
}

Weights named_weights(const FilterKernel& kernel, Rational pitch, Rational shift, std::int64_t output) {
  const Rational centre = Rational(2 * output + 1, 2) * pitch - Rational(1, 2) + shift;
  const Rational stretch = max_of(pitch, 1);
  const Rational reach = support_of(kernel) * stretch;
  Weights weights{.first = ceil_of(centre - reach)};
  for (std::int64_t i = weights.first; i <= floor_of(centre + reach); ++i)
    weights.taps.push_back(kernel_value(kernel, (Rational(i) - centre) / stretch));
  return weights;
}

void normalize_phase(Weights& weights) {
  double sum = 0;
  for (double tap : weights.taps) sum += tap;
  for (double& tap : weights.taps) tap /= sum;
  while (!weights.taps.empty() && float(weights.taps.back()) == 0.0f) weights.taps.pop_back();
  while (!weights.taps.empty() && float(weights.taps.front()) == 0.0f) {
    weights.taps.erase(weights.taps.begin());
    ++weights.first;
  }
}

}  // namespace upfirdn::oracle
