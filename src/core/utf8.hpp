#pragma once
/// Latin-1, in which PNG keeps most texts, and UTF-8.

#include <optional>
#include <string>
#include <string_view>

namespace upfirdn {

[[nodiscard]] inline std::string utf8_of_latin1(std::string_view text) {
  std::string result;
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x80) result += char(0xc0 | code >> 6);
    result += char(code < 0x80 ? code : 0x80 | (code & 0x3f));
  }
  return result;
}

[[nodiscard]] inline bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto code = static_cast<unsigned char>(text[i++]);
    int more = code < 0x80 ? 0 : code >= 0xc2 && code < 0xe0 ? 1 : code >= 0xe0 && code < 0xf0 ? 2 : code >= 0xf0 && code < 0xf5 ? 3 : -1;
    if (more < 0) return false;
    for (; more > 0; --more, ++i)
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return false;
  }
  return true;
}

/// Nothing if the text holds other characters.
[[nodiscard]] inline std::optional<std::string> latin1_of_utf8(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = static_cast<unsigned char>(text[i]);
    if (code < 0x80) {
      result += char(code);
      continue;
    }
    if ((code != 0xc2 && code != 0xc3) || i + 1 == text.size()) return std::nullopt;
    result += char((code & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3f));
  }
  return result;
}

}  // namespace upfirdn
