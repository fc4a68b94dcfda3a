#pragma once
/// The window that the samples of a file give: `--window auto` and `percentile:a,b`.

#include "app/value_mapping.hpp"
#include "io/codec.hpp"

namespace upfirdn {

/// The same request with percentiles replaced by the window between them, in numbers of the modality, LINEAR_EXACT. All samples
/// count that are neither padding nor NaN, of the next `images` images of `reader`, each by its own slope and intercept or table.
[[nodiscard]] ValueRequest with_window_of_samples(const ValueRequest& request, ImageReader& reader, std::int64_t images);

}  // namespace upfirdn
