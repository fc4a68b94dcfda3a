#pragma once
/// The RLE transfer syntax (PS3.5 annex G): each byte of each sample is a plane of its own, packed as in PackBits.

#include <cstddef>
#include <span>
#include <vector>

namespace upfirdn::dicom {

/// Decodes a frame into interleaved cells of `cell_bytes`, native byte order; false if it is damaged or cut short.
[[nodiscard]] bool decode_rle(std::span<const std::byte> bytes, int samples, int cell_bytes, std::span<std::byte> cells);

/// Encodes a frame of `columns` pixels a row.
[[nodiscard]] std::vector<std::byte> encode_rle(std::span<const std::byte> cells, std::size_t columns, int samples, int cell_bytes);

}  // namespace upfirdn::dicom
