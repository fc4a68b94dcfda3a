#include "app/name_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.hpp"

namespace upfirdn {
namespace {

[[noreturn]] void refuse_template(const std::string& fault) { refuse("--name: " + fault); }

/// "a/b" becomes "a_b"; "." and a leading '/' vanish.
std::string flat(const std::string& folder) {
  if (folder == ".") return "";
  std::string name = folder.substr(std::min(folder.find_first_not_of('/'), folder.size()));
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

}  // namespace

NameTemplate::NameTemplate(const std::string& text) {
  static const std::array<std::pair<std::string_view, Part>, 6> placeholders{{{"dir", Part::dir},
                                                                              {"stem", Part::stem},
                                                                              {"ext", Part::ext},
                                                                              {"w", Part::width},
                                                                              {"h", Part::height},
                                                                              {"n", Part::number}}};
  const std::string rest = text.empty() ? "{stem}.{ext}" : text;
  if (rest.find('/') != std::string::npos) refuse_template("'/' can't be part of a name; give the folder with -o");
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t open = std::min(rest.find_first_of("{}", at), rest.size());
    if (open > at) pieces_.push_back({Part::literal, rest.substr(at, open - at)});
    if (open == rest.size()) break;
    const std::size_t close = rest.find('}', open + 1);
    const std::string word = rest.substr(open + 1, close == std::string::npos ? close : close - open - 1);
    const auto found = std::find_if(placeholders.begin(), placeholders.end(),
                                    [&](const auto& placeholder) { return placeholder.first == word; });
    if (rest[open] == '}' || close == std::string::npos || found == placeholders.end()) {
      refuse_template(fmt::format("'{}' holds an unknown placeholder; use {{dir}} {{stem}} {{ext}} {{w}} {{h}} {{n}}",
                         text));
    }
    pieces_.push_back({found->second, ""});
    at = close + 1;
  }
}

bool NameTemplate::needs_size() const {
  return std::any_of(pieces_.begin(), pieces_.end(), [](const Piece& piece) {
    return piece.part == Part::width || piece.part == Part::height;
  });
}

std::string NameTemplate::literal_extension() const {
  const Piece& last = pieces_.back();
  const std::size_t dot = last.text.rfind('.');
  const bool at_start = pieces_.size() == 1 && dot == 0;  // ".png" is a name without extension
  return last.part != Part::literal || dot == std::string::npos || at_start ? "" : last.text.substr(dot + 1);
}

std::string NameTemplate::expand(const NameParts& parts) const {
  std::string name;
  for (const Piece& piece : pieces_) {
    switch (piece.part) {
      case Part::literal:
        name += piece.text;
        break;
      case Part::dir:
        name += flat(parts.dir);
        break;
      case Part::stem:
        name += parts.stem;
        break;
      case Part::width:
        name += std::to_string(parts.width);
        break;
      case Part::height:
        name += std::to_string(parts.height);
        break;
      case Part::number:
        name += std::to_string(parts.number);
        break;
      case Part::ext:
        if (parts.ext.empty() && name.ends_with('.')) name.pop_back();
        name += parts.ext;
        break;
    }
  }
  if (name.empty() || name == "." || name == "..")
    refuse_template(fmt::format("'{}' is no file name; add {{stem}}", name));
  return name;
}

}  // namespace upfirdn
