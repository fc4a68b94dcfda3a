#include "cli/terminal_plot.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "filters/kernel.hpp"

namespace upfirdn::cli {
namespace {

int characters(const std::string& line) {
  int count = 0;
  for (const char c : line) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

Panel lanczos_panel() {
  return response_panel({{"lanczos3", prototype_taps(parse_filter("lanczos3"), 1, 4)}}, 1, 4);
}

TEST_CASE("a plot keeps to its columns and rows") {
  for (const bool unicode : {false, true})
    for (const int columns : {40, 78, 120}) {
      const std::vector<std::string> lines = plot_lines(lanczos_panel(), columns, 18, unicode);
      CHECK(lines.size() == 22);
      for (const std::string& line : lines) CHECK(characters(line) <= columns);
    }
}

TEST_CASE("a plot without Unicode is ASCII and shows curve, ticks and folding frequency") {
  std::string text;
  for (const std::string& line : plot_lines(lanczos_panel(), 78, 18, false)) text += line + "\n";
  for (const char c : text) REQUIRE((c == '\n' || (c >= ' ' && c <= '~')));
  for (const char* part : {"*", ":", "folding frequency 0.5", "gain in dB", "cycles per output pixel", "-40", "1.5"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("scales have ticks at multiples of their step") {
  CHECK(Scale{-0.3, 1, 0.25}.ticks() == std::vector<double>{-0.25, 0, 0.25, 0.5, 0.75, 1});
  CHECK(Scale{-0.3, 1, 0.25}.part(1) == 1);
}

}  // namespace
}  // namespace upfirdn::cli
