#include "io/straight_alpha.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/sample_math.hpp"

namespace upfirdn {
namespace {

template <class Sample>
Sample straight(Sample colour, Sample alpha, double maxval) {
  const double opacity = to_real<double>(alpha);
  const double value = opacity > 0 ? to_real<double>(colour) * maxval / opacity : 0.0;
  if constexpr (std::is_same_v<Sample, Half>) {
    return float_to_half(float(value));
  } else if constexpr (std::is_floating_point_v<Sample>) {
    return Sample(value);
  } else {
    return Sample(std::clamp(std::nearbyint(value), 0.0, maxval));
  }
}

class StraightWriter final : public ImageWriter {
 public:
  StraightWriter(std::unique_ptr<ImageWriter> writer, const ImageInfo& info)
      : writer_(std::move(writer)), info_(info), row_(info.row_bytes()) {}

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
      for (int c = 0; c < colours; ++c) *out++ = straight(pixel[c], pixel[colours], info_.maxval);
      *out++ = pixel[colours];
    }
  }

  std::unique_ptr<ImageWriter> writer_;
  ImageInfo info_;
  std::vector<std::byte> row_;
};

}  // namespace

std::unique_ptr<ImageWriter> with_straight_alpha(std::unique_ptr<ImageWriter> writer, const ImageInfo& info) {
  return std::make_unique<StraightWriter>(std::move(writer), info);
}

}  // namespace upfirdn
