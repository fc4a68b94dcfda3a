#pragma once
/// `--verify`: does an output hold what the definition says?

#include <optional>
#include <string>

#include "core/operation.hpp"

namespace upfirdn {

/// Where an output differs.
struct Difference {
  std::int64_t x, y;
  int channel;
  std::string text;  ///< "is 12 instead of 13"
};

/// First sample in which two images of one shape differ in bytes (NaN by NaN included).
[[nodiscard]] std::optional<Difference> compare_bytes(const Image& expected, const Image& actual);

/// Compares `output` with a plain scalar form of `operation`, sample by sample, that shares no pass code with the backends:
/// in float64 within the tolerance of SEMANTICS 5; with alpha, light or nodata, and of samples that are filtered in float64,
/// in the contract of the backends, to the byte.
[[nodiscard]] std::optional<Difference> compare_with_definition(const Operation& operation, const Image& input, const Image& output);

}  // namespace upfirdn
