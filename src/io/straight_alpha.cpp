#include "io/straight_alpha.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/sample_math.hpp"

namespace upfirdn {
namespace {

template <class Sample>
Sample stored(double value, double maxval) {
  if constexpr (std::is_same_v<Sample, Half>) {
    return float_to_half(float(value));
  } else if constexpr (std::is_floating_point_v<Sample>) {
    return Sample(value);
  } else {
    return Sample(std::clamp(std::nearbyint(value), 0.0, maxval));
  }
}

double divided(double colour, double alpha, double maxval) { return alpha > 0 ? colour * maxval / alpha : 0.0; }
double multiplied(double colour, double alpha, double maxval) { return colour * alpha / maxval; }

using ColourRule = double (*)(double colour, double alpha, double maxval);

class AlphaWriter final : public ImageWriter {
 public:
  AlphaWriter(std::unique_ptr<ImageWriter> writer, const ImageInfo& info, ColourRule rule)
      : writer_(std::move(writer)), info_(info), rule_(rule), row_(info.row_bytes()) {}

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::byte* row = rows + stride_bytes * std::size_t(i);
      visit_pixel_type(info_.type, [&](auto sample) { convert<decltype(sample)>(row); });
      writer_->write_rows(row_.data(), 1, row_.size());
    }
  }
  void next_image(const std::shared_ptr<const Metadata>& metadata) override { writer_->next_image(metadata); }
  void finish() override { writer_->finish(); }
  [[nodiscard]] std::vector<std::string> notes() const override { return writer_->notes(); }

 private:
  template <class Sample>
  void convert(const std::byte* row) {
    const auto* pixel = reinterpret_cast<const Sample*>(row);
    auto* out = reinterpret_cast<Sample*>(row_.data());
    const int colours = info_.channels - 1;
    for (std::int64_t x = 0; x < info_.width; ++x, pixel += info_.channels) {
      const double alpha = to_real<double>(pixel[colours]), maxval = info_.maxval;
      for (int c = 0; c < colours; ++c) *out++ = stored<Sample>(rule_(to_real<double>(pixel[c]), alpha, maxval), maxval);
      *out++ = pixel[colours];
    }
  }

  std::unique_ptr<ImageWriter> writer_;
  ImageInfo info_;
  ColourRule rule_;
  std::vector<std::byte> row_;
};

}  // namespace

std::unique_ptr<ImageWriter> with_straight_alpha(std::unique_ptr<ImageWriter> writer, const ImageInfo& info) {
  return std::make_unique<AlphaWriter>(std::move(writer), info, divided);
}

std::unique_ptr<ImageWriter> with_premultiplied_alpha(std::unique_ptr<ImageWriter> writer, const ImageInfo& info) {
  return std::make_unique<AlphaWriter>(std::move(writer), info, multiplied);
}

}  // namespace upfirdn
