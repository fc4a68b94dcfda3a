#include "filters/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <variant>

#include "core/error.hpp"

namespace upfirdn {
namespace {

/// A parameter of a filter: its key and where its value goes.
struct Parameter {
  std::string_view key;
  std::variant<Fraction FilterKernel::*, double FilterKernel::*, int FilterKernel::*> field;
};

/// What a filter's name stands for.
struct Entry {
  std::string_view name;
  FilterKernel preset;
  std::vector<Parameter> parameters;
  std::string_view purpose;
};

std::vector<Entry> make_entries() {
  using K = FilterKernel;
  const std::vector<Parameter> cubic{{"b", &K::b}, {"c", &K::c}};
  const std::vector<Parameter> lanczos{{"a", &K::a}};
  std::vector<Entry> table;
  const auto add = [&](std::string_view name, const K& preset, const std::vector<Parameter>& parameters, std::string_view purpose) {
    table.push_back({name, preset, parameters, purpose});
  };
  add("gaussian", {.name = KernelName::gaussian}, {{"sigma", &K::sigma}}, "smooth, no ringing; the default");
  add("box", {.name = KernelName::box}, {}, "mean of the covered pixels");
  add("triangle", {.name = KernelName::triangle}, {}, "linear interpolation, widened when reducing");
  add("catmullrom", {.name = KernelName::cubic, .b = 0, .c = 0.5}, {}, "sharp cubic (Keys)");
  add("mitchell", {.name = KernelName::cubic, .b = 1.0 / 3, .c = 1.0 / 3}, {}, "balanced cubic");
  add("cubic", {.name = KernelName::cubic, .b = 0, .c = 0.5}, cubic, "cubic with given B and C");
  add("lanczos2", {.name = KernelName::lanczos, .a = {2, 1}}, {}, "sharp, a little ringing");
  add("lanczos3", {.name = KernelName::lanczos, .a = {3, 1}}, {}, "sharpest of the common ones, some ringing");
  add("lanczos", {.name = KernelName::lanczos, .a = {3, 1}}, lanczos, "windowed sinc of support a");
  add("kaiser", {.name = KernelName::kaiser, .a = {4, 1}},
      {{"beta", &K::beta}, {"a", &K::a}, {"cutoff", &K::cutoff}, {"atten", &K::atten}, {"width", &K::width}},
      "Kaiser-windowed sinc, or designed: kaiser:atten=80,width=0.2");
  add("halfband", {.name = KernelName::kaiser, .on_sample = true, .atten = 60, .width = {2, 5}},
      {{"atten", &K::atten}, {"width", &K::width}}, "Kaiser's design; in `filter` an odd number of taps, half of them 0");
  add("binomial", {.name = KernelName::binomial}, {{"n", &K::taps}}, "n taps of Pascal's triangle, integer factors");
  add("nearest", {.name = KernelName::nearest}, {}, "takes samples, computes nothing: for label images");
  return table;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = make_entries();
  return table;
}

std::string number_text(const FilterKernel& kernel, const Parameter& parameter) {
  if (const auto* f = std::get_if<Fraction FilterKernel::*>(&parameter.field)) return fmt::format("{}", to_double(kernel.*(*f)));
  if (const auto* d = std::get_if<double FilterKernel::*>(&parameter.field)) return fmt::format("{}", kernel.*(*d));
  return fmt::format("{}", kernel.*std::get<int FilterKernel::*>(parameter.field));
}

/// The name with its parameters and their defaults; parameters without a default are left out.
std::string usage(const Entry& entry) {
  std::string text(entry.name);
  char separator = ':';
  for (const Parameter& parameter : entry.parameters) {
    const std::string number = number_text(entry.preset, parameter);
    if (number == "0" && entry.preset.name == KernelName::kaiser) continue;
    text += fmt::format("{}{}={}", separator, parameter.key, number);
    separator = ',';
  }
  return text;
}

[[noreturn]] void fail(std::string_view text, const std::string& problem) {
  throw Error(ExitCode::usage, fmt::format("filter '{}': {}", text, problem));
}

void set(FilterKernel& kernel, const Parameter& parameter, std::string_view value) {
  if (const auto* fraction = std::get_if<Fraction FilterKernel::*>(&parameter.field)) {
    const std::optional<Fraction> f = parse_fraction(value);
    if (!f) fail(kernel.text, fmt::format("{} is '{}'; give a number", parameter.key, value));
    if (f->num <= 0 || to_double(*f) > 1e6)
      fail(kernel.text, fmt::format("{} is {}; give a number above 0 and at most 1000000", parameter.key, value));
    kernel.*(*fraction) = make_fraction(f->num, f->den, 31);
    return;
  }
  const char* end = value.data() + value.size();
  if (const auto* number = std::get_if<double FilterKernel::*>(&parameter.field)) {
    double v = 0;
    const std::optional<Fraction> f = parse_fraction(value);  // 1/3 is welcome
    const auto [stop, error] = std::from_chars(value.data(), end, v);
    if (f) v = to_double(*f);
    else if (error != std::errc() || stop != end || !std::isfinite(v))
      fail(kernel.text, fmt::format("{} is '{}'; give a number", parameter.key, value));
    if (std::abs(v) > 500 || (parameter.key == "beta" && v < 0))
      fail(kernel.text, fmt::format("{} is {}; give a number {}", parameter.key, value,
                                    parameter.key == "beta" ? "from 0 to 500" : "from -500 to 500"));
    kernel.*(*number) = v;
    return;
  }
  int n = 0;
  const auto [stop, error] = std::from_chars(value.data(), end, n);
  if (error != std::errc() || stop != end || n < 1 || n > 1000)
    fail(kernel.text, fmt::format("{} is '{}'; give a whole number from 1 to 1000", parameter.key, value));
  kernel.*std::get<int FilterKernel::*>(parameter.field) = n;
}

std::string known_keys(const Entry& entry) {
  if (entry.parameters.empty()) return fmt::format("{} takes no parameters", entry.name);
  std::string keys;
  for (const Parameter& p : entry.parameters) keys += fmt::format("{}{}", keys.empty() ? "" : ", ", p.key);
  return fmt::format("{} takes {}: write {}", entry.name, keys, usage(entry));
}

std::string known_names() {
  std::string names;
  for (const Entry& entry : entries()) names += fmt::format("{}{}", names.empty() ? "" : ", ", usage(entry));
  return names;
}

/// sin(pi x) / (pi x) at x = num / den, exactly 0 at non-zero integers.
double sinc(Int128 num, Int128 den) {
  if (num == 0) return 1.0;
  if (num % den == 0) return 0.0;
  const double px = std::numbers::pi * (double(num) / double(den));
  return std::sin(px) / px;
}

/// Mitchell and Netravali, "Reconstruction filters in computer graphics", SIGGRAPH 1988, eq. 8.
double cubic(double x, double b, double c) {
  x = std::abs(x);
  if (x < 1) return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + (6 - 2 * b)) / 6;
  if (x < 2) return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6;
  return 0;
}

/// Kaiser's window I0(beta sqrt(1 - y^2)) / I0(beta), y in [-1, 1].
double kaiser_window(double y, double beta) {
  const double inside = std::max(0.0, 1 - y * y);
  return std::cyl_bessel_i(0.0, beta * std::sqrt(inside)) / std::cyl_bessel_i(0.0, beta);
}

/// beta and support of a Kaiser window from attenuation and width: J. F. Kaiser, "Nonrecursive digital filter design using
/// the I0-sinh window function", Proc. IEEE ISCAS 1974 (Oppenheim and Schafer, Discrete-Time Signal Processing, 7.6):
/// beta = 0.1102 (A - 8.7) above 50 dB, 0.5842 (A - 21)^0.4 + 0.07886 (A - 21) from 21 dB; length - 1 = (A - 7.95) / (14.36
/// width), which is twice the support; that is rounded up to thousandths.
void design_kaiser(FilterKernel& kernel) {
  const double over = kernel.atten - 21;
  kernel.beta = kernel.atten > 50 ? 0.1102 * (kernel.atten - 8.7) : 0.5842 * std::pow(over, 0.4) + 0.07886 * over;
  kernel.a = make_fraction(std::int64_t(std::ceil((kernel.atten - 7.95) / (2 * 14.36 * to_double(kernel.width)) * 1000)), 1000);
}

/// What the parameters of a Kaiser filter say together. `given` are those that the user wrote.
void complete_kaiser(FilterKernel& kernel, const std::vector<std::string_view>& given) {
  const auto has = [&](std::string_view key) { return std::find(given.begin(), given.end(), key) != given.end(); };
  const bool designed = kernel.on_sample || has("atten") || has("width");
  if (designed) {
    if (has("beta") || has("a")) fail(kernel.text, "is given twice; give atten and width, or beta and a");
    if (kernel.atten == 0 || kernel.width.num == 0)
      fail(kernel.text, fmt::format("{} is missing; give both, such as kaiser:atten=80,width=0.2", kernel.atten == 0 ? "atten" : "width"));
    if (kernel.atten < 21 || kernel.atten > 160) fail(kernel.text, "atten is in dB; give a number from 21 to 160");
    if (to_double(kernel.width) < 0.01 || to_double(kernel.width) > 2)
      fail(kernel.text, "width is in cycles per pixel of the coarser image; give a number from 0.01 to 2");
    design_kaiser(kernel);
  }
  if (to_double(kernel.cutoff) < 0.01 || to_double(kernel.cutoff) > 1)
    fail(kernel.text, "cutoff is in cycles per pixel of the coarser image; give a number from 0.01 to 1, such as 0.5");
}

}  // namespace

