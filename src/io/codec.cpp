#include "io/codec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "io/formats.hpp"

namespace upfirdn {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = char(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::vector<Format> all_formats() {
  // The 128 bytes before the mark of a DICOM file may hold the header of another format, so DICOM is recognised first.
  std::vector<Format> all{dicom_format(), png_format(), tiff_format(), jpeg_format()};
  std::ranges::move(pnm_formats(), std::back_inserter(all));
  all.push_back(pfm_format());
  all.push_back(npy_format());
  all.push_back(exr_format());
  std::ranges::move(imaging_formats(), std::back_inserter(all));
  return all;
}

template <class T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::ranges::find(values, value) != values.end();
}

std::string describe(PixelType type) {
  switch (type) {
    case PixelType::u8:
      return "8-bit samples";
    case PixelType::u16:
      return "16-bit samples";
    case PixelType::s16:
      return "signed 16-bit samples";
    case PixelType::f16:
      return "half-precision samples";
    case PixelType::f32:
      return "float samples";
    case PixelType::u32:
      return "32-bit samples";
    case PixelType::s32:
      return "signed 32-bit samples";
    case PixelType::f64:
      return "double-precision samples";
  }
  throw std::logic_error("pixel type out of range");
}

std::string describe_channels(const ImageInfo& info) {
  if (info.channels == 1) return "one channel";
  if (info.alpha == Alpha::none) return fmt::format("{} channels", info.channels);
  return info.channels == 2 ? "gray with alpha" : fmt::format("{} channels with alpha", info.channels - 1);
}

bool holds_channels(const Format& format, const ImageInfo& info) {
  return format.channels.empty() || contains(format.channels, info.channels);
}

bool would_become_alpha(const Format& format, const ImageInfo& info) {
  return format.always_alpha && info.alpha == Alpha::none && info.channels % 2 == 0;
}

/// What of `info` the format can't hold, as "hold 16-bit samples"; empty if it holds all.
std::string misfit(const Format& format, const ImageInfo& info) {
  if (!format.create) return "be written";
  if (!contains(format.types, info.type)) return "hold " + describe(info.type);
  if (!holds_channels(format, info)) return "hold " + describe_channels(info);
  if (info.alpha != Alpha::none && !format.holds_alpha) return "hold alpha";
  if (would_become_alpha(format, info)) return fmt::format("hold {} channels without alpha", info.channels);
  if (format.max_side > 0 && std::max(info.width, info.height) > format.max_side) {
    return fmt::format("hold {}x{}, only sides up to {}", info.width, info.height, format.max_side);
  }
  if (std::min(info.width, info.height) < format.min_side) {
    return fmt::format("hold {}x{}, only sides from {} on", info.width, info.height, format.min_side);
  }
  return {};
}

/// The value of `--depth` that makes `info` fit, or empty.
std::string depth_that_fits(const Format& format, ImageInfo info) {
  struct Choice {
    PixelType type;
    const char* option;
  };
  static constexpr Choice choices[] = {
      {PixelType::u16, "16"}, {PixelType::u8, "8"}, {PixelType::f32, "f32"}, {PixelType::f16, "f16"}};
  const bool from_signed = is_signed_integer(info.type);
  for (const Choice& choice : choices) {
    if (from_signed && !is_float(choice.type)) continue;
    info.type = choice.type;
    if (misfit(format, info).empty()) return choice.option;
  }
  return {};
}

/// "use --depth 8, or write PNG or TIFF"
std::string remedy(const Format& format, const ImageInfo& info) {
  std::vector<std::string> others;
  for (const Format& other : formats()) {
    if (!other.own_only && misfit(other, info).empty()) others.push_back(other.name);
  }
  std::vector<std::string> ways;
  if (!contains(format.types, info.type)) {
    const std::string depth = depth_that_fits(format, info);
    if (!depth.empty()) ways.push_back("use --depth " + depth);
  }
  if (info.array_dims > 0 && would_become_alpha(format, info)) {
    ways.push_back("use --alpha-channel last if the last channel is alpha");
  }
  if (!others.empty()) {
    const std::string last = others.back();
    others.pop_back();
    ways.push_back("write " +
                   (others.empty() ? last : fmt::format("{} or {}", fmt::join(others, ", "), last)));
  }
  return ways.empty() ? "no format can" : fmt::format("{}", fmt::join(ways, ", or "));
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all = all_formats();
  return all;
}

const Format* find_format(std::string_view extension) {
  const std::string wanted = lower(extension);
  for (const Format& format : formats()) {
    if (lower(format.name) == wanted || contains(format.extensions, wanted)) return &format;
  }
  return nullptr;
}

const Format* recognise_format(std::span<const std::byte> head) {
  for (const Format& format : formats()) {
    if (format.recognises && format.recognises(head)) return &format;
  }
  return nullptr;
}

ImageInfo stored_as(const Format& format, const ImageInfo& info, const std::string& output_name, const Format* source) {
  const std::string problem = misfit(format, info);
  if (!problem.empty()) {
    throw image_error(output_name,
                      fmt::format("{} cannot {}; {}", format.name, problem, remedy(format, info)));
  }
  ImageInfo stored = info;
  const bool keeps_maxval = format.any_maxval || (format.own_maxval && source == &format);
  if (!keeps_maxval && !info.values_as_stored) stored.maxval = full_scale(info.type);
  return stored;
}

}  // namespace upfirdn
