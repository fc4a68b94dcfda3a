#include "cli/convert_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace upfirdn::cli {
namespace {

using Value = const OptionValue&;

/// Extensions of the formats that can be written.
std::vector<std::string> writable_extensions() {
  std::vector<std::string> extensions;
  for (const Format& format : formats())
    if (format.create) extensions.insert(extensions.end(), format.extensions.begin(), format.extensions.end());
  return extensions;
}

void add_epilogue_options(OptionTable& table, EpilogueRequest& epilogue) {
  table.group("Bias and activation");
  table.value("--bias", "B[,B...]", "added to every channel, or one number a channel (default 0)",
              [&](Value v) { epilogue.bias = parse_numbers(v); });
  table.word("--act", "NAME", "activation: none, relu or lrelu (default none)", epilogue.activation,
             {{"none", Activation::none}, {"relu", Activation::relu}, {"lrelu", Activation::lrelu}});
  table.value("--slope,--alpha", "A", "slope of lrelu below 0 (default 0.2)",
              [&](Value v) { epilogue.slope = parse_number(v); });
  table.value("--act-gain", "G", "factor after the activation, a number or sqrt2 (default 1)",
              [&](Value v) { epilogue.activation_gain = parse_activation_gain(v); }, {"sqrt2"});
  table.value("--clamp", "C", "limits values to -C ... C, last (default off)",
              [&](Value v) { epilogue.clamp = parse_magnitude(v); });
  table.word("--value-range", "NAME", "units: code (as stored), unit (0..1) or signed (-1..1) (default code)", epilogue.range,
             {{"code", ValueRange::code}, {"unit", ValueRange::unit}, {"signed", ValueRange::signed_unit}});
}

void add_pixel_options(OptionTable& table, ConvertRequest& request) {
  CodecOptions& codec = request.run.codec;
  table.group("Pixels");
  table.word("--depth", "D", "same, 8, 16, f16 or f32; full scale maps to full scale (default same)", request.spec.depth,
             {{"same", Depth::same}, {"8", Depth::bits8}, {"16", Depth::bits16}, {"f16", Depth::f16}, {"f32", Depth::f32}});
  table.value("--quality", "Q", "of JPEG and WebP, 1 to 100 (default 92)",
              [&](Value v) { codec.quality = int(parse_integer(v, 1, 100)); });
  table.word("--jpeg-shrink", "N", "1, 2, 4 or 8: a JPEG counts as an image of 1/N of its size, as which it decodes faster (default 1)",
             codec.jpeg_shrink, {{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}});
  table.value("--level", "N", "of PNG and of deflate in TIFF, 0 (stored) to 9 (smallest); default: PNG 2, TIFF as --compression",
              [&](Value v) { codec.level = int(parse_integer(v, 0, 9)); });
  table.word("--compression", "NAME",
             "of TIFF: none, lzw, deflate, packbits or zstd (default: the input's, else none); of EXR: none, rle, zips, zip, piz, "
             "pxr24, b44, b44a, dwaa or dwab (default: the input's if it is lossless, else zip)",
             codec.compression,
             {"none", "lzw", "deflate", "packbits", "zstd", "rle", "zips", "zip", "piz", "pxr24", "b44", "b44a", "dwaa", "dwab"});
  table.value("--page", "N|all", "the N-th image of a file, or all (default all where the output format holds them, else 1)",
              [&](Value v) {
                if (v.text == "all") request.run.every_page = true;
                else request.run.page = parse_integer(v, 1, std::int64_t(1) << 32);
              },
              {"all"});
  table.word("--transfer-syntax", "NAME", "of DICOM: explicit, jpeg-ls, jpeg2000 or rle (default explicit)", codec.transfer_syntax,
             {"explicit", "jpeg-ls", "jpeg2000", "rle"});
  table.flag("--strip", "write no metadata: no profile, EXIF, XMP, texts, resolution (default: all that the format holds)", [&] { codec.strip = true; });
  table.word("--dpi", "M", "scale: the resolution follows the new size; keep: it stays (default scale)", codec.keep_dpi,
             {{"scale", false}, {"keep", true}});
  table.value("--max-pixels", "N", "refuses larger inputs and outputs (default 4294967296)",
              [&](Value v) { request.spec.max_pixels = parse_integer(v, 1, std::int64_t(1) << 60); });
}

void add_value_options(OptionTable& table, ValueRequest& values) {
  table.group("X-ray");
  table.value("--window", "W", "show none, dicom (the file's window), C,W, auto or percentile:a,b on full scale (default none)",
              [&](Value v) { set_window(v, values); }, {"none", "dicom", "auto", "percentile:"});
  table.flag("--rescale", "write numbers of the modality (Hounsfield units) as floats (default: stored numbers)",
             [&] { values.rescale = true; });
  table.flag("--invert-monochrome1", "invert images in which low numbers are white (default: stored numbers)",
             [&] { values.invert_low_is_white = true; });
}

void add_device_options(OptionTable& table, ConvertRequest& request) {
  table.group("Where it runs");
  table.value("--device", "D", "auto, cpu, cuda, cuda:N[,N...] or cuda:all (default auto)", [&](Value v) {
    const DeviceChoice choice = parse_device(v);
    request.run.device = choice.device;
    request.run.cuda_ordinals = choice.ordinals;
    request.all_cuda_devices = choice.all;
  }, {"auto", "cpu", "cuda", "cuda:all"});
  table.value("-j,--jobs", "N", "images under way at once (default: two a thread, with --device cuda one, but 4 a device)",
              [&](Value v) { request.run.images_in_flight = int(parse_integer(v, 1, 1024)); });
  table.value("--memory", "SIZE", "what images under way at once may take together: 800M, 4G (default: half of the machine's memory)",
              [&](Value v) { request.run.memory_bytes = parse_bytes(v); });
  table.value("--threads", "N", "CPU threads in all (default: one a core)",
              [&](Value v) { request.run.threads = int(parse_integer(v, 1, 4096)); });
  table.flag("--verify", "run a second, independent way too and compare; a mismatch exits 4 (default off)",
             [&] { request.run.verify = true; });
  table.value("--cpu-target", "NAME", "force an instruction set of 'upfirdn devices' (default: the best)",
              [&](Value v) { request.cpu_target = v.text; });
}

void add_file_options(OptionTable& table, ConvertRequest& request) {
  FileRequest& files = request.files;
  table.group("Files");
  table.file("-o,--output", "OUT", "a file, a folder (exists, or ends in '/'), or - for stdout (needed, or --in-place)", files.output);
  table.value("--format", "EXT", "format of the output, such as png (default: from OUT, or as the input)",
              [&](Value v) { files.format = v.text; }, writable_extensions());
  table.value("--name", "TEMPLATE",
              "names in a folder, of {dir} {stem} {ext} {w} {h} {n} (default '{stem}.{ext}')",
              [&](Value v) { files.name_template = v.text; });
  table.flag("-r,--recursive", "descend into the folders below input folders (default off)",
             [&] { files.recursive = true; });
  table.file("--files-from", "F|-", "more inputs: one name a line of this file (default none)", files.list);
  table.flag("-0,--null", "names in --files-from and --failed end in NUL, not in a newline (default off)",
             [&] { files.null_separated = request.reports.null_separated = true; });
  table.value("--shard", "I/N", "only the I-th of N stable parts of the inputs (default 1/1)", [&](Value v) { files.shard = parse_shard(v); });
}

void add_replacement_options(OptionTable& table, ConvertRequest& request) {
  FileRequest& files = request.files;
  table.group("Outputs that exist (default: refuse before any work)");
  table.flag("--overwrite", "replace them", [&] { files.existing = Existing::overwrite; });
  table.flag("--skip-existing", "leave out their inputs", [&] { files.existing = Existing::skip; });
  table.flag("--update", "replace those that are older than their input, leave out the others", [&] { files.existing = Existing::update; });
  table.flag("--in-place", "replace the inputs themselves; instead of -o", [] {});
  table.file("--journal", "F", "with --in-place: writes down what is done, and a run after a kill goes on from there", request.journal);
  table.flag("--keep-times", "outputs take the modification time of their input (default: now)", [&] { request.run.keep_times = true; });
}

void add_report_options(OptionTable& table, ConvertRequest& request) {
  ReportRequest& reports = request.reports;
  table.group("Messages and reports");
  table.flag("-n,--dry-run", "plan and print, write nothing (default off)", [&] { request.dry_run = true; });
  table.flag("-q,--quiet", "errors only (default: warnings too)",
             [&] { reports.verbosity = Verbosity::quiet; });
  table.flag("-v,--verbose", "say what was done and how (default: warnings and errors)",
             [&] { reports.verbosity = Verbosity::verbose; });
  table.word("--progress", "M", "a line with images/s, MB/s and time left: auto (on a terminal), always or never (default auto)",
             reports.progress, {{"auto", ProgressMode::automatic}, {"always", ProgressMode::always}, {"never", ProgressMode::never}});
  table.file("--report", "F|-", "one JSON object a line for each image (default none)", reports.report);
  table.file("--failed", "F", "the inputs that failed, ready for --files-from (default none)", reports.failed);
  table.flag("--fail-fast", "begin no image after one failed (default: go on)", [&] { request.run.fail_fast = true; });
}

}  // namespace

