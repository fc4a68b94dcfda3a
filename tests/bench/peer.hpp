#pragma once
/// Other libraries at the work of a case. Each owns the buffers that it reads and writes, as it wants them aligned.

#include <memory>
#include <string>

#include "core/image.hpp"
#include "resample/side_by_side.hpp"

namespace upfirdn {

class Peer {
 public:
  virtual ~Peer() = default;
  /// Library, version and instruction sets.
  [[nodiscard]] virtual std::string name() const = 0;
  /// The filter of ours that means the same, for the error.
  [[nodiscard]] virtual std::string filter() const = 0;
  /// Runs with so many threads.
  [[nodiscard]] virtual TimedWork work(int threads) = 0;
  /// What the last run made.
  [[nodiscard]] virtual Image result() const = 0;
};

/// zimg's Lanczos with three lobes, gray u16 or f32, with all that this CPU has or without AVX-512. With several threads
/// each makes a band of the output by a graph of its own.
[[nodiscard]] std::unique_ptr<Peer> make_zimg_lanczos3(const Image& input, const ImageInfo& output, bool avx512);

/// OpenCV's INTER_AREA.
[[nodiscard]] std::unique_ptr<Peer> make_opencv_area(const Image& input, const ImageInfo& output);

}  // namespace upfirdn
