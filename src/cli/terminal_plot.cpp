#include "cli/terminal_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace upfirdn::cli {
namespace {

constexpr int label_columns = 7;

/// Dots of a field of characters; a character of Braille holds 2 x 4 of them, one of ASCII a single one.
class Dots {
 public:
  Dots(int columns, int rows, bool unicode)
      : columns_(columns), rows_(rows), unicode_(unicode), cells_(std::size_t(columns * rows), 0) {}
  [[nodiscard]] int width() const { return columns_ * (unicode_ ? 2 : 1); }
  [[nodiscard]] int height() const { return rows_ * (unicode_ ? 4 : 1); }

  void set(int x, int y) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    // Bit of a dot within its cell, U+2800 + bits.
    static constexpr unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (unicode_) cells_[std::size_t(y / 4 * columns_ + x / 2)] |= bits[y % 4][x % 2];
    else cells_[std::size_t(y * columns_ + x)] = 1;
  }
  [[nodiscard]] std::string row(int y, int marked_column) const {
    std::string text;
    for (int x = 0; x < columns_; ++x) {
      const unsigned cell = cells_[std::size_t(y * columns_ + x)];
      if (cell == 0) text += x != marked_column ? " " : unicode_ ? "┊" : ":";
      else if (unicode_) text += {char(0xE2), char(0xA0 | cell >> 6), char(0x80 | (cell & 63))};
      else text += '*';
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

 private:
  int columns_, rows_;
  bool unicode_;
  std::vector<unsigned char> cells_;
};

/// Connects the points column by column of dots.
void draw(Dots& dots, const Panel& panel, const Curve& curve) {
  const auto x = [&](const Point& p) { return panel.x.part(p.x) * (dots.width() - 1); };
  const auto y = [&](const Point& p) { return (1 - panel.y.part(p.y)) * (dots.height() - 1); };
  for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
    const Point a{x(curve.points[i]), y(curve.points[i])}, b{x(curve.points[i + 1]), y(curve.points[i + 1])};
    const int steps = std::max(1, int(std::ceil(std::max(std::abs(b.x - a.x), std::abs(b.y - a.y)))));
    for (int s = 0; s <= steps; ++s) {
      const double part = double(s) / steps;
      dots.set(int(std::lround(a.x + (b.x - a.x) * part)), int(std::lround(a.y + (b.y - a.y) * part)));
    }
  }
}

void put(std::string& line, int at, const std::string& text) {
  if (at < 0 || at + int(text.size()) > int(line.size())) return;
  line.replace(std::size_t(at), text.size(), text);
}

}  // namespace

std::vector<std::string> plot_lines(const Panel& panel, int columns, int rows, bool unicode) {
  const int width = columns - label_columns - 1;
  Dots dots(width, rows, unicode);
  for (const Curve& curve : panel.curves) draw(dots, panel, curve);
  const auto column_of = [&](double x) { return int(std::lround(panel.x.part(x) * (width - 1))); };
  std::vector<std::string> labels(std::size_t(rows), std::string(label_columns, ' '));
  for (const double tick : panel.y.ticks()) {
    const auto row = std::size_t(std::lround((1 - panel.y.part(tick)) * (rows - 1)));
    labels[row] = fmt::format("{:>{}.4g} ", tick, label_columns - 1);
  }
  std::vector<std::string> lines{panel.y_title + (panel.mark ? fmt::format(" ({}: {})", unicode ? "┊" : ":", panel.mark_name) : "")};
  for (int row = 0; row < rows; ++row)
    lines.push_back(labels[std::size_t(row)] + (unicode ? "│" : "|") + dots.row(row, panel.mark ? column_of(*panel.mark) : -1));
  std::string rule, ticks(std::size_t(columns), ' ');
  std::vector<bool> ticked(std::size_t(width), false);
  for (const double tick : panel.x.ticks()) {
    const std::string text = fmt::format("{:.4g}", tick);
    ticked[std::size_t(column_of(tick))] = true;
    put(ticks, std::min(label_columns + 1 + column_of(tick) - int(text.size()) / 2, columns - int(text.size())), text);
  }
  for (const bool tick : ticked) rule += unicode ? (tick ? "┴" : "─") : (tick ? "+" : "-");
  lines.push_back(std::string(label_columns, ' ') + (unicode ? "└" : "+") + rule);
  lines.push_back(ticks);
  lines.push_back(fmt::format("{:>{}}", panel.x_title, columns));
  return lines;
}

bool terminal_has_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale(value);
    std::transform(locale.begin(), locale.end(), locale.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace upfirdn::cli
