#include "io/value_meaning.hpp"

#include <algorithm>
#include <cmath>

namespace upfirdn {

double looked_up(const LookupTable& table, double value) {
  if (value != value) return value;
  const double place = std::clamp(value - table.first, 0.0, double(table.entries.size() - 1));
  const auto index = std::size_t(place);
  const double part = place - double(index), low = table.entries[index];
  return part == 0 ? low : low + part * (table.entries[index + 1] - low);
}

double ValueMeaning::modality(double stored) const {
  return modality_table ? looked_up(*modality_table, stored) : stored * slope + intercept;
}

bool same_numbers(const ValueMeaning& a, const ValueMeaning& b) {
  return a.modality_table == b.modality_table && a.slope == b.slope && a.intercept == b.intercept && a.padding == b.padding;
}

double shown(const Window& window, double value) {
  const double w = window.width;
  switch (window.shape) {
    case Window::Shape::linear: {
      if (w <= 1) return value <= window.centre - 0.5 ? 0 : 1;
      const double part = (value - (window.centre - 0.5)) / (w - 1) + 0.5;
      return std::clamp(part, 0.0, 1.0);
    }
    case Window::Shape::linear_exact: return std::clamp((value - window.centre) / w + 0.5, 0.0, 1.0);
    case Window::Shape::sigmoid: return 1 / (1 + std::exp(-4 * (value - window.centre) / w));
  }
  return 0;
}

}  // namespace upfirdn
