#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/filter_panels.hpp"

namespace upfirdn {
namespace {

// Wong, "Points of view: color blindness", Nature Methods 8, 441 (2011).
constexpr Colour curve_colours[] = {{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {230, 159, 0}, {86, 180, 233}};
constexpr Colour ink{40, 40, 40}, grid{224, 224, 224}, mark_colour{120, 120, 120};

constexpr double drawing_width = 860, left = 84, right = 24, title_height = 44;
constexpr double panel_height = 270, above = 16, below = 58;

const Colour& colour_of(std::size_t curve) { return curve_colours[curve % std::size(curve_colours)]; }

/// Where the numbers of a panel lie on the drawing.
struct Frame {
  const Panel& panel;
  double top;
  [[nodiscard]] double x(double value) const { return left + panel.x.part(value) * (drawing_width - left - right); }
  [[nodiscard]] double y(double value) const { return top + panel_height - panel.y.part(value) * panel_height; }
  [[nodiscard]] Point at(const Point& point) const { return {x(point.x), y(point.y)}; }
};

void draw_axes(Drawing& drawing, const Frame& frame) {
  const Panel& panel = frame.panel;
  const double bottom = frame.top + panel_height, end = drawing_width - right;
  for (const double tick : panel.x.ticks()) {
    drawing.add(Line{{{frame.x(tick), frame.top}, {frame.x(tick), bottom}}, grid, 1});
    drawing.add(Words{{frame.x(tick), bottom + 18}, fmt::format("{:.6g}", tick), 13, Anchor::middle, ink});
  }
  for (const double tick : panel.y.ticks()) {
    drawing.add(Line{{{left, frame.y(tick)}, {end, frame.y(tick)}}, grid, 1});
    drawing.add(Words{{left - 8, frame.y(tick) + 4.5}, fmt::format("{:.6g}", tick), 13, Anchor::end, ink});
  }
  drawing.add(
      Line{{{left, frame.top}, {end, frame.top}, {end, bottom}, {left, bottom}, {left, frame.top}}, ink, 1});
  drawing.add(Words{{(left + end) / 2, bottom + 42}, panel.x_title, 14, Anchor::middle, ink});
  drawing.add(Words{{24, frame.top + panel_height / 2}, panel.y_title, 14, Anchor::middle, ink, true});
}

void draw_mark(Drawing& drawing, const Frame& frame) {
  const Panel& panel = frame.panel;
  if (!panel.mark) return;
  const double x = frame.x(*panel.mark);
  drawing.add(Line{{{x, frame.top}, {x, frame.top + panel_height}}, mark_colour, 1.5, true});
  drawing.add(Words{{x + 6, frame.top + 17}, panel.mark_name, 13, Anchor::start, mark_colour});
}

void draw_curve(Drawing& drawing, const Frame& frame, const Curve& curve, const Colour& colour) {
  Line line{{}, colour, 2};
  for (const Point& point : curve.points) {
    if (!curve.dotted) {
      line.points.push_back(frame.at(point));
      continue;
    }
    drawing.add(Line{{{frame.x(point.x), frame.y(0)}, frame.at(point)}, colour, 1});
    drawing.add(Disc{frame.at(point), 3, colour});
  }
  if (!curve.dotted) drawing.add(line);
}

void draw_legend(Drawing& drawing, const Frame& frame) {
  double longest = 0;
  for (const Curve& curve : frame.panel.curves) longest = std::max(longest, double(curve.name.size()));
  const double x = drawing_width - right - 14 - 8 * longest - 30;
  for (std::size_t i = 0; i < frame.panel.curves.size(); ++i) {
    const double y = frame.top + 24 + 19 * double(i);
    drawing.add(Line{{{x, y - 4}, {x + 24, y - 4}}, colour_of(i), 3});
    drawing.add(Words{{x + 31, y}, frame.panel.curves[i].name, 13, Anchor::start, ink});
  }
}

}  // namespace

Drawing draw_panels(const std::string& title, const std::vector<Panel>& panels) {
  Drawing drawing{.width = drawing_width, .height = title_height + double(panels.size()) * (above + panel_height + below)};
  drawing.add(Words{{drawing_width / 2, 29}, title, 17, Anchor::middle, ink});
  double top = title_height;
  for (const Panel& panel : panels) {
    const Frame frame{panel, top + above};
    draw_axes(drawing, frame);
    draw_mark(drawing, frame);
    for (std::size_t i = 0; i < panel.curves.size(); ++i) draw_curve(drawing, frame, panel.curves[i], colour_of(i));
    if (panel.curves.size() > 1) draw_legend(drawing, frame);
    top += above + panel_height + below;
  }
  return drawing;
}

}  // namespace upfirdn
