#pragma once
/// A stable part of the inputs, for many processes or machines that share one batch.

#include <cstdint>
#include <string_view>

namespace upfirdn {

/// The `index`-th (from 1) of `count` parts. Parts are disjoint, together they hold every input.
struct Shard {
  std::int64_t index = 1, count = 1;

  /// True if the input with this name belongs to the part; see shard.cpp for the hash, which never changes.
  [[nodiscard]] bool holds(std::string_view name) const;
};

}  // namespace upfirdn