Fraction FilterKernel::support() const {
  switch (name) {
    case KernelName::gaussian: return sigma * Fraction{4, 1};
    case KernelName::box: return {1, 2};
    case KernelName::triangle: return {1, 1};
    case KernelName::cubic: return {2, 1};
    case KernelName::lanczos:
    case KernelName::kaiser: return a;
    case KernelName::binomial:
    case KernelName::nearest: break;
  }
  throw std::logic_error("this filter has no kernel");
}

double FilterKernel::operator()(Int128 num, Int128 den) const {
  const double x = double(num) / double(den);
  switch (name) {
    case KernelName::gaussian: {
      const double s = to_double(sigma);
      return std::exp(-x * x / (2 * s * s));
    }
    case KernelName::box: return 2 * (num < 0 ? -num : num) == den ? 0.5 : 1.0;
    case KernelName::triangle: return double(den - (num < 0 ? -num : num)) / double(den);
    case KernelName::cubic: return cubic(x, b, c);
    case KernelName::lanczos: return sinc(num, den) * sinc(num * a.den, den * a.num);
    case KernelName::kaiser: return sinc(2 * num * cutoff.num, den * cutoff.den) * kaiser_window(x / to_double(a), beta);
    case KernelName::binomial:
    case KernelName::nearest: break;
  }
  throw std::logic_error("this filter has no kernel");
}

