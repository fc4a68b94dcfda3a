#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/convert_options.hpp"
#include "core/error.hpp"
#include "resample/plan.hpp"

namespace upfirdn::cli {
namespace {

using Value = const OptionValue&;

constexpr auto examples =
    "Examples:\n"
    "  upfirdn resize scan.png -o small.png --scale 1/4\n"
    "  upfirdn resize scan.tif -o screen.png --fit 1024x1024 --filter lanczos3\n"
    "  upfirdn resize a.png b.png -o out/ --size 512x --name '{stem}_{w}x{h}.{ext}'\n"
    "  upfirdn resize photos -r -o thumbs/ --fill 256x256 --only-shrink --format jpg\n"
    "  upfirdn resize x.npy -o y.npy --down 2 --taps 1,3,3,1";

/// The ways to say how big that were given.
struct SizeOptions {
  std::vector<std::string> given;
  ResizeTarget target;
  std::optional<Pair<std::int64_t>> up, down;

  void set(const std::string& option, ResizeTarget chosen) {
    given.push_back(option);
    target = chosen;
  }
};

void add_size_options(OptionTable& table, SizeOptions& size) {
  table.group("How big (exactly one; --up and --down count as one)");
  table.value("--size", "WxH", "exactly this; Wx or xH keeps the aspect",
              [&](Value v) { size.set(v.option, parse_size(v)); });
  table.value("--fit", "WxH", "the largest size inside; may enlarge", [&](Value v) {
    const Box box = parse_box(v);
    size.set(v.option, ToFit{box.width, box.height});
  });
  table.value("--cover", "WxH", "the smallest size that covers; may enlarge", [&](Value v) {
    const Box box = parse_box(v);
    size.set(v.option, ToCover{box.width, box.height});
  });
  table.value("--fill", "WxH", "covers, then cuts out the centre", [&](Value v) {
    const Box box = parse_box(v);
    size.set(v.option, ToFill{box.width, box.height});
  });
  table.value("--letterbox", "WxH[:V]", "fits, then pads with V in every channel (default 0)",
              [&](Value v) { size.set(v.option, parse_letterbox(v)); });
  table.value("--scale", "F[,FY]", "by a factor such as 0.5, 50% or 1/2; sizes round to nearest, halves up",
              [&](Value v) { size.set(v.option, parse_scale(v)); });
  table.value("--spacing", "X[,Y]", "to this many mm a pixel, of files that tell their own",
              [&](Value v) { size.set(v.option, parse_spacing(v)); });
  table.value("--up", "N[,NY]", "by the exact factor N / D (default 1)",
              [&](Value v) { size.up = parse_factors(v); });
  table.value("--down", "D[,DY]", "by the exact factor N / D (default 1)",
              [&](Value v) { size.down = parse_factors(v); });
}

void add_geometry_options(OptionTable& table, ResizeRequest& resize) {
  table.group("Geometry");
  table.flag("--only-shrink", "images that would grow keep their size (default off)",
             [&] { resize.one_way = OneWay::only_shrink; });
  table.flag("--only-enlarge", "images that would shrink keep their size (default off)",
             [&] { resize.one_way = OneWay::only_enlarge; });
  table.value("--crop", "X,Y,W,H", "resizes this part only (default: all)",
              [&](Value v) { resize.crop = parse_crop(v); });
  table.value("--shift", "X,Y", "samples further right and down by input pixels (default 0,0)",
              [&](Value v) { resize.shift = parse_shift(v); });
}

void add_colour_options(OptionTable& table, ResizeRequest& resize) {
  table.group("Pixels");
  table.word("--alpha-mode", "M", "premultiplied, or straight: one more channel (default premultiplied)", resize.alpha_mode,
             {{"premultiplied", AlphaMode::premultiplied}, {"straight", AlphaMode::straight}});
  table.flag("--linear", "filter 8 and 16 bit sRGB codes as light (default off)",
             [&] { resize.linear = true; });
  table.value("--nodata", "V", "leave out samples equal to V, a number or nan (default: DICOM's padding, else none)",
              [&](Value v) {
                resize.nodata = parse_nodata(v);
                resize.nodata_of_file = false;
              },
              {"none", "nan"});
}

ResizeTarget chosen_target(SizeOptions& size) {
  if (size.up || size.down) {
    const Pair<std::int64_t> one{1, 1};
    size.set(size.up ? (size.down ? "--up with --down" : "--up") : "--down",
             ByFactors{size.up.value_or(one), size.down.value_or(one)});
  }
  if (size.given.empty()) {
    throw Error(ExitCode::usage,
                "resize: how big is not said; give one of --size, --fit, --cover, --fill, --letterbox, "
                "--scale, --spacing, --up, --down");
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
  OptionTable table("resize", "IN... -o OUT [options]",
                    "Resizes images: aligned, anti-aliased, constants stay exact.", examples);
  add_size_options(table, size);
  add_geometry_options(table, resize);
  add_tap_options(table, taps, "named filter, see below (default gaussian)");
  table.value("--border", "NAME", "zero, edge, reflect, mirror, wrap or constant:V (default edge)",
              [&](Value v) { request.spec.border = parse_border(v); }, border_words());
  add_colour_options(table, resize);
  add_convert_options(table, request);
  parse_convert_arguments(table, arguments, request);

  table.refuse_both("--only-shrink", "--only-enlarge");
  resize.target = chosen_target(size);
  if (auto filter = chosen_filter(taps)) request.spec.filter = std::move(*filter);
  request.spec.operation = std::move(resize);
  check_spec(request.spec);
  return request;
}

int run_resize(const std::vector<std::string>& arguments) {
  return run_conversion(parse_resize_arguments(arguments));
}

}  // namespace upfirdn::cli
