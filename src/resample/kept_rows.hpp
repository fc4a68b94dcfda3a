#pragma once
/// Rows between the strips of a pipeline and the steps that make outputs of them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upfirdn {

/// Source rows that outputs are made from, as the steps of an operation keep them.
struct KeptRows {
  std::int64_t first = 0;              ///< number of the first row
  std::vector<const std::byte*> rows;  ///< null: nothing needs the row
  [[nodiscard]] const std::byte* row(std::int64_t y) const { return rows[std::size_t(y - first)]; }
};

}  // namespace upfirdn
