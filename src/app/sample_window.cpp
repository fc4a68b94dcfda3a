#include "app/sample_window.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace upfirdn {
namespace {

/// Numbers of the modality, and how often each occurs.
class Distribution {
 public:
  void add(double value, std::int64_t count) {
    values_.emplace_back(value, count);
    size_ += count;
  }
  void sort() { std::sort(values_.begin(), values_.end()); }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// The number with `percent` of all at or below it. Sorted.
  [[nodiscard]] double percentile(double percent) const {
    std::int64_t left = std::llround(percent / 100 * double(size_ - 1));
    auto at = values_.begin();
    for (; left >= at->second; ++at) left -= at->second;
    return at->first;
  }

 private:
  std::vector<std::pair<double, std::int64_t>> values_;
  std::int64_t size_ = 0;
};

/// Stored samples that mean the same. Integers of up to 16 bits are counted, so that images of any size take little memory.
class StoredSamples {
 public:
  explicit StoredSamples(PixelType type) : counts_(is_float(type) || size_bytes(type) > 2 ? 0 : most_counts) {}

  void add(double stored) {
    if (counts_.empty()) others_.push_back(stored);
    else ++counts_[std::size_t(stored - lowest)];
  }
  /// Hands them over as numbers of the modality.
  void move_to(Distribution& distribution, const ValueMeaning& meaning) {
    const auto hand_over = [&](double stored, std::int64_t count) {
      const bool is_padding = meaning.padding && stored >= meaning.padding->from && stored <= meaning.padding->to;
      if (count > 0 && stored == stored && !is_padding) distribution.add(meaning.modality(stored), count);
    };
    for (std::size_t i = 0; i < counts_.size(); ++i) hand_over(double(i) + lowest, std::exchange(counts_[i], 0));
    for (const double stored : others_) hand_over(stored, 1);
    others_.clear();
  }

 private:
  static constexpr double lowest = -32768;
  static constexpr std::size_t most_counts = 32768 + 65536;
  std::vector<std::int64_t> counts_;
  std::vector<double> others_;
};

ValueMeaning meaning_of(const ImageReader& reader) {
  const auto metadata = reader.metadata();
  const ValueMeaning* meaning = metadata == nullptr ? nullptr : metadata->meaning();
  return meaning == nullptr ? ValueMeaning{} : *meaning;
}

void add_samples(ImageReader& reader, StoredSamples& samples) {
  std::vector<std::byte> row(reader.info().row_bytes());
  for (std::int64_t y = 0; y < reader.info().height; ++y) {
    reader.read_rows(row.data(), 1, row.size());
    each_sample(row.data(), reader.info(), [&](double stored) { samples.add(stored); });
  }
}

Distribution distribution_of(ImageReader& reader, std::int64_t images) {
  Distribution distribution;
  StoredSamples samples(reader.info().type);
  ValueMeaning meaning = meaning_of(reader);
  for (std::int64_t image = 0; image < images; ++image) {
    if (image > 0 && !reader.next_image()) break;
    if (ValueMeaning next = meaning_of(reader); !same_numbers(next, meaning)) {
      samples.move_to(distribution, meaning);
      meaning = std::move(next);
    }
    add_samples(reader, samples);
  }
  samples.move_to(distribution, meaning);
  distribution.sort();
  return distribution;
}

}  // namespace

ValueRequest with_window_of_samples(const ValueRequest& request, ImageReader& reader, std::int64_t images) {
  if (request.display != ValueRequest::Display::percentiles) return request;
  ValueRequest result = request;
  result.display = ValueRequest::Display::window;
  result.shape = Window::Shape::linear_exact;
  result.a = 0, result.b = 1;
  const Distribution distribution = distribution_of(reader, images);
  if (distribution.empty()) return result;
  const double low = distribution.percentile(request.a), high = distribution.percentile(request.b);
  result.a = (low + high) / 2, result.b = std::max(high - low, 1e-300);
  return result;
}

}  // namespace upfirdn
