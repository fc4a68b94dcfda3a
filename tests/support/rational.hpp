#pragma once
/// Exact rational numbers of the oracle: small, slow, obvious.

#include <cstdint>

namespace upfirdn::oracle {

__extension__ using Wide = __int128;

/// num / den in lowest terms, den > 0.
struct Rational {
  Wide num = 0, den = 1;

  Rational() = default;
  Rational(Wide n) : num(n) {}  // NOLINT: integers are rationals
  Rational(Wide n, Wide d) : num(d < 0 ? -n : n), den(d < 0 ? -d : d) {
    Wide a = num < 0 ? -num : num, b = den;
    while (b != 0) {
      const Wide rest = a % b;
      a = b;
      b = rest;
    }
    num /= a;
    den /= a;
  }

  friend Rational operator+(Rational a, Rational b) { return {a.num * b.den + b.num * a.den, a.den * b.den}; }
  friend Rational operator-(Rational a, Rational b) { return {a.num * b.den - b.num * a.den, a.den * b.den}; }
  friend Rational operator*(Rational a, Rational b) { return {a.num * b.num, a.den * b.den}; }
  friend Rational operator/(Rational a, Rational b) { return {a.num * b.den, a.den * b.num}; }
  friend bool operator<(Rational a, Rational b) { return a.num * b.den < b.num * a.den; }
  friend bool operator==(Rational a, Rational b) { return a.num == b.num && a.den == b.den; }

  [[nodiscard]] double value() const { return double(num) / double(den); }
};

[[nodiscard]] inline std::int64_t floor_of(Rational r) {
  const Wide quotient = r.num / r.den;
  return std::int64_t(quotient * r.den > r.num ? quotient - 1 : quotient);
}
[[nodiscard]] inline std::int64_t ceil_of(Rational r) {
  return -floor_of(Rational(-r.num, r.den));
}
[[nodiscard]] inline Rational abs_of(Rational r) {
  return r.num < 0 ? Rational(-r.num, r.den) : r;
}
[[nodiscard]] inline Rational max_of(Rational a, Rational b) {
  return a < b ? b : a;
}

}  // namespace upfirdn::oracle
