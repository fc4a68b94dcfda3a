#pragma once
/// A panel drawn with characters.

#include <string>
#include <vector>

#include "app/filter_panels.hpp"

namespace upfirdn::cli {

/// Lines of at most `columns` characters: the plot (dots of Braille cells, or '*' without Unicode), ticks and titles.
[[nodiscard]] std::vector<std::string> plot_lines(const Panel& panel, int columns, int rows, bool unicode);
/// True if the locale of the environment is in UTF-8.
[[nodiscard]] bool terminal_has_unicode();

}  // namespace upfirdn::cli
