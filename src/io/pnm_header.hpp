#pragma once
/// Headers of the Netpbm formats.

#include <cstdint>

#include "core/error.hpp"
#include "core/image.hpp"
#include "io/byte_files.hpp"

namespace upfirdn {

enum class PnmSamples {
  ascii,       ///< P2, P3: decimal numbers
  ascii_bits,  ///< P1: '0' and '1', 1 is black
  bits,        ///< P4: eight pixels a byte, 1 is black
  bytes,       ///< P5, P6, P7: one byte a sample, or two (big-endian) if the maxval exceeds 255
};

struct PnmHeader {
  ImageInfo info;
  PnmSamples samples = PnmSamples::bytes;
  bool expand_bits = false;  ///< samples 0 and 1 become 0 and 255 (black-and-white PAM)
  std::uint64_t data_offset = 0;
  std::uint64_t end_offset = 0;  ///< behind the samples; 0 in ASCII files, which hold one image
};

/// Reads the header of the P1 to P7 image that begins at `offset`, and checks that the file is long enough for what it declares, so that
/// nothing is allocated for a size that can't be there. Throws Error(image_failed).
[[nodiscard]] PnmHeader read_pnm_header(const ByteSource& source, std::uint64_t offset = 0);

/// True if another image follows at once, as Netpbm's programs write them in streams.
[[nodiscard]] bool pnm_follows(const ByteSource& source, const PnmHeader& header);

/// Reads a decimal number up to `limit` after white space and comments; leaves the byte that ends it, a
/// comment counting as its line end, in `delimiter` (-1: end of file). Throws Error(image_failed) naming
/// `what`.
[[nodiscard]] std::uint32_t read_pnm_number(ForwardReader& reader, std::uint32_t limit, const char* what,
                                            const std::string& name, int& delimiter);

[[nodiscard]] bool is_pnm_space(int byte);

/// A file that is shorter than its header says.
[[nodiscard]] Error pnm_cut_short(const std::string& name, std::uint64_t present, const std::string& needed);

}  // namespace upfirdn
