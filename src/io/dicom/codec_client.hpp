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
  int bits = 8;            ///< cells have 1 byte up to 8 bits, else 2; colours interleaved
  bool is_signed = false;

  [[nodiscard]] std::size_t frame_bytes() const { return std::size_t(columns) * std::size_t(rows) * std::size_t(samples) * (bits <= 8 ? 1 : 2); }
};

/// Decodes frames, one after the other into one buffer. Throws Error(image_failed) naming `name`: damaged, or the helper
/// can't be run.
[[nodiscard]] std::vector<std::byte> decode_frames(const CodecFrames& kind, const std::vector<std::vector<std::byte>>& codestreams,
                                                   const std::string& name);
/// Encodes the frames that lie one after the other in `cells`.
[[nodiscard]] std::vector<std::vector<std::byte>> encode_frames(const CodecFrames& kind, std::span<const std::byte> cells,
                                                                const std::string& name);

}  // namespace upfirdn::dicom
