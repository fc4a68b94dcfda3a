#pragma once
/// Runs the helper `dicom-codec` (GDCM) in a process of its own.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upfirdn::dicom {

/// Frames of one kind.
struct CodecFrames {
  std::string transfer_syntax;
  std::int64_t columns = 0, rows = 0;
  int samples = 1;
  int bits = 8;            ///< of a sample; colours interleaved
  bool is_signed = false;

  /// 1 up to 8 bits, 2 up to 16, else 4 (which only RLE packs).
  [[nodiscard]] int cell_bytes() const { return bits <= 8 ? 1 : bits <= 16 ? 2 : 4; }
  [[nodiscard]] std::size_t frame_bytes() const { return std::size_t(columns) * std::size_t(rows) * std::size_t(samples) * std::size_t(cell_bytes()); }
};

/// Decodes frames, one after the other into one buffer. Throws Error(image_failed) naming `name`: damaged, or the helper
/// can't be run.
[[nodiscard]] std::vector<std::byte> decode_frames(const CodecFrames& kind, const std::vector<std::vector<std::byte>>& codestreams,
                                                   const std::string& name);
/// Encodes the frames that lie one after the other in `cells`.
[[nodiscard]] std::vector<std::vector<std::byte>> encode_frames(const CodecFrames& kind, std::span<const std::byte> cells,
                                                                const std::string& name);

}  // namespace upfirdn::dicom
