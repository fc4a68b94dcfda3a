#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/convert_options.hpp"
#include "cli/reporter.hpp"
#include "core/error.hpp"
#include "io/image_store.hpp"

namespace upfirdn::cli {
namespace {

/// Bits that a sample uses: those of maxval (12 in a file of maxval 4095), signed ones with their sign.
int used_bits(const ImageInfo& info) {
  if (is_float(info.type)) return int(8 * size_bytes(info.type));
  return std::bit_width(info.maxval) + (is_signed_integer(info.type) ? 1 : 0);
}

const char* alpha_word(Alpha alpha) {
  switch (alpha) {
    case Alpha::none:
      return "none";
    case Alpha::straight:
      return "straight";
    case Alpha::associated:
      return "associated";
  }
  throw std::logic_error("alpha out of range");
}

std::vector<std::string> kinds_of(const ImageReader& reader) {
  const auto metadata = reader.metadata();
  return metadata == nullptr ? std::vector<std::string>() : metadata->kinds();
}

void print_text(const std::string& file, const Format& format, const ImageReader& reader) {
  const ImageInfo& info = reader.info();
  std::string line =
      fmt::format("{}: {} {}x{}, {} channel{}, {}", file == "-" ? "standard input" : file, format.name,
                  info.width, info.height, info.channels, info.channels == 1 ? "" : "s", name(info.type));
  if (!is_float(info.type)) line += fmt::format(", maxval {} ({} bit)", info.maxval, used_bits(info));
  if (info.alpha != Alpha::none) line += fmt::format(", {} alpha", alpha_word(info.alpha));
  if (info.spacing)
    line += fmt::format(", {:.6g} x {:.6g} mm a pixel", to_double(info.spacing->x), to_double(info.spacing->y));
  if (reader.images() != 1) line += fmt::format(", {} images", reader.images());
  for (const std::string& kind : kinds_of(reader)) line += ", " + kind;
  fmt::print("{}\n", line);
}

void print_json(const std::string& file, const Format& format, const ImageReader& reader) {
  const ImageInfo& info = reader.info();
  nlohmann::ordered_json report{{"file", file},
                                      {"format", format.name},
                                      {"width", info.width},
                                      {"height", info.height},
                                      {"channels", info.channels},
                                      {"type", name(info.type)},
                                      {"maxval", info.maxval},
                                      {"bits", used_bits(info)},
                                      {"alpha", alpha_word(info.alpha)},
                                      {"images", reader.images()},
                                      {"metadata", kinds_of(reader)}};
  if (info.spacing) report["spacing_mm"] = {to_double(info.spacing->x), to_double(info.spacing->y)};
  fmt::print("{}\n", report.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

int run_info(const std::vector<std::string>& arguments) {
  bool json = false;
  CodecOptions codec;
  OptionTable table("info", "FILE... [options]", "Size, type and depth of image files.",
                    "Examples:\n  upfirdn info scan.png\n  upfirdn info --json *.tif");
  table.flag("--json", "print one JSON object a line and file (default: text)", [&] { json = true; });
  add_array_options(table, codec);
  const std::vector<std::string> files = table.parse(arguments);
  if (files.empty()) table.refuse("FILE: no file is named");
  ExitCode code = ExitCode::ok;
  for (const std::string& file : files) {
    try {
      const Format* format = nullptr;
      const auto reader = open_image(file, codec, &format);
      if (json)
        print_json(file, *format, *reader);
      else
        print_text(file, *format, *reader);
    } catch (const Error& error) {
      print_message(error.what());
      code = ExitCode::image_failed;
    }
  }
  return int(code);
}

}  // namespace upfirdn::cli
