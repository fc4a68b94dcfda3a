#pragma once
/// The chain of main directories of a TIFF, read without libtiff, which passes over what is missing.

#include <cstdint>
#include <vector>

#include "io/codec.hpp"

namespace upfirdn {

/// Offsets of the directories of the main chain, in order; sub-directories are not pages. A chain that comes
/// back to one of its directories ends there. Throws Error(image_failed) if a directory lies beyond the end
/// of the file.
[[nodiscard]] std::vector<std::uint64_t> tiff_pages(const ByteSource& source);

/// Throws Error(image_failed) if the value of a tag of the directory at `page` lies beyond the end of the
/// file.
void check_tiff_tags(const ByteSource& source, std::uint64_t page);

}  // namespace upfirdn
