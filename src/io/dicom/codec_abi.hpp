#pragma once
/// The memory that the program and its helper `dicom-codec` share. GDCM is built with assertions and ends its process over
/// some damaged files, so it runs in a process of its own. Change the number with what is here.

#include <cstddef>
#include <cstdint>

namespace upfirdn::dicom {

inline constexpr std::uint32_t codec_abi = 1;

/// Descriptor of the memory in the helper.
inline constexpr int codec_descriptor = 3;

struct CodecExtent {
  std::uint64_t offset, size;
};

/// Begins the memory; `frames` extents of inputs and as many of outputs follow.
struct alignas(CodecExtent) CodecRequest {
  std::uint32_t abi;
  std::int32_t encode;             ///< else decode
  char transfer_syntax[72];
  std::int32_t columns, rows, samples;
  std::int32_t bits, is_signed;    ///< of the codestream; cells have 1 byte up to 8 bits, else 2; interleaved
  std::int32_t frames;
  std::int32_t done;               ///< set to 1 by the helper when all outputs are there (their sizes, where it encodes)
  char error[200];                 ///< one line, else
};

}  // namespace upfirdn::dicom
