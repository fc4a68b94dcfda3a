#pragma once
/// From stored samples to the numbers that are filtered, and back: alpha, light, nodata, gain, epilogue, depth, rounding
/// (SEMANTICS 3, 5 and 6). The same code runs on the CPU and in CUDA kernels.

#include <cstdint>
#include <vector>

#include "core/host_device.hpp"
#include "core/pixel.hpp"

namespace upfirdn {

enum class Activation : std::uint8_t { none, relu, lrelu };
/// In what units bias, activation and clamp work; `code` are the numbers stored in the file.
enum class ValueRange : std::uint8_t { code, unit, signed_unit };

UPFIRDN_HD inline float to_float(std::uint8_t sample) { return float(sample); }
UPFIRDN_HD inline float to_float(std::uint16_t sample) { return float(sample); }
UPFIRDN_HD inline float to_float(std::int16_t sample) { return float(sample); }
UPFIRDN_HD inline float to_float(Half sample) { return half_to_float(sample); }
UPFIRDN_HD inline float to_float(float sample) { return sample; }

/// A sample as a number to filter. No bit is lost where `Real` is the arithmetic of its type.
template <class Real, class Sample>
UPFIRDN_HD inline Real to_real(Sample sample) {
  if constexpr (std::is_same_v<Sample, Half>) return Real(half_to_float(sample));
  else return Real(sample);
}

/// Plain description of the arithmetic around the filter, in `Real`. Pointers belong to a SampleMath or to device memory.
template <class Real>
struct BasicSampleMath {
  int channels;       ///< stored samples a pixel
  int planes;         ///< filtered values a pixel: channels, or twice as many with nodata (values, then masks)
  int alpha_channel;  ///< -1: none; its samples skip light and epilogue
  bool premultiply;   ///< colour is filtered times alpha
  bool linear;        ///< colour is filtered as light
  bool nodata;        ///< samples equal to `nodata_value` are left out and the weights renormalised
  bool gathered;      ///< samples are copied (both axes): nodata only skips the epilogue
  Real in_max;        ///< full scale of the input
  Real nodata_value;
  const float* decode_table;       ///< [maxval + 1] light of each input code
  const float* encode_thresholds;  ///< [encode_max] light from which on the output code is at least k + 1
  std::int32_t encode_max;         ///< full scale of the codes that light is encoded to
  Real gain;
  bool epilogue;
  ValueRange range;
  const double* bias;  ///< [channels] numbers of `Real`, or null
  Activation activation;
  Real slope, activation_gain;
  bool clamp;
  Real clamp_limit;
  Real depth_multiplier, depth_divisor;  ///< 1: skipped
  Real out_min, out_max;                 ///< range of integer outputs

  template <class In>
  [[nodiscard]] UPFIRDN_HD bool is_nodata(In sample) const {
    const Real value = to_real<Real>(sample);
    return value == nodata_value || (value != value && nodata_value != nodata_value);
  }

  /// Value of plane `plane` of the pixel at `pixel`, as it is filtered.
  template <class In>
  [[nodiscard]] UPFIRDN_HD Real decode(const In* pixel, int plane) const {
    if (nodata && !gathered) {
      const bool mask = plane >= channels;
      const In sample = pixel[mask ? plane - channels : plane];
      if (is_nodata(sample)) return mask ? 1 : 0;
      return mask ? 0 : to_real<Real>(sample);
    }
    Real value = to_real<Real>(pixel[plane]);
    if (linear && plane != alpha_channel) value = decode_table[value < in_max ? int(value) : int(in_max)];
    if (!premultiply) return value;
    const Real alpha = to_real<Real>(pixel[alpha_channel]) / in_max;
    return plane == alpha_channel ? alpha : value * alpha;
  }

  /// Plane whose filtered value `encode` needs beside that of `channel`.
  [[nodiscard]] UPFIRDN_HD int companion_plane(int channel) const {
    if (premultiply) return alpha_channel;
    return nodata && !gathered ? channel + channels : channel;
  }

