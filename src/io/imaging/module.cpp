/// The module `imaging`: everything that needs OpenCV.

#include <atomic>
#include <cmath>
#include <cstring>
#include <iostream>
#include <mutex>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "io/imaging/abi.hpp"
#include "io/imaging/drawing.hpp"
#include "io/module_guard.hpp"

namespace {

/// OpenCV reports what it could not decode on std::cerr as well; the program says it in one line.
class SilentStandardError {
 public:
  SilentStandardError() {
    const std::scoped_lock lock(mutex);
    if (users++ == 0) previous = std::cerr.rdbuf(nullptr);
  }
  ~SilentStandardError() {
    const std::scoped_lock lock(mutex);
    if (--users > 0) return;
    std::cerr.rdbuf(previous);
    std::cerr.clear();
  }
  SilentStandardError(const SilentStandardError&) = delete;
  SilentStandardError& operator=(const SilentStandardError&) = delete;

 private:
  static inline std::mutex mutex;
  static inline int users = 0;
  static inline std::streambuf* previous = nullptr;
};

/// Runs `work`, which throws std::runtime_error for what the user should read.
template <class Work>
int quietly(char* error, size_t error_size, Work&& work) noexcept {
  return guarded(error, error_size, [&] {
    const SilentStandardError silent;
    try {
      work();
    } catch (const cv::Exception& exception) {
      throw std::runtime_error(exception.err);
    }
  });
}

cv::Mat view(const UpfirdnPixels& pixels) {
  const int depth = pixels.sample_bytes == 1 ? CV_8U : CV_16U;
  return {pixels.height, pixels.width, CV_MAKETYPE(depth, pixels.channels), pixels.data, pixels.stride_bytes};
}

int decode(const void* file, size_t size, const UpfirdnPixels* into, char* error, size_t error_size) {
  return quietly(error, error_size, [&] {
    if (size > size_t(INT_MAX)) throw std::runtime_error("files above 2 GiB are not supported");
    const cv::Mat bytes(1, int(size), CV_8U, const_cast<void*>(file));
    const cv::Mat decoded = cv::imdecode(bytes, cv::IMREAD_UNCHANGED | cv::IMREAD_IGNORE_ORIENTATION);
    if (decoded.empty()) throw std::runtime_error("the pixels can't be decoded");
    cv::Mat target = view(*into);
    if (decoded.size() != target.size() || decoded.depth() != target.depth()) {
      throw std::runtime_error("the pixels are not of the shape that the header tells");
    }
    const int from = decoded.channels(), to = target.channels();
    if (from == 1 && to == 1)
      decoded.copyTo(target);
    else if (from == 3 && to == 3)
      cv::cvtColor(decoded, target, cv::COLOR_BGR2RGB);
    else if (from == 4 && to == 4)
      cv::cvtColor(decoded, target, cv::COLOR_BGRA2RGBA);
    else if (from == 4 && to == 3)
      cv::cvtColor(decoded, target, cv::COLOR_BGRA2RGB);
    else
      throw std::runtime_error("the pixels have not the channels that the header tells");
    if (target.data != into->data) throw std::logic_error("the pixels were written elsewhere");
  });
}

int encode(const char* extension, const UpfirdnPixels* from, int quality, UpfirdnTakeBytes take,
           void* context, char* error, size_t error_size) {
  return quietly(error, error_size, [&] {
    cv::Mat source = view(*from), swapped;
    if (from->channels == 3)
      cv::cvtColor(source, swapped, cv::COLOR_RGB2BGR);
    else if (from->channels == 4)
      cv::cvtColor(source, swapped, cv::COLOR_RGBA2BGRA);
    else
      swapped = source;
    std::vector<int> parameters;
    if (std::strcmp(extension, ".webp") == 0) parameters = {cv::IMWRITE_WEBP_QUALITY, quality};
    if (std::strcmp(extension, ".jp2") == 0) parameters = {cv::IMWRITE_JPEG2000_COMPRESSION_X1000, 1000};
    std::vector<unsigned char> bytes;
    if (!cv::imencode(extension, swapped, bytes, parameters))
      throw std::runtime_error("the pixels can't be encoded");
    take(context, bytes.data(), bytes.size());
  });
}

int heatmap(const float* values, int32_t width, int32_t height, double largest, UpfirdnTakeBytes take,
            void* context, char* error, size_t error_size) {
  return quietly(error, error_size, [&] {
    cv::Mat levels(height, width, CV_8U), colours;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x, ++values) {
        const double part = largest > 0 ? double(*values) / largest : 0;
        levels.at<unsigned char>(y, x) = part < 1 ? cv::saturate_cast<unsigned char>(part * 255) : 255;
      }
    }
    cv::applyColorMap(levels, colours, cv::COLORMAP_INFERNO);
    std::vector<unsigned char> bytes;
    if (!cv::imencode(".png", colours, bytes)) throw std::runtime_error("the heat map can't be encoded");
    take(context, bytes.data(), bytes.size());
  });
}

int draw(const UpfirdnShape* shapes, size_t count, int32_t width, int32_t height, UpfirdnTakeBytes take,
         void* context, char* error, size_t error_size) {
  return quietly(error, error_size, [&] {
    cv::Mat canvas(height, width, CV_8UC3, cv::Scalar::all(255));
    for (size_t i = 0; i < count; ++i) draw_shape(canvas, shapes[i]);
    std::vector<unsigned char> bytes;
    if (!cv::imencode(".png", canvas, bytes)) throw std::runtime_error("the drawing can't be encoded");
    take(context, bytes.data(), bytes.size());
  });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const UpfirdnImaging* upfirdn_imaging() {
  static const UpfirdnImaging table = [] {
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    cv::setNumThreads(1);  // the program has its own threads
    return UpfirdnImaging{upfirdn_imaging_abi, decode, encode, heatmap, draw};
  }();
  return &table;
}
