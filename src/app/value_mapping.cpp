#include "app/value_mapping.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "core/sample_math.hpp"

namespace upfirdn {
namespace {

using Display = ValueRequest::Display;

[[noreturn]] void fail(const std::string& message) { throw Error(ExitCode::image_failed, message); }

std::function<double(double)> shown_part(const ValueRequest& request, const ValueMeaning& meaning) {
  const auto through = [meaning](const Window& window) {
    return [meaning, window](double stored) { return shown(window, meaning.modality(stored)); };
  };
  if (request.display == Display::window) return through({.centre = request.a, .width = request.b, .shape = request.shape});
  if (meaning.display_table)
    return [meaning](double stored) { return looked_up(*meaning.display_table, meaning.modality(stored)) / meaning.display_table->full_scale; };
  if (!meaning.window) fail("--window dicom: the file tells no window; use --window auto");
  return through(*meaning.window);
}

/// Stored samples with black and white exchanged.
double inverted(double stored, const ImageInfo& info) { return is_signed_integer(info.type) ? -1 - stored : double(info.maxval) - stored; }

template <class T>
T stored_sample(double value, const ImageInfo& info) {
  if constexpr (std::is_floating_point_v<T>) return T(value);
  else if constexpr (std::is_same_v<T, Half>) return float_to_half(float(value));
  else {
    const double low = is_signed_integer(info.type) ? -double(info.maxval) - 1 : 0;
    return value == value ? T(std::clamp(std::nearbyint(value), low, double(info.maxval))) : T(0);
  }
}

}  // namespace

ImageInfo mapped_type(const ValueRequest& request, const ImageInfo& info, const ImageInfo& wanted) {
  if ((request.display != Display::none || request.rescale) && info.channels != 1)
    fail(std::string(request.rescale ? "--rescale" : "--window") + ": the image has colours; leave it out");
  ImageInfo to = wanted;
  if (request.display != Display::none) {
    to.type = without_sign(to.type);
    to.maxval = full_scale(to.type);
    to.values_as_stored = false;
  } else if (request.rescale) {
    if (!is_float(to.type)) to.type = PixelType::f32;
    if (!is_float(wanted.type) && wanted.type != info.type) fail("--rescale gives floats; use --depth f32 or f16");
    to.maxval = 1;
  }
  return to;
}

std::optional<ValueMapping> plan_mapping(const ValueRequest& request, const Metadata* metadata, const ImageInfo& from, const ImageInfo& to) {
  const ValueMeaning* known = metadata == nullptr ? nullptr : metadata->meaning();
  const bool inverts = request.invert_low_is_white && known != nullptr && known->low_is_white;
  if (request.display == Display::none && !request.rescale && !inverts) return std::nullopt;
  const ValueMeaning meaning = known == nullptr ? ValueMeaning{} : *known;
  ValueMapping mapping{.from = from, .to = to, .map = {}};
  if (request.display != Display::none) {
    const double white = is_float(to.type) ? 1 : double(to.maxval);
    mapping.map = [part = shown_part(request, meaning), white, inverts](double stored) {
      const double position = part(stored);
      return (inverts ? 1 - position : position) * white;
    };
  } else if (request.rescale) {
    mapping.map = [meaning](double stored) { return meaning.modality(stored); };
  } else {
    mapping.map = [to](double stored) { return inverted(stored, to); };
  }
  return mapping;
}

void MappingSink::write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) {
  for (std::int64_t i = 0; i < count; ++i, rows += stride_bytes) {
    visit_pixel_type(mapping_.to.type, [&](auto sample) {
      std::byte* out = row_.data();
      each_sample(rows, mapping_.from, [&](double value) {
        sample = stored_sample<decltype(sample)>(mapping_.map(value), mapping_.to);
        std::memcpy(out, &sample, sizeof sample);
        out += sizeof sample;
      });
    });
    sink_.write_rows(row_.data(), 1, row_.size());
  }
}

void PaddingSource::read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) {
  source_.read_rows(rows, count, stride_bytes);
  visit_pixel_type(info_.type, [&](auto sample) {
    if constexpr (std::is_integral_v<decltype(sample)>) {
      const auto missing = decltype(sample)(padding_.value);
      for (std::int64_t i = 0; i < count; ++i, rows += stride_bytes)
        for (std::size_t at = 0; at < info_.row_bytes(); at += sizeof sample) {
          std::memcpy(&sample, rows + at, sizeof sample);
          if (sample >= padding_.from && sample <= padding_.to) std::memcpy(rows + at, &missing, sizeof missing);
        }
    }
  });
}

}  // namespace upfirdn