FilterKernel parse_filter(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view wanted = text.substr(0, colon);
  const Entry* entry = nullptr;
  for (const Entry& e : entries())
    if (e.name == wanted) entry = &e;
  if (entry == nullptr) fail(text, fmt::format("unknown name; known filters: {}", known_names()));
  FilterKernel kernel = entry->preset;
  kernel.text = text;
  std::vector<std::string_view> given;
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  for (std::size_t position = 0; colon != std::string_view::npos; ++position) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t equals = item.find('=');
    const Parameter* parameter = nullptr;
    if (equals == std::string_view::npos) {
      if (position < entry->parameters.size()) parameter = &entry->parameters[position];
    } else {
      for (const Parameter& p : entry->parameters)
        if (p.key == item.substr(0, equals)) parameter = &p;
    }
    if (parameter == nullptr) fail(text, fmt::format("'{}' is not known here; {}", item, known_keys(*entry)));
    set(kernel, *parameter, equals == std::string_view::npos ? item : item.substr(equals + 1));
    given.push_back(parameter->key);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (kernel.name == KernelName::kaiser) complete_kaiser(kernel, given);
  return kernel;
}

std::vector<std::string> describe_filters(std::string_view name) {
  std::vector<std::string> all, one;
  for (const Entry& entry : entries()) {
    all.push_back(fmt::format("{:<30} {}", usage(entry), entry.purpose));
    if (entry.name == name) one.push_back(all.back());
  }
  return one.empty() ? all : one;
}

std::vector<std::string> filter_words() {
  std::vector<std::string> words;
  for (const Entry& entry : entries()) {
    words.emplace_back(entry.name);
    for (const Parameter& parameter : entry.parameters) words.push_back(fmt::format("{}:{}=", entry.name, parameter.key));
  }
  return words;
}

std::vector<double> binomial_taps(int n) {
  std::vector<double> row{1.0};
  for (int i = 1; i < n; ++i) {
    row.push_back(0.0);
    for (std::size_t k = row.size() - 1; k > 0; --k) row[k] += row[k - 1];
  }
  return row;
}

std::vector<double> prototype_taps(const FilterKernel& kernel, std::int64_t up, std::int64_t down) {
  if (kernel.name == KernelName::nearest)
    fail(kernel.text, "takes no taps; use `resize --filter nearest`, or another filter");
  if (kernel.name == KernelName::binomial) return binomial_taps(kernel.taps);
  // K is evaluated at (2k - (T-1)) / (2 max(up, down)).
  const Fraction support = kernel.support();
  const std::int64_t coarse = std::max(up, down);
  const std::int64_t parity = kernel.on_sample ? 1 : ((down - up + 1) % 2 + 2) % 2;
  std::int64_t length = std::int64_t(2 * Int128(support.num) * coarse / support.den) + 1;
  if (length % 2 != parity) --length;
  if (length < 1)
    fail(kernel.text, fmt::format("no tap lies within its support at up {}, down {}; use a wider one", up, down));
  const auto tap = [&](std::int64_t k) { return kernel(2 * Int128(k) - (length - 1), 2 * Int128(coarse)); };
  while (kernel.on_sample && length > 1 && tap(0) == 0) length -= 2;
  std::vector<double> taps;
  for (std::int64_t k = 0; k < length; ++k) taps.push_back(tap(k));
  return taps;
}

}  // namespace upfirdn