void add_tap_options(OptionTable& table, TapOptions& taps, const std::string& kernel_help) {
  table.note(filter_help() + "\n");
  table.group("Taps");
  table.value("--filter", "NAME[:PARAMS]", kernel_help + "; '?' lists them", [&](Value v) {
    if (v.text.ends_with('?')) throw HelpRequest{filter_help(v.text.substr(0, v.text.find_first_of(":?")))};
    taps.kernel = parse_filter(v.text);
  }, filter_words());
  table.value("--taps", "T,T,...", "taps of both axes, such as 1,3,3,1",
              [&](Value v) { taps.both = parse_taps(v.text, v.option); });
  table.file("--taps-file", "FILE", "taps from a text or .npy file, 1-D or a 2-D matrix", taps.file);
  table.value("--taps-x", "T,T,...", "taps along x (default with --taps-y: the single tap 1)",
              [&](Value v) { taps.x = parse_taps(v.text, v.option); });
  table.value("--taps-y", "T,T,...", "taps along y (default with --taps-x: the single tap 1)",
              [&](Value v) { taps.y = parse_taps(v.text, v.option); });
}

std::string filter_help(std::string_view name) {
  return fmt::format("Filters:\n  {}\n", fmt::join(describe_filters(name), "\n  "));
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
    return std::visit([](const auto& read) { return FilterChoice(read); }, read_taps_file(taps.file));
  }
  if (taps.x || taps.y) {
    const std::vector<double> single{1.0};
    return AxisTaps{taps.x.value_or(single), taps.y.value_or(single)};
  }
  return std::nullopt;
}

