#pragma once
/// The chain of main directories of a TIFF.

#include <cstdint>
#include <vector>

#include "io/codec.hpp"

namespace upfirdn {

/// Offsets of the directories of the main chain, in order; sub-directories are not pages. A chain that comes
/// back to one of its directories ends there. Throws Error(image_failed) if a directory lies beyond the end
/// of the file.
[[nodiscard]] std::vector<std::uint64_t> tiff_pages(const ByteSource& source);

}  // namespace upfirdn
