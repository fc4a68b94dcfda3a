#pragma once
/// What the header of a compressed frame says of itself. GDCM asserts that it agrees with the data set, so it is compared
/// before GDCM sees it.

#include <cstdint>
#include <optional>
#include <span>

namespace upfirdn::dicom {

struct Codestream {
  std::int64_t columns = 0, rows = 0;
  int samples = 0;
  int bits = 0;
  bool is_signed = false;
  /// Colours are stored as luma and chroma, and a decoder that leaves components alone gives them so; nullopt: not said.
  std::optional<bool> is_ybr;
  friend bool operator==(const Codestream&, const Codestream&) = default;
};

/// JPEG (all processes) and JPEG-LS; nullopt if it is none or damaged.
[[nodiscard]] std::optional<Codestream> read_jpeg_header(std::span<const std::byte> bytes);
/// JPEG 2000 codestreams, with or without the boxes of a file around them.
[[nodiscard]] std::optional<Codestream> read_jpeg2000_header(std::span<const std::byte> bytes);

}  // namespace upfirdn::dicom
