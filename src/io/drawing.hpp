#pragma once
/// Pictures made of lines and words, written as SVG or PNG.

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace upfirdn {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};

/// In units of the drawing: x to the right, y down.
struct Point {
  double x = 0, y = 0;
};

struct Line {
  std::vector<Point> points;
  Colour colour;
  double width = 1;
  bool dashed = false;
};

struct Disc {
  Point centre;
  double radius = 1;
  Colour colour;
};

enum class Anchor { start, middle, end };

/// Words of ASCII that begin at, are centred on or end at `at`, on the base line.
struct Words {
  Point at;
  std::string text;
  double height = 13;  ///< of the font
  Anchor anchor = Anchor::start;
  Colour colour;
  bool upright = false;  ///< turned to read from bottom to top
};

/// Shapes on white, later ones over earlier ones.
struct Drawing {
  double width = 0, height = 0;
  std::vector<std::variant<Line, Disc, Words>> shapes;

  void add(const Line& line) { shapes.emplace_back(line); }
  void add(const Disc& disc) { shapes.emplace_back(disc); }
  void add(const Words& words) { shapes.emplace_back(words); }
};

/// The file for a path that ends in .svg, else a PNG of two pixels a unit. Throws Error(image_failed) if the PNG can't be made.
[[nodiscard]] std::string drawing_bytes(const Drawing& drawing, const std::string& path);
/// Throws Error(usage) naming `option` if `path` ends neither in .svg nor in .png.
void check_drawing_path(const std::string& path, const std::string& option);

}  // namespace upfirdn
