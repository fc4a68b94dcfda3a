#include "resample/light_codes.hpp"

#include <algorithm>
#include <limits>

#include "core/host_device.hpp"

namespace upfirdn {

LightCodes::LightCodes(const std::vector<float>& thresholds) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  thresholds_.push_back(-infinity);
  thresholds_.insert(thresholds_.end(), thresholds.begin(), thresholds.end());
  thresholds_.push_back(infinity);
  const auto bucket_of = [](float light) { return std::int32_t(float_to_bits(light) >> bucket_shift); };
  const auto begin_of = [](std::int32_t bucket) { return float_from_bits(std::uint32_t(bucket) << bucket_shift); };
  const auto code_at = [&](float light) {  // between thresholds in proportion
    const auto above = std::upper_bound(thresholds_.begin() + 1, thresholds_.end() - 1, light);
    const double code = double(above - thresholds_.begin()) - 1;
    const double low = *(above - 1), high = *above;
    return code < 1 || high == double(infinity) ? code : code + (light - low) / (high - low);
  };
  first_bucket_ = bucket_of(lowest());
  for (std::int32_t bucket = first_bucket_; bucket <= bucket_of(highest()); ++bucket) {
    const float begin = begin_of(bucket), end = begin_of(bucket + 1);
    base_.push_back(float(code_at(begin)));
    slope_.push_back(float((code_at(end) - code_at(begin)) / (double(end) - begin)));
  }
}

}  // namespace upfirdn
