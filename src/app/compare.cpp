#include "app/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/sample_math.hpp"
#include "io/image_store.hpp"
#include "io/imaging_module.hpp"

namespace upfirdn {
namespace {

/// Why images of these shapes can't be compared; empty if they can.
std::string obstacle(const ImageInfo& a, const ImageInfo& b) {
  if (a.width != b.width || a.height != b.height) return "the sizes differ";
  if (a.channels != b.channels) return "the numbers of channels differ";
  if (a.maxval != b.maxval) return "the maxvals differ";
  return "";
}

double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double distance = std::abs(a - b);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

/// One row at a time as numbers.
class NumberRows {
 public:
  explicit NumberRows(ImageReader& reader)
      : reader_(reader),
        stored_(reader.info().row_bytes()),
        numbers_(std::size_t(reader.info().width) * std::size_t(reader.info().channels)) {}

  const std::vector<double>& next() {
    reader_.read_rows(stored_.data(), 1, stored_.size());
    visit_pixel_type(reader_.info().type, [&](auto sample) {
      using Sample = decltype(sample);
      const auto* row = reinterpret_cast<const Sample*>(stored_.data());
      for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = to_real<double>(row[i]);
    });
    return numbers_;
  }

 private:
  ImageReader& reader_;
  std::vector<std::byte> stored_;
  std::vector<double> numbers_;
};

/// Sums up the differences of all images.
class Differences {
 public:
  explicit Differences(Comparison& result) : result_(result) {}

  /// Adds one pair of images; `map`, if not null, receives the largest difference of each pixel.
  void add(ImageReader& a, ImageReader& b, std::vector<float>* map) {
    const ImageInfo info = a.info();
    NumberRows rows_a(a), rows_b(b);
    if (map != nullptr) map->reserve(std::size_t(info.width) * std::size_t(info.height));
    for (std::int64_t y = 0; y < info.height; ++y) {
      differences_.clear();
      const std::vector<double>&row_a = rows_a.next(), &row_b = rows_b.next();
      for (std::size_t i = 0; i < row_a.size(); ++i) differences_.push_back(difference(row_a[i], row_b[i]));
      add_row(y, info.channels);
      if (map != nullptr) append_largest(info.channels, *map);
    }
  }

  void finish() {
    result_.rms = std::sqrt(squares_ / double(result_.samples));
    result_.psnr_db = result_.rms == 0 ? std::numeric_limits<double>::infinity()
                                       : 20 * std::log10(double(result_.a.maxval) / result_.rms);
  }

 private:
  void add_row(std::int64_t y, int channels) {
    double row_squares = 0;
    for (std::size_t i = 0; i < differences_.size(); ++i) {
      const double distance = differences_[i];
      if (distance == 0) continue;
      row_squares += distance * distance;
      ++result_.differing;
      if (distance <= result_.largest) continue;
      result_.largest = distance;
      result_.image = result_.images - 1;
      result_.x = std::int64_t(i) / channels;
      result_.y = y;
      result_.channel = int(i % std::size_t(channels));
    }
    squares_ += row_squares;
    result_.samples += std::int64_t(differences_.size());
  }

  void append_largest(int channels, std::vector<float>& map) const {
    for (std::size_t i = 0; i < differences_.size(); i += std::size_t(channels)) {
      map.push_back(float(*std::max_element(&differences_[i], &differences_[i] + channels)));
    }
  }

  Comparison& result_;
  double squares_ = 0;
  std::vector<double> differences_;
};

}  // namespace

Comparison compare_files(const std::string& a, const std::string& b, const CodecOptions& options,
                         const std::string& heatmap) {
  const auto reader_a = open_image(a, options), reader_b = open_image(b, options);
  Comparison result;
  Differences differences(result);
  std::vector<float> map;
  for (bool more_a = true, more_b = true; more_a && more_b; ++result.images) {
    result.a = reader_a->info();
    result.b = reader_b->info();
    result.obstacle = obstacle(result.a, result.b);
    if (!result.obstacle.empty()) return result;
    differences.add(*reader_a, *reader_b, !heatmap.empty() && result.images == 1 ? &map : nullptr);
    more_a = reader_a->next_image();
    more_b = reader_b->next_image();
    if (more_a != more_b) {
      result.obstacle = "the numbers of images differ";
      return result;
    }
    if (!more_a) break;
  }
  differences.finish();
  result.comparable = true;
  if (!heatmap.empty()) {
    const float largest = *std::max_element(map.begin(), map.end());
    const bool finite = std::isfinite(largest);
    write_file_atomically(heatmap,
                          heatmap_png(map.data(), result.a.width, result.a.height, finite ? largest : 1.0));
  }
  return result;
}

}  // namespace upfirdn
