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

/// Calls `f(value)` for each sample of a row.
template <class F>
void each_sample(const std::byte* row, const ImageInfo& info, F&& f) {
  visit_pixel_type(info.type, [&](auto sample) {
    for (std::size_t at = 0; at < info.row_bytes(); at += sizeof sample) {
      std::memcpy(&sample, row + at, sizeof sample);
      f(to_real<double>(sample));
    }
  });
}

bool is_padding(const ValueMeaning& meaning, double value) {
  return meaning.padding && value >= meaning.padding->from && value <= meaning.padding->to;
}

/// Samples in order. Integers up to 16 bits are counted, so that images of any size take little memory.
class OrderedSamples {
 public:
  explicit OrderedSamples(PixelType type) : counts_(is_float(type) || size_bytes(type) > 2 ? 0 : most_counts) {}

  [[nodiscard]] bool empty() const { return size_ == 0; }
  void add(double value) {
    ++size_;
    if (counts_.empty()) numbers_.push_back(value);
    else ++counts_[std::size_t(value - lowest)];
  }
  /// The sample with `percent` of all at or below it.
  [[nodiscard]] double percentile(double percent) {
    const std::int64_t place = std::llround(percent / 100 * double(size_ - 1));
    if (counts_.empty()) {
      std::nth_element(numbers_.begin(), numbers_.begin() + place, numbers_.end());
      return numbers_[std::size_t(place)];
    }
    std::size_t value = 0;
    for (std::int64_t below = counts_[0]; below <= place; below += counts_[value]) ++value;
    return double(value) + lowest;
  }

 private:
  static constexpr double lowest = -32768;
  static constexpr std::size_t most_counts = 32768 + 65536;
  std::vector<std::int64_t> counts_;
  std::vector<double> numbers_;
  std::int64_t size_ = 0;
};

/// All samples that are neither padding nor NaN.
OrderedSamples samples_of(ImageReader& reader, const ValueMeaning& meaning, std::int64_t images) {
  OrderedSamples samples(reader.info().type);
  std::vector<std::byte> row(reader.info().row_bytes());
  for (std::int64_t image = 0; image < images; ++image) {
    if (image > 0 && !reader.next_image()) break;
    for (std::int64_t y = 0; y < reader.info().height; ++y) {
      reader.read_rows(row.data(), 1, row.size());
      each_sample(row.data(), reader.info(), [&](double value) {
        if (value == value && !is_padding(meaning, value)) samples.add(value);
      });
    }
  }
  return samples;
}

/// From the first percentile, black, to the second, white.
Window window_of_samples(const ValueRequest& request, const ValueMeaning& meaning, ImageReader& reader, std::int64_t images) {
  OrderedSamples samples = samples_of(reader, meaning, images);
  if (samples.empty()) return {.centre = 0, .width = 1};
  const double ends[] = {meaning.modality(samples.percentile(request.a)), meaning.modality(samples.percentile(request.b))};
  const double low = std::min(ends[0], ends[1]), high = std::max(ends[0], ends[1]);
  return {.centre = (low + high) / 2, .width = std::max(high - low, 1e-300), .shape = Window::Shape::linear_exact};
}

std::function<double(double)> shown_part(const ValueRequest& request, const ValueMeaning& meaning, const Reopen& reopen, std::int64_t images) {
  const auto through = [meaning](const Window& window) {
    return [meaning, window](double stored) { return shown(window, meaning.modality(stored)); };
  };
  if (request.display == Display::window) return through({.centre = request.a, .width = request.b});
  if (request.display == Display::percentiles) return through(window_of_samples(request, meaning, *reopen(), images));
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

std::optional<ValueMapping> plan_mapping(const ValueRequest& request, const Metadata* metadata, const ImageInfo& from, const ImageInfo& to,
                                         const Reopen& reopen, std::int64_t images) {
  const ValueMeaning* known = metadata == nullptr ? nullptr : metadata->meaning();
  const bool inverts = request.invert_low_is_white && known != nullptr && known->low_is_white;
  if (request.display == Display::none && !request.rescale && !inverts) return std::nullopt;
  if (from.channels != 1) fail(std::string(request.rescale ? "--rescale" : "--window") + ": the image has colours; leave it out");
  const ValueMeaning meaning = known == nullptr ? ValueMeaning{} : *known;
  ValueMapping mapping{.from = from, .to = to, .map = {}};
  if (request.display != Display::none) {
    const double white = is_float(to.type) ? 1 : double(to.maxval);
    mapping.map = [part = shown_part(request, meaning, reopen, images), white, inverts](double stored) {
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
