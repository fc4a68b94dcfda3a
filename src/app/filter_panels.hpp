#pragma once
/// What a plot of filters shows, as numbers: impulse response and frequency response. Drawn by panel_drawing (SVG, PNG) and on
/// the terminal.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/drawing.hpp"

namespace upfirdn {

/// An axis from `low` to `high` with ticks at the multiples of `step`.
struct Scale {
  double low = 0, high = 1, step = 0.1;
  /// 0 at `low`, 1 at `high`.
  [[nodiscard]] double part(double value) const { return (value - low) / (high - low); }
  [[nodiscard]] std::vector<double> ticks() const;
};

struct Curve {
  std::string name;
  std::vector<Point> points;  ///< in the units of the scales
  bool dotted = false;        ///< each point is a sample: shown as a stem with a dot
};

struct Panel {
  std::string x_title, y_title;
  Scale x, y;
  std::vector<Curve> curves;
  std::optional<double> mark;  ///< an x to point out
  std::string mark_name;
};

struct NamedTaps {
  std::string name;
  std::vector<double> taps;
};

/// Taps over their distance from the middle in pixels of the coarser image.
[[nodiscard]] Panel impulse_panel(const std::vector<NamedTaps>& filters, std::int64_t up, std::int64_t down);
/// Gain in dB over frequency in cycles per pixel of the coarser image, to at most 4; the folding frequency is marked.
[[nodiscard]] Panel response_panel(const std::vector<NamedTaps>& filters, std::int64_t up, std::int64_t down);

/// Panels one below the other under a title.
[[nodiscard]] Drawing draw_panels(const std::string& title, const std::vector<Panel>& panels);

}  // namespace upfirdn
