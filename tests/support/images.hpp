#pragma once
/// Small images written as numbers.

#include <cstdint>
#include <vector>

#include "core/image.hpp"

namespace upfirdn {

/// Shape with the full scale of its type.
[[nodiscard]] ImageInfo shape(PixelType type, std::int64_t width, std::int64_t height, int channels = 1);

/// Image with the samples `values` in row-major order; each must be a value of the type.
[[nodiscard]] Image image_of(const ImageInfo& info, const std::vector<double>& values);

/// Image with `value` in every sample.
[[nodiscard]] Image constant_image(const ImageInfo& info, double value);

/// All samples in row-major order.
[[nodiscard]] std::vector<double> values_of(const Image& image);

/// Stores `value`, which must be a value of the type.
void put_sample(Image& image, std::int64_t x, std::int64_t y, int channel, double value);

[[nodiscard]] Image flipped_x(const Image& image);
[[nodiscard]] Image flipped_y(const Image& image);
[[nodiscard]] Image transposed(const Image& image);

}  // namespace upfirdn
