#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/convert_options.hpp"
#include "cli/values.hpp"
#include "core/error.hpp"
#include "resample/plan.hpp"

namespace upfirdn::cli {
namespace {

constexpr auto examples =
    "  upfirdn resize scan.png -o small.png --scale 1/4\n"
    "  upfirdn resize scan.tif -o screen.png --fit 1024x1024 --filter lanczos3\n"
    "  upfirdn resize a.png b.png -o out/ --size 512x --name '{stem}_{w}x{h}.{ext}'\n"
    "  upfirdn resize photos -r -o thumbs/ --fill 256x256 --only-shrink --format jpg\n"
    "  upfirdn resize x.npy -o y.npy --down 2 --taps 1,3,3,1";

/// The ways to say how big, in the order of the command line.
struct SizeOptions {
  std::vector<std::string> given;
  ResizeTarget target;
  std::optional<Pair<std::int64_t>> up, down;

  void set(const std::string& option, ResizeTarget chosen) {
    given.push_back(option);
    target = chosen;
  }
};

void add_size_options(CLI::App& table, SizeOptions& size) {
  const std::string group = "How big (exactly one; --up and --down may be combined)";
  add_value(table, "--size", "WxH", "exactly this; Wx or xH keeps the aspect", [&](const std::string& text) {
    size.set("--size", parse_size(text, "--size", true));
  })->group(group);
  add_value(table, "--fit", "WxH", "the largest size inside; may enlarge", [&](const std::string& text) {
    const ToSize box = parse_size(text, "--fit", false);
    size.set("--fit", ToFit{*box.width, *box.height});
  })->group(group);
  add_value(table, "--cover", "WxH", "the smallest size that covers; may enlarge", [&](const std::string& text) {
    const ToSize box = parse_size(text, "--cover", false);
    size.set("--cover", ToCover{*box.width, *box.height});
  })->group(group);
  add_value(table, "--fill", "WxH", "covers, then cuts out the centre", [&](const std::string& text) {
    const ToSize box = parse_size(text, "--fill", false);
    size.set("--fill", ToFill{*box.width, *box.height});
  })->group(group);
  add_value(table, "--letterbox", "WxH[:V]", "fits, then pads with V in every channel (default 0)",
            [&](const std::string& text) { size.set("--letterbox", parse_letterbox(text, "--letterbox")); })
      ->group(group);
  add_value(table, "--scale", "F[,FY]", "by a factor such as 0.5, 50% or 1/2", [&](const std::string& text) {
    size.set("--scale", parse_scale(text, "--scale"));
  })->group(group);
  add_value(table, "--up", "N[,NY]", "by the exact factor N / D (default 1)",
            [&](const std::string& text) { size.up = parse_factors(text, "--up"); })->group(group);
  add_value(table, "--down", "D[,DY]", "by the exact factor N / D (default 1)",
            [&](const std::string& text) { size.down = parse_factors(text, "--down"); })->group(group);
}

void add_geometry_options(CLI::App& table, ResizeRequest& resize) {
  const std::string group = "Geometry";
  table.add_flag_callback("--only-shrink", [&] { resize.one_way = OneWay::only_shrink; },
                          "images that would grow keep their size (default off)")->group(group);
  table.add_flag_callback("--only-enlarge", [&] { resize.one_way = OneWay::only_enlarge; },
                          "images that would shrink keep their size (default off)")->group(group);
  add_value(table, "--crop", "X,Y,W,H", "resizes this part only (default: all)",
            [&](const std::string& text) { resize.crop = parse_crop(text, "--crop"); })->group(group);
  add_value(table, "--shift", "X,Y", "samples further right and down by input pixels (default 0,0)",
            [&](const std::string& text) { resize.shift = parse_shift(text, "--shift"); })->group(group);
}

void add_colour_options(CLI::App& table, ResizeRequest& resize) {
  const std::string group = "Pixels";
  add_value(table, "--alpha-mode", "M", "premultiplied, or straight: alpha is one more channel (default premultiplied)",
            [&](const std::string& text) {
              resize.alpha_mode = parse_word<AlphaMode>(
                  text, "--alpha-mode",
                  {{"premultiplied", AlphaMode::premultiplied}, {"straight", AlphaMode::straight}});
            })->group(group);
  table.add_flag("--linear", resize.linear, "filter 8 and 16 bit sRGB codes as light (default off)")->group(group);
  add_value(table, "--nodata", "V", "leave out samples equal to V, a number or nan (default none)",
            [&](const std::string& text) { resize.nodata = parse_nodata(text, "--nodata"); })->group(group);
}

ResizeTarget chosen_target(SizeOptions& size) {
  if (size.up || size.down) {
    size.set(size.up ? (size.down ? "--up/--down" : "--up") : "--down",
             ByFactors{size.up.value_or(Pair<std::int64_t>{1, 1}), size.down.value_or(Pair<std::int64_t>{1, 1})});
  }
  if (size.given.empty()) {
    throw Error(ExitCode::usage, "resize: how big is not said; give one of --size, --fit, --cover, --fill, "
                                 "--letterbox, --scale, --up, --down");
  }
  if (size.given.size() > 1) {
    throw Error(ExitCode::usage,
                fmt::format("{}: more than one way to say how big; give one", fmt::join(size.given, ", ")));
  }
  return size.target;
}

}  // namespace

ConvertRequest parse_resize_arguments(const std::vector<std::string>& arguments) {
  ConvertRequest request;
  ResizeRequest resize;
  SizeOptions size;
  TapOptions taps;
  const auto table = make_option_table("resize", "IN... -o OUT [options]",
                                       "Resizes images: aligned, anti-aliased, constants stay exact.", examples);
  add_size_options(*table, size);
  add_geometry_options(*table, resize);
  add_tap_options(*table, taps, "named filter, see 'upfirdn taps --help' (default gaussian)");
  add_value(*table, "--border", "NAME", "zero, edge, reflect, mirror, wrap or constant:V (default edge)",
            [&](const std::string& text) { request.spec.border = parse_border(text, "--border"); })->group("Taps");
  add_colour_options(*table, resize);
  add_convert_options(*table, request);
  parse_convert_arguments(*table, arguments, request);

  if (table->count("--only-shrink") != 0 && table->count("--only-enlarge") != 0) {
    throw Error(ExitCode::usage, "--only-shrink and --only-enlarge: contradict each other; give one");
  }
  resize.target = chosen_target(size);
  if (auto filter = chosen_filter(taps)) request.spec.filter = std::move(*filter);
  request.spec.operation = std::move(resize);
  check_spec(request.spec);
  return request;
}

int run_resize(const std::vector<std::string>& arguments) { return run_conversion(parse_resize_arguments(arguments)); }

}  // namespace upfirdn::cli
