#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "peer.hpp"

namespace upfirdn {
namespace {

cv::Mat mat_of(const ImageInfo& info) {
  const int depth = info.type == PixelType::u8 ? CV_8U : info.type == PixelType::u16 ? CV_16U : CV_32F;
  return cv::Mat(int(info.height), int(info.width), CV_MAKETYPE(depth, info.channels), cv::Scalar::all(0));
}

class OpencvArea final : public Peer {
 public:
  OpencvArea(const Image& input, const ImageInfo& output) : out_(output), from_(mat_of(input.info())), to_(mat_of(output)) {
    std::memcpy(from_.data, input.data(), input.size_bytes());
  }
  [[nodiscard]] std::string name() const override { return "OpenCV " + cv::getVersionString(); }
  [[nodiscard]] std::string filter() const override { return "box"; }
  [[nodiscard]] TimedWork work(int threads) override {
    return {.run = [this] { cv::resize(from_, to_, to_.size(), 0, 0, cv::INTER_AREA); }, .before = [threads] { cv::setNumThreads(threads); }};
  }
  [[nodiscard]] Image result() const override {
    Image image(out_);
    std::memcpy(image.data(), to_.data, image.size_bytes());
    return image;
  }

 private:
  ImageInfo out_;
  cv::Mat from_, to_;
};

}  // namespace

std::unique_ptr<Peer> make_opencv_area(const Image& input, const ImageInfo& output) {
  return std::make_unique<OpencvArea>(input, output);
}

}  // namespace upfirdn
