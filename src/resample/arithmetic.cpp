#include "resample/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.hpp"

namespace upfirdn {
namespace {

/// IEC 61966-2-1 (sRGB), from code / maxval to light, in double.
double light_of(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }

void plan_light(SampleMath& math, const ImageInfo& input, const ImageInfo& output) {
  for (const ImageInfo* info : {&input, &output})
    if (info->type != PixelType::u8 && info->type != PixelType::u16)
      throw Error(ExitCode::image_failed,
                  fmt::format("--linear is for u8 and u16, not {}; leave it out or choose --depth 8 or 16", name(info->type)));
  math.rule.linear = true;
  math.rule.encode_max = std::int32_t(output.maxval);
  for (std::uint32_t code = 0; code <= input.maxval; ++code)
    math.decode_table.push_back(float(light_of(double(code) / input.maxval)));
  for (std::uint32_t code = 1; code <= output.maxval; ++code)
    math.encode_thresholds.push_back(float(light_of((code - 0.5) / output.maxval)));
}

void plan_nodata(SampleMath& math, double value, const ImageInfo& input) {
  const double stored = input.type == PixelType::f16 ? double(half_to_float(float_to_half(float(value))))
                                                     : rounded_to(arithmetic_of(input.type), value);
  if (!is_float(input.type)) {
    const double low = is_signed_integer(input.type) ? -double(full_scale(input.type)) - 1 : 0.0;
    const double high = is_signed_integer(input.type) ? double(full_scale(input.type)) : double(input.maxval);
    if (!(value >= low && value <= high && value == std::floor(value)))
      throw Error(ExitCode::image_failed, fmt::format("--nodata {} is no value of {} samples; give a whole number from {} to {}",
                                                      value, name(input.type), low, high));
  }
  if (input.alpha != Alpha::none)
    throw Error(ExitCode::image_failed, "--nodata cannot be combined with an alpha channel; use --nodata none");
  math.rule.nodata = true;
  math.rule.nodata_value = stored;
}

void plan_bias(SampleMath& math, const std::vector<double>& bias, const ImageInfo& input) {
  const Arithmetic arithmetic = arithmetic_of(input.type);
  if (std::all_of(bias.begin(), bias.end(), [&](double b) { return rounded_to(arithmetic, b) == 0; })) return;
  const int filtered = math.rule.alpha_channel >= 0 ? input.channels - 1 : input.channels;
  if (bias.size() != 1 && bias.size() != std::size_t(filtered))
    throw Error(ExitCode::image_failed, fmt::format("--bias has {} values for {} channel{}; give one, or one a channel",
                                                    bias.size(), filtered, filtered == 1 ? "" : "s"));
  math.bias.assign(std::size_t(input.channels), 0);
  for (int c = 0; c < filtered; ++c) math.bias[std::size_t(c)] = rounded_to(arithmetic, bias[bias.size() == 1 ? 0 : std::size_t(c)]);
}

void plan_epilogue(SampleMath& math, const EpilogueRequest& request, const ImageInfo& input) {
  auto& rule = math.rule;
  const Arithmetic arithmetic = arithmetic_of(input.type);
  rule.activation = Activation::none;
  rule.activation_gain = 1;
  plan_bias(math, request.bias, input);
  rule.epilogue = has_epilogue(request, arithmetic);
  if (!rule.epilogue) return;
  rule.range = is_float(input.type) ? ValueRange::code : request.range;
  if (rule.range == ValueRange::signed_unit && is_signed_integer(input.type)) rule.range = ValueRange::unit;
  rule.activation = request.activation;
  rule.slope = rounded_to(arithmetic, request.slope);
  rule.activation_gain = rounded_to(arithmetic, request.activation_gain);
  rule.clamp = request.clamp.has_value();
  rule.clamp_limit = rounded_to(arithmetic, request.clamp.value_or(0));
}

void plan_range(BasicSampleMath<double>& rule, const ImageInfo& output) {
  rule.out_max = double(output.maxval);
  rule.out_min = is_signed_integer(output.type) ? -rule.out_max - 1 : 0;
}

void plan_storing(BasicSampleMath<double>& rule, const ImageInfo& input, const ImageInfo& output) {
  const bool mapped = output.maxval != input.maxval;
  rule.depth_multiplier = mapped ? double(output.maxval) : 1;
  rule.depth_divisor = mapped ? double(input.maxval) : 1;
  plan_range(rule, output);
}

}  // namespace

bool has_epilogue(const EpilogueRequest& e, Arithmetic arithmetic) {
  const auto differs = [&](double number, double idle) { return rounded_to(arithmetic, number) != idle; };
  const bool biased = std::any_of(e.bias.begin(), e.bias.end(), [&](double b) { return differs(b, 0); });
  const bool active = e.activation == Activation::relu || (e.activation == Activation::lrelu && differs(e.slope, 1));
  return biased || active || differs(e.activation_gain, 1) || e.clamp.has_value();
}

SampleMath plan_samples(const ResampleSpec& spec, const ImageInfo& input, const ImageInfo& output, bool gathered) {
  SampleMath math;
  auto& rule = math.rule;
  const auto* resize = std::get_if<ResizeRequest>(&spec.operation);
  rule.channels = rule.planes = input.channels;
  rule.alpha_channel = resize != nullptr && input.alpha != Alpha::none ? input.channels - 1 : -1;
  rule.in_max = double(input.maxval);
  rule.gathered = gathered;
  rule.gain = resize != nullptr ? 1 : rounded_to(arithmetic_of(input.type), std::get<FilterRequest>(spec.operation).gain);
  if (resize != nullptr) {
    rule.premultiply = !gathered && input.alpha == Alpha::straight && resize->alpha_mode == AlphaMode::premultiplied;
    if (resize->linear && !gathered) plan_light(math, input, output);
    if (resize->nodata) plan_nodata(math, *resize->nodata, input);
    else if (resize->nodata_of_file && input.nodata && !resize->linear) plan_nodata(math, *input.nodata, input);
    if (rule.nodata && !gathered) rule.planes = 2 * input.channels;
  }
  plan_epilogue(math, spec.epilogue, input);
  plan_storing(rule, input, output);
  return math;
}

std::vector<std::byte> stored_pixel(double value, const ImageInfo& info) {
  std::vector<std::byte> pixel(info.pixel_bytes());
  BasicSampleMath<double> rule{.alpha_channel = -1, .gain = 1, .depth_multiplier = 1, .depth_divisor = 1};
  plan_range(rule, info);
  visit_pixel_type(info.type, [&](auto type) {
    bool nan = false;
    const auto sample = rule.encode<decltype(type)>(rounded_to(arithmetic_of(info.type), value), 0, 0, nan);
    for (int c = 0; c < info.channels; ++c) std::memcpy(pixel.data() + std::size_t(c) * sizeof sample, &sample, sizeof sample);
  });
  return pixel;
}

Surroundings plan_surroundings(const BorderRule& border, const SampleMath& samples, const ImageInfo& input) {
  const auto& rule = samples.rule;
  Surroundings around{border.kind, std::vector<double>(std::size_t(rule.planes), 0),
                      stored_pixel(border.kind == Border::constant ? border.value : 0.0, input)};
  const Arithmetic arithmetic = arithmetic_of(input.type);
  const double value = rounded_to(arithmetic, border.value);
  const bool masks = rule.planes > rule.channels;
  const bool missing = value == rule.nodata_value || (value != value && rule.nodata_value != rule.nodata_value);
  if (masks && (border.kind == Border::zero || (border.kind == Border::constant && missing))) {
    around.border = Border::constant;  // what lies outside is missing, not zero
    std::fill(around.values.begin() + rule.channels, around.values.end(), 1);
    return around;
  }
  if (border.kind != Border::constant) return around;
  for (int c = 0; c < rule.channels; ++c) {
    double v = value;
    if (rule.linear && c != rule.alpha_channel)
      v = rounded_to(arithmetic, light_of(std::clamp(border.value / input.maxval, 0.0, 1.0)));
    if (rule.premultiply) {
      const double alpha = rounded_to(arithmetic, value / rule.in_max);
      v = c == rule.alpha_channel ? alpha : rounded_to(arithmetic, v * alpha);
    }
    around.values[std::size_t(c)] = v;
  }
  return around;
}

}  // namespace upfirdn
