#include "core/fraction.hpp"

#include <algorithm>
#include <stdexcept>

namespace upfirdn {
namespace {

Int128 magnitude(Int128 v) { return v < 0 ? -v : v; }

Int128 greatest_common_divisor(Int128 a, Int128 b) {
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Nearest to num / den (both positive, reduced) among fractions with terms of at most `limit`: the last convergent of the
/// continued fraction that fits, or the last semiconvergent if that is nearer.
Fraction nearest_within(Int128 num, Int128 den, std::int64_t limit) {
  Int128 p0 = 0, q0 = 1, p1 = 1, q1 = 0;  // the two latest convergents
  Int128 n = num, d = den;
  while (d != 0) {
    const Int128 a = n / d;
    const Int128 room_p = p1 == 0 ? a : (limit - p0) / p1;
    const Int128 room_q = q1 == 0 ? a : (limit - q0) / q1;
    const Int128 k = std::min(a, std::min(room_p, room_q));
    if (k < a) {
      // Semiconvergents with k >= a / 2 can beat the convergent; at exactly a / 2 the error decides.
      const Int128 ps = k * p1 + p0, qs = k * q1 + q0;
      if (q1 == 0) return {std::int64_t(ps), std::int64_t(qs)};
      const double exact = double(num) / double(den);
      const double e1 = exact - double(p1) / double(q1), es = qs == 0 ? 1e300 : exact - double(ps) / double(qs);
      const bool take_semi = 2 * k > a || (2 * k == a && (es < 0 ? -es : es) < (e1 < 0 ? -e1 : e1));
      return take_semi ? Fraction{std::int64_t(ps), std::int64_t(qs)} : Fraction{std::int64_t(p1), std::int64_t(q1)};
    }
    const Int128 p2 = a * p1 + p0, q2 = a * q1 + q0;
    p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    const Int128 rest = n - a * d;
    n = d;
    d = rest;
  }
  return {std::int64_t(p1), std::int64_t(q1)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a decimal number with an optional exponent at the start of `text` and removes it from there.
std::optional<Fraction> take_decimal(std::string_view& text) {
  std::size_t i = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++i;
  Int128 digits = 0;
  int exponent = 0;
  bool any = false, point = false;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    any = true;
    if (point) --exponent;
    digits = digits * 10 + (text[i] - '0');
    if (digits > (Int128(1) << 110)) return std::nullopt;
  }
  if (!any) return std::nullopt;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t k = i + 1;
    const bool minus = k < text.size() && text[k] == '-';
    if (k < text.size() && (text[k] == '-' || text[k] == '+')) ++k;
    if (k == text.size() || !is_digit(text[k])) return std::nullopt;
    int value = 0;
    for (; k < text.size() && is_digit(text[k]); ++k) value = std::min(value * 10 + (text[k] - '0'), 1000);
    exponent += minus ? -value : value;
    i = k;
  }
  while (exponent < 0 && digits != 0 && digits % 10 == 0) digits /= 10, ++exponent;
  Int128 den = 1;
  if (digits == 0) exponent = 0;
  for (; exponent > 0; --exponent)
    if ((digits *= 10) > (Int128(1) << 110)) return std::nullopt;
  for (; exponent < 0; ++exponent)
    if ((den *= 10) > (Int128(1) << 110)) return std::nullopt;
  text.remove_prefix(i);
  const Int128 divisor = greatest_common_divisor(digits == 0 ? den : digits, den);
  digits /= divisor, den /= divisor;
  if (digits >= (Int128(1) << 62) || den >= (Int128(1) << 62)) return std::nullopt;
  return Fraction{std::int64_t(negative ? -digits : digits), std::int64_t(den)};
}

}  // namespace

Fraction make_fraction(Int128 num, Int128 den, int bits, bool* rounded) {
  if (den == 0) throw std::logic_error("fraction with denominator 0");
  const bool negative = (num < 0) != (den < 0) && num != 0;
  num = magnitude(num), den = magnitude(den);
  const Int128 divisor = greatest_common_divisor(num == 0 ? den : num, den);
  num /= divisor, den /= divisor;
  const std::int64_t limit = std::int64_t((Int128(1) << bits) - 1);
  const bool fits = num <= limit && den <= limit;
  if (rounded != nullptr) *rounded = !fits;
  const Fraction f = fits ? Fraction{std::int64_t(num), std::int64_t(den)} : nearest_within(num, den, limit);
  return {negative ? -f.num : f.num, f.den};
}

Fraction operator*(const Fraction& a, const Fraction& b) { return make_fraction(Int128(a.num) * b.num, Int128(a.den) * b.den); }
Fraction operator/(const Fraction& a, const Fraction& b) { return make_fraction(Int128(a.num) * b.den, Int128(a.den) * b.num); }
bool operator<(const Fraction& a, const Fraction& b) { return Int128(a.num) * b.den < Int128(b.num) * a.den; }

std::int64_t round_scaled(std::int64_t value, const Fraction& f) {
  const Int128 twice = 2 * Int128(value) * f.num + f.den, den = 2 * Int128(f.den);
  Int128 quotient = twice / den;
  if (twice % den < 0) --quotient;
  return quotient > INT64_MAX ? INT64_MAX : std::int64_t(quotient);
}

std::optional<Fraction> parse_fraction(std::string_view text) {
  const std::optional<Fraction> first = take_decimal(text);
  if (!first) return std::nullopt;
  if (text.empty()) return first;
  Int128 num = first->num, den = first->den;
  if (text == "%") {
    den *= 100;
  } else if (text.front() == '/') {
    text.remove_prefix(1);
    const std::optional<Fraction> second = take_decimal(text);
    if (!second || second->num == 0 || !text.empty()) return std::nullopt;
    num *= second->den, den *= second->num;
  } else {
    return std::nullopt;
  }
  bool rounded = false;
  const Fraction f = make_fraction(num, den, 62, &rounded);
  return rounded ? std::nullopt : std::optional(f);
}

}  // namespace upfirdn
