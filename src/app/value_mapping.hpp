#pragma once
/// From the numbers that a gray image stores to others: what a window shows, numbers of the modality, black and white
/// exchanged. It happens after resampling, with one rounding.

#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include "core/image.hpp"
#include "core/sample_math.hpp"
#include "io/codec.hpp"

namespace upfirdn {

/// `--window`, `--rescale`, `--invert-monochrome1`.
struct ValueRequest {
  enum class Display : std::uint8_t { none, of_file, window, percentiles };
  Display display = Display::none;
  double a = 0, b = 0;  ///< centre and width in numbers of the modality; percentiles (0 and 100: all samples)
  Window::Shape shape = Window::Shape::linear;  ///< of `window`
  bool rescale = false;
  bool invert_low_is_white = false;

  [[nodiscard]] bool changes_values() const { return display != Display::none || rescale || invert_low_is_white; }
};

/// Maps one image's samples.
struct ValueMapping {
  ImageInfo from;  ///< what the backend gives: floats, or the stored type
  ImageInfo to;    ///< what is written
  std::function<double(double)> map;  ///< from a sample to the number that is rounded
};

/// The type to write for an input of `info` under `request` and `wanted`, the type that `--depth` chose. `--window` shows on
/// integers to full scale, `--rescale` gives floats. Throws Error(image_failed) where that can't be: more than one channel.
[[nodiscard]] ImageInfo mapped_type(const ValueRequest& request, const ImageInfo& info, const ImageInfo& wanted);

/// The mapping for an image; nullopt if nothing changes. `metadata` may be null. Not for percentiles: see sample_window.hpp.
/// Throws Error(image_failed): no window in the file.
[[nodiscard]] std::optional<ValueMapping> plan_mapping(const ValueRequest& request, const Metadata* metadata, const ImageInfo& from,
                                                       const ImageInfo& to);

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

/// Hands mapped rows on.
class MappingSink final : public RowSink {
 public:
  MappingSink(RowSink& sink, const ValueMapping& mapping) : sink_(sink), mapping_(mapping), row_(mapping.to.row_bytes()) {}
  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override;

 private:
  RowSink& sink_;
  const ValueMapping& mapping_;
  std::vector<std::byte> row_;
};

/// Samples between the ends of the padding become its usual value, so that there is one value of missing samples.
class PaddingSource final : public RowSource {
 public:
  PaddingSource(RowSource& source, const ImageInfo& info, const ValueMeaning::Padding& padding)
      : source_(source), info_(info), padding_(padding) {}
  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override;

 private:
  RowSource& source_;
  ImageInfo info_;
  ValueMeaning::Padding padding_;
};

}  // namespace upfirdn
