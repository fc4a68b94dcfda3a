#include "oracle_rules.hpp"

#include <cmath>

namespace upfirdn::oracle {
namespace {

bool is_float_type(PixelType type) {
  return type == PixelType::f16 || type == PixelType::f32 || type == PixelType::f64;
}

void set_epilogue(const EpilogueRequest& request, const Setup& setup, Rules& rules) {
  for (int c = 0; c < rules.channels; ++c) {
    if (request.bias.empty()) break;
    rules.bias.push_back(request.bias.size() == 1   ? request.bias[0]
                         : c == rules.alpha_channel ? 0.0
                                                    : request.bias[std::size_t(c)]);
  }
  bool biased = false;
  for (double b : rules.bias) biased = biased || b != 0.0;
  if (!biased) rules.bias.clear();
  const bool activates = request.activation == Activation::relu ||
                         (request.activation == Activation::lrelu && request.slope != 1.0);
  rules.epilogue = biased || activates || request.activation_gain != 1.0 || request.clamp.has_value();
  rules.range = request.range;
  if (is_float_type(setup.input.type)) rules.range = ValueRange::code;
  if ((setup.input.type == PixelType::s16 || setup.input.type == PixelType::s32) && rules.range == ValueRange::signed_unit)
    rules.range = ValueRange::unit;
}

void set_resize(const ResizeRequest& request, const Setup& setup, Rules& rules) {
  if (setup.input.alpha != Alpha::none) rules.alpha_channel = setup.input.channels - 1;
  if (request.nodata) {
    rules.nodata = rounded_to(setup.input.type, *request.nodata, setup.input.maxval);
    const bool integer = !is_float_type(setup.input.type);
    if (integer && *rules.nodata != *request.nodata) rules.nodata.reset();
  }
  if (rules.copied) return;
  rules.premultiply = setup.input.alpha == Alpha::straight && request.alpha_mode == AlphaMode::premultiplied;
  rules.linear = request.linear;
}

}  // namespace

Rules rules_of(const ResampleSpec& spec, const Setup& setup) {
  Rules rules{.channels = setup.input.channels};
  rules.copied = setup.x.copied && setup.y.copied;
  rules.in_max = double(setup.input.maxval);
  rules.out_max = double(setup.output.maxval);
  rules.rescale = setup.input.maxval != setup.output.maxval;
  if (const auto* request = std::get_if<ResizeRequest>(&spec.operation)) set_resize(*request, setup, rules);
  if (const auto* request = std::get_if<FilterRequest>(&spec.operation)) rules.gain = request->gain;
  set_epilogue(spec.epilogue, setup, rules);
  rules.raw = rules.copied && !rules.epilogue && setup.input.type == setup.output.type && !rules.rescale;
  return rules;
}

double light_of(double v) {
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

double srgb_of(double light) {
  return light <= 0.04045 / 12.92 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

}  // namespace upfirdn::oracle
