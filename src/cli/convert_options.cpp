#include "cli/convert_options.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/values.hpp"
#include "core/error.hpp"

namespace upfirdn::cli {
namespace {

void add_epilogue_options(CLI::App& table, EpilogueRequest& epilogue) {
  const std::string group = "Bias and activation";
  add_value(table, "--bias", "B[,B...]", "added to every channel, or one number a channel (default 0)",
            [&](const std::string& text) { epilogue.bias = parse_numbers(text, "--bias"); })->group(group);
  add_value(table, "--act", "NAME", "activation: none, relu or lrelu (default none)", [&](const std::string& text) {
    epilogue.activation = parse_word<Activation>(
        text, "--act",
        {{"none", Activation::none}, {"relu", Activation::relu}, {"lrelu", Activation::lrelu}});
  })->group(group);
  add_value(table, "--slope,--alpha", "A", "slope of lrelu below 0 (default 0.2)",
            [&](const std::string& text) { epilogue.slope = parse_number(text, "--slope"); })->group(group);
  add_value(table, "--act-gain", "G", "factor after the activation, a number or sqrt2 (default 1)",
            [&](const std::string& text) { epilogue.activation_gain = parse_activation_gain(text, "--act-gain"); })
      ->group(group);
  add_value(table, "--clamp", "C", "limits values to -C ... C, last (default off)", [&](const std::string& text) {
    epilogue.clamp = parse_number(text, "--clamp");
    if (*epilogue.clamp < 0) bad_value("--clamp", text, "limit", "a number of at least 0");
  })->group(group);
  add_value(table, "--value-range", "NAME", "units of these: code (as stored), unit (0..1), signed (-1..1) (default code)",
            [&](const std::string& text) {
              epilogue.range = parse_word<ValueRange>(
                  text, "--value-range",
                  {{"code", ValueRange::code}, {"unit", ValueRange::unit}, {"signed", ValueRange::signed_unit}});
            })->group(group);
}

void add_pixel_options(CLI::App& table, ConvertRequest& request) {
  const std::string group = "Pixels";
  add_value(table, "--depth", "D", "of the output: same, 8, 16, f16 or f32; full scale maps to full scale (default same)",
            [&](const std::string& text) {
              request.spec.depth = parse_word<Depth>(text, "--depth",
                                                     {{"same", Depth::same},
                                                      {"8", Depth::bits8},
                                                      {"16", Depth::bits16},
                                                      {"f16", Depth::f16},
                                                      {"f32", Depth::f32}});
            })->group(group);
  add_value(table, "--quality", "Q", "of JPEG and WebP, 1 to 100 (default 92)", [&](const std::string& text) {
    request.run.codec.quality = int(parse_integer(text, "--quality", 1, 100));
  })->group(group);
  add_value(table, "--level", "N", "compression level of PNG and TIFF, 0 to 9 (default: the format's)",
            [&](const std::string& text) { request.run.codec.level = int(parse_integer(text, "--level", 0, 9)); })
      ->group(group);
  add_value(table, "--compression", "NAME", "of TIFF: none, lzw, deflate or packbits (default: the format's)",
            [&](const std::string& text) {
              request.run.codec.compression = parse_word<std::string>(
                  text, "--compression",
                  {{"none", "none"}, {"lzw", "lzw"}, {"deflate", "deflate"}, {"packbits", "packbits"}});
            })->group(group);
  add_value(table, "--max-pixels", "N", "refuses larger inputs and outputs (default 4294967296)",
            [&](const std::string& text) {
              request.spec.max_pixels = parse_integer(text, "--max-pixels", 1, std::int64_t(1) << 60);
            })->group(group);
}

void add_device_options(CLI::App& table, ConvertRequest& request) {
  const std::string group = "Where it runs";
  add_value(table, "--device", "D", "auto, cpu, cuda, cuda:N[,N...] or cuda:all (default auto)",
            [&](const std::string& text) {
              const DeviceChoice choice = parse_device(text, "--device");
              request.run.device = choice.device;
              request.run.cuda_ordinals = choice.ordinals;
              request.all_cuda_devices = choice.all;
            })->group(group);
  add_value(table, "--threads", "N", "CPU threads in all (default: one a core)", [&](const std::string& text) {
    request.run.threads = int(parse_integer(text, "--threads", 1, 4096));
  })->group(group);
  table.add_flag("--verify", request.run.verify, "run a second, independent way too and compare; a mismatch exits 4")
      ->group(group);
  add_value(table, "--cpu-target", "NAME", "force an instruction set, see 'upfirdn devices' (default: the best)",
            [&](const std::string& text) { request.cpu_target = text; })->group(group);
}

void add_file_options(CLI::App& table, ConvertRequest& request) {
  FileRequest& files = request.files;
  const std::string group = "Files";
  add_value(table, "-o,--output", "OUT", "a file, a folder (exists, or ends in '/'), or - for stdout (needed)",
            [&](const std::string& text) { files.output = text; })->group(group);
  add_value(table, "--format", "EXT", "format of the output, such as png (default: from OUT, or as the input)",
            [&](const std::string& text) { files.format = text; })->group(group);
  add_value(table, "--name", "TEMPLATE", "names in a folder, of {dir} {stem} {ext} {w} {h} {n} (default '{stem}.{ext}')",
            [&](const std::string& text) { files.name_template = text; })->group(group);
  table.add_flag("-r,--recursive", files.recursive, "descend into the folders below input folders (default off)")
      ->group(group);
  table.add_flag_callback("--overwrite", [&] { files.existing = Existing::overwrite; },
                          "replace outputs that exist (default: refuse before any work)")->group(group);
  table.add_flag_callback("--skip-existing", [&] { files.existing = Existing::skip; },
                          "leave out inputs whose output exists (default: refuse before any work)")->group(group);
}

void add_message_options(CLI::App& table, ConvertRequest& request) {
  const std::string group = "Messages";
  table.add_flag("-n,--dry-run", request.dry_run, "plan and print, write nothing")->group(group);
  table.add_flag_callback("-q,--quiet", [&] { request.verbosity = Verbosity::quiet; }, "errors only")->group(group);
  table.add_flag_callback("-v,--verbose", [&] { request.verbosity = Verbosity::verbose; },
                          "say what was done, and notes on how")->group(group);
}

void refuse_both(const CLI::App& table, const std::string& a, const std::string& b) {
  if (table.count(a) != 0 && table.count(b) != 0) {
    throw Error(ExitCode::usage, fmt::format("{} and {}: contradict each other; give one", a, b));
  }
}

}  // namespace

CLI::Option* add_value(CLI::App& table, const std::string& names, const std::string& value, const std::string& help,
                       std::function<void(const std::string&)> set) {
  return table.add_option_function<std::string>(names, std::move(set), help)->type_name(value);
}

void add_tap_options(CLI::App& table, TapOptions& taps, const std::string& kernel_help) {
  const std::string group = "Taps";
  add_value(table, "--filter", "NAME[:PARAMS]", kernel_help,
            [&](const std::string& text) { taps.kernel = parse_filter(text); })->group(group);
  add_value(table, "--taps", "T,T,...", "taps of both axes, such as 1,3,3,1",
            [&](const std::string& text) { taps.both = parse_taps(text, "--taps"); })->group(group);
  add_value(table, "--taps-file", "FILE", "taps from a text or .npy file, 1-D or a 2-D matrix",
            [&](const std::string& text) { taps.file = text; })->group(group);
  add_value(table, "--taps-x", "T,T,...", "taps along x (default with --taps-y: the single tap 1)",
            [&](const std::string& text) { taps.x = parse_taps(text, "--taps-x"); })->group(group);
  add_value(table, "--taps-y", "T,T,...", "taps along y (default with --taps-x: the single tap 1)",
            [&](const std::string& text) { taps.y = parse_taps(text, "--taps-y"); })->group(group);
}

std::optional<FilterChoice> chosen_filter(const TapOptions& taps) {
  std::vector<std::string> given;
  if (taps.kernel) given.push_back("--filter");
  if (taps.both) given.push_back("--taps");
  if (!taps.file.empty()) given.push_back("--taps-file");
  if (taps.x || taps.y) given.push_back(taps.x ? "--taps-x" : "--taps-y");
  if (given.size() > 1) {
    throw Error(ExitCode::usage, fmt::format("{}: several filters; give one", fmt::join(given, ", ")));
  }
  if (taps.kernel) return *taps.kernel;
  if (taps.both) return AxisTaps{*taps.both, *taps.both};
  if (!taps.file.empty()) {
    return std::visit([](auto&& read) { return FilterChoice(std::move(read)); }, read_taps_file(taps.file));
  }
  if (taps.x || taps.y) {
    const std::vector<double> single{1.0};
    return AxisTaps{taps.x.value_or(single), taps.y.value_or(single)};
  }
  return std::nullopt;
}

void add_array_options(CLI::App& table, CodecOptions& codec) {
  const std::string group = "Pixels";
  add_value(table, "--layout", "L", "dimensions of .npy: hwc, chw, nhwc or nchw (default hwc, 4-D nhwc)",
            [&](const std::string& text) {
              codec.layout = parse_word<ArrayLayout>(text, "--layout",
                                                     {{"hwc", ArrayLayout::hwc},
                                                      {"chw", ArrayLayout::chw},
                                                      {"nhwc", ArrayLayout::nhwc},
                                                      {"nchw", ArrayLayout::nchw}});
            })->group(group);
  add_value(table, "--alpha-channel", "last", "the last channel of .npy is alpha (default: no channel is)",
            [&](const std::string& text) {
              codec.array_alpha_last = parse_word<bool>(text, "--alpha-channel", {{"last", true}});
            })->group(group);
}

void add_convert_options(CLI::App& table, ConvertRequest& request) {
  add_epilogue_options(table, request.spec.epilogue);
  add_pixel_options(table, request);
  add_array_options(table, request.run.codec);
  add_device_options(table, request);
  add_file_options(table, request);
  add_message_options(table, request);
}

void parse_convert_arguments(CLI::App& table, const std::vector<std::string>& arguments, ConvertRequest& request) {
  request.files.inputs = parse_arguments(table, arguments);
  refuse_both(table, "--overwrite", "--skip-existing");
  refuse_both(table, "--quiet", "--verbose");
  const auto missing = [&](const std::string& what) {
    throw Error(ExitCode::usage, fmt::format("{}; see 'upfirdn {} --help'", what, table.get_name()));
  };
  if (request.files.inputs.empty()) missing("IN: no input named; name files or folders");
  if (request.files.output.empty()) missing("-o: no output named; add -o OUT");
}

}  // namespace upfirdn::cli
