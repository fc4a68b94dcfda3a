#pragma once
/// The text of option values becomes numbers. Every error is Error(usage) "OPTION: what is wrong; what to do".

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/convert.hpp"
#include "resample/spec.hpp"

namespace upfirdn::cli {

/// Throws Error(usage) "option: 'text' is no `what`; write `expected`".
[[noreturn]] void bad_value(std::string_view option, std::string_view text, std::string_view what,
                            std::string_view expected);

/// The parts of `text` between commas; empty parts are kept.
[[nodiscard]] std::vector<std::string_view> split_list(std::string_view text);

/// A whole number within [lowest, highest].
[[nodiscard]] std::int64_t parse_integer(std::string_view text, std::string_view option, std::int64_t lowest,
                                         std::int64_t highest);
/// A number that is finite in float32.
[[nodiscard]] double parse_number(std::string_view text, std::string_view option);
/// Numbers between commas, at least one.
[[nodiscard]] std::vector<double> parse_numbers(std::string_view text, std::string_view option);
/// `sqrt2` or a number.
[[nodiscard]] double parse_activation_gain(std::string_view text, std::string_view option);
/// A number, `nan`, or `none` (nullopt).
[[nodiscard]] std::optional<double> parse_nodata(std::string_view text, std::string_view option);

/// `WxH`; with `partial` also `Wx` and `xH`.
[[nodiscard]] ToSize parse_size(std::string_view text, std::string_view option, bool partial);
/// `WxH` or `WxH:V`.
[[nodiscard]] ToLetterbox parse_letterbox(std::string_view text, std::string_view option);
/// `F` or `FX,FY`, above 0.
[[nodiscard]] ByScale parse_scale(std::string_view text, std::string_view option);
/// `N` or `N,M`, at least 1.
[[nodiscard]] Pair<std::int64_t> parse_factors(std::string_view text, std::string_view option);
/// `X,Y,W,H`.
[[nodiscard]] Crop parse_crop(std::string_view text, std::string_view option);
/// `X,Y`.
[[nodiscard]] Pair<Fraction> parse_shift(std::string_view text, std::string_view option);
/// `auto` (nullopt), `P`, `X,Y` or `X0,X1,Y0,Y1`.
[[nodiscard]] std::optional<Padding> parse_padding(std::string_view text, std::string_view option);
/// `zero`, `edge`, `reflect`, `mirror`, `wrap` or `constant:V`.
[[nodiscard]] BorderRule parse_border(std::string_view text, std::string_view option);

/// What `--device` asks for.
struct DeviceChoice {
  Device device = Device::automatic;
  std::vector<int> ordinals;  ///< of `cuda:N,N`
  bool all = false;           ///< `cuda:all`
};
[[nodiscard]] DeviceChoice parse_device(std::string_view text, std::string_view option);

/// The value that goes with the word `text`.
template <class T>
[[nodiscard]] T parse_word(std::string_view text, std::string_view option,
                           std::initializer_list<std::pair<std::string_view, T>> words) {
  std::string known;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  bad_value(option, text, "known word", "one of " + known);
}

}  // namespace upfirdn::cli
