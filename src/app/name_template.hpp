#pragma once
/// Names of outputs in a folder: '{stem}_{w}x{h}.{ext}'.

#include <cstdint>
#include <string>
#include <vector>

namespace upfirdn {

/// What the placeholders stand for.
struct NameParts {
  std::string dir;   ///< folder of the input; '/' becomes '_'
  std::string stem;  ///< name of the input without its extension
  std::string ext;   ///< extension of the output without its dot; empty drops the dot before it
  std::int64_t width = 0, height = 0;  ///< of the output
  std::int64_t number = 0;             ///< from 1
};

class NameTemplate {
 public:
  /// An empty text is '{stem}.{ext}'. Throws Error(usage) for an unknown placeholder, an open brace or a '/'.
  explicit NameTemplate(const std::string& text);

  [[nodiscard]] bool needs_size() const;
  /// The extension that the template spells out at its end, without the dot; empty if it has none or uses
  /// {ext}.
  [[nodiscard]] std::string literal_extension() const;
  /// Throws Error(usage) if no file can have the name.
  [[nodiscard]] std::string expand(const NameParts& parts) const;

 private:
  enum class Part { literal, dir, stem, ext, width, height, number };
  struct Piece {
    Part part;
    std::string text;
  };
  std::vector<Piece> pieces_;
};

}  // namespace upfirdn
