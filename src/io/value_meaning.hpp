#pragma once
/// What the stored numbers of a gray image stand for, where its file tells (DICOM).

#include <cstdint>
#include <optional>
#include <vector>

namespace upfirdn {

/// Output for input first, first + 1, ...; inputs between two of them lie on the line between their outputs, those beyond
/// the ends take the first and the last.
struct LookupTable {
  double first = 0;
  std::vector<std::uint16_t> entries;
  double full_scale = 65535;

  bool operator==(const LookupTable&) const = default;
};

/// Which values are shown between black and white (PS3.3 C.11.2).
struct Window {
  enum class Shape : std::uint8_t { linear, linear_exact, sigmoid };
  double centre = 0, width = 1;
  Shape shape = Shape::linear;
};

/// From stored numbers to those of the modality (Hounsfield units), and to what is shown.
struct ValueMeaning {
  bool low_is_white = false;  ///< MONOCHROME1
  std::optional<LookupTable> modality_table;  ///< instead of slope and intercept
  double slope = 1, intercept = 0;
  std::optional<LookupTable> display_table;
  std::optional<Window> window;  ///< the first
  /// Stored values that are no samples.
  struct Padding {
    double value;     ///< the usual one
    double from, to;  ///< all of them

    bool operator==(const Padding&) const = default;
  };
  std::optional<Padding> padding;

  /// The number of the modality.
  [[nodiscard]] double modality(double stored) const;
};

/// Both take the same stored values for padding and the others for the same numbers of the modality.
[[nodiscard]] bool same_numbers(const ValueMeaning& a, const ValueMeaning& b);

/// Position between black, 0, and white, 1, of a number of the modality.
[[nodiscard]] double shown(const Window& window, double value);
[[nodiscard]] double looked_up(const LookupTable& table, double value);

}  // namespace upfirdn
