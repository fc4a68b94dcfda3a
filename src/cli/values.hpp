#pragma once
/// The text of option values becomes numbers. Every error is Error(usage) "OPTION: what is wrong; what to
/// do".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/convert.hpp"
#include "app/shard.hpp"
#include "resample/spec.hpp"

namespace upfirdn::cli {

/// The text given to an option, and the option's name for messages.
struct OptionValue {
  std::string option, text;
};

/// Throws Error(usage) "option: 'text' is no `what`; write `expected`".
[[noreturn]] void bad_value(const OptionValue& value, std::string_view what, std::string_view expected);

/// The parts of `text` between commas; empty parts are kept.
[[nodiscard]] std::vector<std::string_view> split_list(std::string_view text);

/// A whole number within [lowest, highest].
[[nodiscard]] std::int64_t parse_integer(const OptionValue& value, std::int64_t lowest, std::int64_t highest);
/// "800M", "4G": a whole number of bytes, or of kibi-, mebi-, gibi- or tebibytes (K, M, G, T).
[[nodiscard]] std::int64_t parse_bytes(const OptionValue& value);
/// A number that is finite in float32.
[[nodiscard]] double parse_number(const OptionValue& value);
/// The same, at least 0.
[[nodiscard]] double parse_magnitude(const OptionValue& value);
/// Numbers between commas, at least one.
[[nodiscard]] std::vector<double> parse_numbers(const OptionValue& value);
/// `sqrt2` or a number.
[[nodiscard]] double parse_activation_gain(const OptionValue& value);
/// A number, `nan`, or `none` (nullopt).
[[nodiscard]] std::optional<double> parse_nodata(const OptionValue& value);

/// `WxH`, `Wx` or `xH`.
[[nodiscard]] ToSize parse_size(const OptionValue& value);
/// `WxH`.
struct Box {
  std::int64_t width, height;
};
[[nodiscard]] Box parse_box(const OptionValue& value);
/// `WxH` or `WxH:V`.
[[nodiscard]] ToLetterbox parse_letterbox(const OptionValue& value);
/// `F` or `FX,FY`, above 0.
[[nodiscard]] ByScale parse_scale(const OptionValue& value);
/// `X` or `X,Y` in mm, above 0.
[[nodiscard]] ToSpacing parse_spacing(const OptionValue& value);
/// `N` or `N,M`, at least 1.
[[nodiscard]] Pair<std::int64_t> parse_factors(const OptionValue& value);
/// `X,Y,W,H`.
[[nodiscard]] Crop parse_crop(const OptionValue& value);
/// `X,Y`.
[[nodiscard]] Pair<Fraction> parse_shift(const OptionValue& value);
/// `auto` (nullopt), `P`, `X,Y` or `X0,X1,Y0,Y1`.
[[nodiscard]] std::optional<Padding> parse_padding(const OptionValue& value);
/// `zero`, `edge`, `reflect`, `mirror`, `wrap` or `constant:V`.
[[nodiscard]] BorderRule parse_border(const OptionValue& value);
[[nodiscard]] std::vector<std::string> border_words();

/// `none`, `dicom`, `C,W`, `auto` or `percentile:a,b`, into `values`.
void set_window(const OptionValue& value, ValueRequest& values);

/// What `--device` asks for.
struct DeviceChoice {
  Device device = Device::automatic;
  std::vector<int> ordinals;  ///< of `cuda:N,N`
  bool all = false;           ///< `cuda:all`
};
[[nodiscard]] DeviceChoice parse_device(const OptionValue& value);

/// `I/N`, 1 to N.
[[nodiscard]] Shard parse_shard(const OptionValue& value);

/// Words and what they mean.
template <class T>
using Words = std::vector<std::pair<std::string, T>>;

template <class T>
[[nodiscard]] std::vector<std::string> names_of(const Words<T>& words) {
  std::vector<std::string> names;
  for (const auto& [word, meaning] : words) names.push_back(word);
  return names;
}

/// Throws Error(usage) that lists the words.
[[noreturn]] void unknown_word(const OptionValue& value, const std::vector<std::string>& words);

/// What the word means.
template <class T>
[[nodiscard]] T parse_word(const OptionValue& value, const Words<T>& words) {
  for (const auto& [word, meaning] : words)
    if (word == value.text) return meaning;
  unknown_word(value, names_of(words));
}

}  // namespace upfirdn::cli
