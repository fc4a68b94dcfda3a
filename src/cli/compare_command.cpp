#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/compare.hpp"
#include "cli/commands.hpp"
#include "cli/convert_options.hpp"
#include "core/error.hpp"

namespace upfirdn::cli {
namespace {

std::string shape(const ImageInfo& info) {
  return fmt::format("{}x{}, {} channel{}, {}, maxval {}", info.width, info.height, info.channels,
                     info.channels == 1 ? "" : "s", name(info.type), info.maxval);
}

void print_text(const std::string& a, const std::string& b, const Comparison& result) {
  fmt::print("a: {}: {}\nb: {}: {}\n", a, shape(result.a), b, shape(result.b));
  if (!result.comparable) {
    fmt::print("not comparable: {}\n", result.obstacle);
    return;
  }
  fmt::print("largest difference: {}", result.largest);
  if (result.differing > 0) {
    fmt::print(" at x {}, y {}, channel {}", result.x, result.y, result.channel);
    if (result.images > 1) fmt::print(", image {}", result.image + 1);
  }
  fmt::print("\nrms difference: {}\npsnr: {} dB\ndiffering samples: {} of {}\n", result.rms, result.psnr_db,
             result.differing, result.samples);
}

/// JSON has no infinities: they are strings.
nlohmann::ordered_json number(double value) {
  if (std::isfinite(value)) return value;
  return fmt::format("{}", value);
}

nlohmann::ordered_json side(const std::string& file, const ImageInfo& info) {
  return {{"file", file},
          {"width", info.width},
          {"height", info.height},
          {"channels", info.channels},
          {"type", name(info.type)},
          {"maxval", info.maxval}};
}

void print_json(const std::string& a, const std::string& b, const Comparison& result) {
  nlohmann::ordered_json report{
      {"a", side(a, result.a)}, {"b", side(b, result.b)}, {"comparable", result.comparable}};
  if (result.comparable) {
    report["largest"] = number(result.largest);
    report["rms"] = number(result.rms);
    report["psnr_db"] = number(result.psnr_db);
    report["differing"] = result.differing;
    report["samples"] = result.samples;
    report["x"] = result.x;
    report["y"] = result.y;
    report["channel"] = result.channel;
    report["image"] = result.image;
  } else {
    report["obstacle"] = result.obstacle;
  }
  fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void check_files(const std::vector<std::string>& files, const std::string& heatmap) {
  if (files[0] == "-" && files[1] == "-") {
    throw Error(ExitCode::usage, "-: standard input is given twice; give it once");
  }
  for (const std::string& file : files) {
    std::error_code error;
    if (!heatmap.empty() && std::filesystem::equivalent(file, heatmap, error)) {
      throw Error(ExitCode::usage,
                  fmt::format("--heatmap: {} is one of the images; name another file", heatmap));
    }
  }
}

}  // namespace

int run_compare(const std::vector<std::string>& arguments) {
  std::optional<double> limit;
  std::string heatmap;
  bool json = false;
  CodecOptions codec;
  OptionTable table("compare", "A B [options]",
                    "How two images differ: the largest and the RMS difference, PSNR, and where.",
                    "Examples:\n  upfirdn compare a.png b.png\n"
                    "  upfirdn compare a.png b.png --max 1 --heatmap diff.png\n\n"
                    "Exits with 4 if size, channels or maxval differ, or a difference is above --max.");
  table.value("--max", "N", "exit with 4 if a difference is above N (default: no limit)",
              [&](const OptionValue& value) { limit = parse_magnitude(value); });
  table.file("--heatmap", "FILE", "draw the differences as a colour PNG (default: no picture)", heatmap);
  table.flag("--json", "print JSON (default: text)", [&] { json = true; });
  add_array_options(table, codec);
  const std::vector<std::string> files = table.parse(arguments);
  if (files.size() != 2) table.refuse(fmt::format("compare: {} files are named; name two", files.size()));
  check_files(files, heatmap);
  const Comparison result = compare_files(files[0], files[1], codec, heatmap);
  if (json)
    print_json(files[0], files[1], result);
  else
    print_text(files[0], files[1], result);
  const bool differ = !result.comparable || (limit && result.largest > *limit);
  return int(differ ? ExitCode::mismatch : ExitCode::ok);
}

}  // namespace upfirdn::cli
