#include "io/drawing.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/error.hpp"
#include "io/imaging_module.hpp"

namespace upfirdn {
namespace {

std::string hex(const Colour& colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue); }

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') result += "&amp;";
    else if (c == '<') result += "&lt;";
    else if (c == '>') result += "&gt;";
    else result += c;
  }
  return result;
}

std::string svg(const Line& line) {
  std::string points;
  for (const Point& point : line.points) points += fmt::format("{}{:.2f},{:.2f}", points.empty() ? "" : " ", point.x, point.y);
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n", points, hex(line.colour),
                     line.width, line.dashed ? " stroke-dasharray=\"6 4\"" : " stroke-linejoin=\"round\"");
}

std::string svg(const Disc& disc) {
  return fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{}\" fill=\"{}\"/>\n", disc.centre.x, disc.centre.y, disc.radius,
                     hex(disc.colour));
}

std::string svg(const Words& words) {
  const char* anchor = words.anchor == Anchor::start ? "start" : words.anchor == Anchor::middle ? "middle" : "end";
  const std::string turn = words.upright ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", words.at.x, words.at.y) : "";
  return fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n", words.at.x,
                     words.at.y, words.height, anchor, hex(words.colour), turn, escaped(words.text));
}

std::string svg_text(const Drawing& drawing) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"DejaVu Sans, Arial, Helvetica, sans-serif\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      drawing.width, drawing.height);
  for (const auto& shape : drawing.shapes) text += std::visit([](const auto& s) { return svg(s); }, shape);
  return text + "</svg>\n";
}

}  // namespace

void check_drawing_path(const std::string& path, const std::string& option) {
  const std::string ending = std::filesystem::path(path).extension();
  if (ending != ".svg" && ending != ".png")
    throw Error(ExitCode::usage, fmt::format("{}: '{}' is neither .svg nor .png; name a file that ends in one of them", option, path));
}

std::string drawing_bytes(const Drawing& drawing, const std::string& path) {
  return std::filesystem::path(path).extension() == ".svg" ? svg_text(drawing) : drawing_png(drawing);
}

}  // namespace upfirdn
