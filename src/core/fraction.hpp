#pragma once
/// Exact fractions for pitches, sizes, shifts and filter parameters.

#include <cstdint>
#include <optional>
#include <string_view>

namespace upfirdn {

__extension__ using Int128 = __int128;

/// num / den in lowest terms, den > 0. Terms of at most 62 bits.
struct Fraction {
  std::int64_t num = 0;
  std::int64_t den = 1;
  friend bool operator==(const Fraction&, const Fraction&) = default;
};

/// num / den reduced; den != 0. Terms beyond `bits` become the nearest fraction that fits (continued fraction).
[[nodiscard]] Fraction make_fraction(Int128 num, Int128 den, int bits = 62, bool* rounded = nullptr);

/// a * b and a / b, reduced.
[[nodiscard]] Fraction operator*(const Fraction& a, const Fraction& b);
[[nodiscard]] Fraction operator/(const Fraction& a, const Fraction& b);
[[nodiscard]] bool operator<(const Fraction& a, const Fraction& b);

[[nodiscard]] inline double to_double(const Fraction& f) { return double(f.num) / double(f.den); }

/// value * f rounded to the nearest integer, halves up.
[[nodiscard]] std::int64_t round_scaled(std::int64_t value, const Fraction& f);

/// Reads "0.341", "-1.5e-2", "50%", "1/2", "3" exactly; nothing else, in every locale. Terms fit 31 bits where the text's
/// do, otherwise 62 bits; nullopt if the text is no number or too long to be held exactly.
[[nodiscard]] std::optional<Fraction> parse_fraction(std::string_view text);

}  // namespace upfirdn
