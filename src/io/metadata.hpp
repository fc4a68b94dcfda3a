#pragma once
/// What a file tells beside its samples, on its way from a reader to a writer.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/image.hpp"
#include "io/value_meaning.hpp"

namespace upfirdn {

/// Whatever a format has to say of its file. Each codec derives its own; a writer takes what its format can hold from the
/// kinds that it knows.
class Metadata {
 public:
  virtual ~Metadata() = default;
  /// What the stored numbers stand for; null if the file does not tell.
  [[nodiscard]] virtual const ValueMeaning* meaning() const { return nullptr; }
  /// What else it holds, for people: "ICC profile (RGB)", "EXIF".
  [[nodiscard]] virtual std::vector<std::string> kinds() const { return {}; }
};

/// Where the images of an output come from.
struct Origin {
  std::shared_ptr<const Metadata> metadata;  ///< of the input; null: it had none
  ImageInfo input;                    ///< the images of the input
  Placement x, y;                     ///< of the output's pixels on the input
  std::optional<std::int64_t> page;   ///< the only image that was taken, from 1
  std::string request;                ///< what was asked for, the same for all images of a run
  bool low_is_white = false;          ///< low samples of the output are white (MONOCHROME1 as it is stored)
};

}  // namespace upfirdn