  /// Stored sample of `channel` for the filtered value `sum`. NaN in an integer output becomes 0 and sets `was_nan`.
  template <class Out>
  [[nodiscard]] UPFIRDN_HD Out encode(Real sum, Real companion, int channel, bool& was_nan) const {
    Real value = sum;
    bool missing = false;
    if (nodata) {
      if (gathered) {
        missing = value == nodata_value || (value != value && nodata_value != nodata_value);
      } else {
        const Real weight = 1 - companion;
        missing = weight < Real(0.5);
        value = missing ? nodata_value : sum / weight;
      }
    }
    if (premultiply) {
      if (channel == alpha_channel) value = sum * in_max;
      else value = companion <= 0 ? 0 : sum / companion;
    }
    // Codes of light are those of the output already: no gain, epilogue or depth mapping follows.
    if (linear && channel != alpha_channel) return store<Out>(light_to_code(value), was_nan);
    if (gain != 1) value = value * gain;
    if (epilogue && !missing && channel != alpha_channel) value = apply_epilogue(value, channel);
    if (depth_multiplier != 1) value = value * depth_multiplier;
    if (depth_divisor != 1) value = value / depth_divisor;
    return store<Out>(value, was_nan);
  }

 private:
  [[nodiscard]] UPFIRDN_HD Real light_to_code(Real light) const {
    std::int32_t low = 0, high = encode_max;  // thresholds below `low` are reached, from `high` on they are not
    while (low < high) {
      const std::int32_t middle = low + (high - low) / 2;
      if (light >= encode_thresholds[middle]) low = middle + 1;
      else high = middle;
    }
    return Real(low);
  }

  [[nodiscard]] UPFIRDN_HD Real apply_epilogue(Real value, int channel) const {
    if (range == ValueRange::unit) value = value / in_max;
    if (range == ValueRange::signed_unit) value = value / in_max * 2 - 1;
    if (bias != nullptr) value = value + Real(bias[channel]);
    switch (activation) {
      case Activation::none: break;
      case Activation::relu: value = value > 0 ? value : (value != value ? value : 0); break;
      case Activation::lrelu: value = value > 0 ? value : value * slope; break;
    }
    if (activation_gain != 1) value = value * activation_gain;
    if (clamp) value = value > clamp_limit ? clamp_limit : (value < -clamp_limit ? -clamp_limit : value);
    if (range == ValueRange::unit) value = value * in_max;
    if (range == ValueRange::signed_unit) value = (value + 1) * Real(0.5) * in_max;
    return value;
  }

  template <class Out>
  [[nodiscard]] UPFIRDN_HD Out store(Real value, bool& was_nan) const {
    if constexpr (std::is_same_v<Out, double>) {
      return value != value ? double_from_bits(0x7ff8000000000000u) : double(value);
    } else if constexpr (std::is_same_v<Out, float>) {
      return value != value ? float_from_bits(0x7fc00000u) : float(value);
    } else if constexpr (std::is_same_v<Out, Half>) {
      if constexpr (std::is_same_v<Real, double>) return double_to_half(value);
      else return float_to_half(value);
    } else {
      if (value != value) {
        was_nan = true;
        return Out(0);
      }
      value = value < out_min ? out_min : (value > out_max ? out_max : value);
      return Out(round_half_even(value));
    }
  }
};

using SampleMathView = BasicSampleMath<float>;

/// Owner of what a BasicSampleMath points to. Filled by the plan.
struct SampleMath {
  BasicSampleMath<double> rule{};  ///< numbers of the operation's arithmetic; pointers unset: use view()
  std::vector<double> bias;
  std::vector<float> decode_table, encode_thresholds;

  template <class Real = float>
  [[nodiscard]] BasicSampleMath<Real> view() const {
    return {.channels = rule.channels,
            .planes = rule.planes,
            .alpha_channel = rule.alpha_channel,
            .premultiply = rule.premultiply,
            .linear = rule.linear,
            .nodata = rule.nodata,
            .gathered = rule.gathered,
            .in_max = Real(rule.in_max),
            .nodata_value = Real(rule.nodata_value),
            .decode_table = decode_table.data(),
            .encode_thresholds = encode_thresholds.data(),
            .encode_max = rule.encode_max,
            .gain = Real(rule.gain),
            .epilogue = rule.epilogue,
            .range = rule.range,
            .bias = bias.empty() ? nullptr : bias.data(),
            .activation = rule.activation,
            .slope = Real(rule.slope),
            .activation_gain = Real(rule.activation_gain),
            .clamp = rule.clamp,
            .clamp_limit = Real(rule.clamp_limit),
            .depth_multiplier = Real(rule.depth_multiplier),
            .depth_divisor = Real(rule.depth_divisor),
            .out_min = Real(rule.out_min),
            .out_max = Real(rule.out_max)};
  }
};

}  // namespace upfirdn