void add_array_options(OptionTable& table, CodecOptions& codec) {
  table.group("Pixels");
  table.word("--layout", "L", "dimensions of .npy: hwc, chw, nhwc or nchw (default hwc, 4-D nhwc)", codec.layout,
             {{"hwc", ArrayLayout::hwc}, {"chw", ArrayLayout::chw}, {"nhwc", ArrayLayout::nhwc}, {"nchw", ArrayLayout::nchw}});
  table.word("--alpha-channel", "last", "the last channel of .npy is alpha (default: no channel is)", codec.array_alpha_last, {{"last", true}});
}

void add_convert_options(OptionTable& table, ConvertRequest& request) {
  add_epilogue_options(table, request.spec.epilogue);
  add_pixel_options(table, request);
  add_array_options(table, request.run.codec);
  add_value_options(table, request.run.values);
  add_device_options(table, request);
  add_file_options(table, request);
  add_replacement_options(table, request);
  add_report_options(table, request);
}

void parse_convert_arguments(OptionTable& table, const std::vector<std::string>& arguments,
                             ConvertRequest& request) {
  request.files.inputs = table.parse(arguments);
  const bool in_place = table.given("--in-place");
  for (const auto& [a, b] : {std::pair("--overwrite", "--skip-existing"), {"--overwrite", "--update"}, {"--skip-existing", "--update"},
                             {"--in-place", "--output"}, {"--in-place", "--name"}, {"--in-place", "--format"}, {"--in-place", "--overwrite"},
                             {"--in-place", "--skip-existing"}, {"--in-place", "--update"}, {"--quiet", "--verbose"}, {"--window", "--rescale"}})
    table.refuse_both(a, b);
  if (table.given("--journal") && !in_place) table.refuse("--journal: goes with --in-place; elsewhere --skip-existing and --update do its work");
  if (request.files.inputs.empty() && request.files.list.empty()) table.refuse("IN: no input is named; name files or folders");
  if (request.files.output.empty() && !in_place) table.refuse("-o: no output is named; add -o OUT");
  if (request.files.output == "-" && request.reports.report == "-") table.refuse("--report -: standard output is the image's (-o -); name a file");
  const auto& inputs = request.files.inputs;
  if (request.files.list == "-" && std::find(inputs.begin(), inputs.end(), "-") != inputs.end())
    table.refuse("-: standard input is the list of --files-from; name a file");
}

}  // namespace upfirdn::cli
