#include <zimg.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "peer.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t alignment = 64;
std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

struct Free {
  void operator()(void* memory) const noexcept { std::free(memory); }
};
using AlignedBytes = std::unique_ptr<std::byte, Free>;
AlignedBytes aligned_bytes(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignment, aligned(bytes)));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, aligned(bytes));
  return AlignedBytes(memory);
}

struct FreeGraph {
  void operator()(zimg_filter_graph* graph) const noexcept { zimg_filter_graph_free(graph); }
};

void check(bool ok) {
  if (ok) return;
  char text[200] = "";
  zimg_get_last_error(text, sizeof text);
  throw std::runtime_error(std::string("zimg: ") + text);
}

/// Some output rows, made by a graph of their own.
struct Band {
  std::int64_t first = 0;
  std::unique_ptr<zimg_filter_graph, FreeGraph> graph;
  AlignedBytes scratch;
};

class ZimgLanczos3 final : public Peer {
 public:
  ZimgLanczos3(const Image& input, const ImageInfo& output, bool avx512)
      : in_(input.info()), out_(output), avx512_(avx512), in_stride_(aligned(in_.row_bytes())), out_stride_(aligned(out_.row_bytes())),
        from_(aligned_bytes(in_stride_ * std::size_t(in_.height))), to_(aligned_bytes(out_stride_ * std::size_t(out_.height))) {
    for (std::int64_t y = 0; y < in_.height; ++y)
      std::memcpy(from_.get() + std::size_t(y) * in_stride_, input.row(y), in_.row_bytes());
  }
  [[nodiscard]] std::string name() const override {
    unsigned major = 0, minor = 0, micro = 0;
    zimg_get_version_info(&major, &minor, &micro);
    return "zimg " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(micro) + (avx512_ ? "" : " AVX2");
  }
  [[nodiscard]] std::string filter() const override { return "lanczos3"; }
  [[nodiscard]] TimedWork work(int threads) override {
    const auto bands = std::make_shared<std::vector<Band>>();
    for (int i = 0; i < threads; ++i) bands->push_back(make_band(out_.height * i / threads, out_.height * (i + 1) / threads));
    const auto team = std::make_shared<AwakeThreads>(threads);
    return {.run = [this, bands, team] { team->run([&](int i) { make((*bands)[std::size_t(i)]); }); }, .before = [team] { team->start(); }};
  }
  [[nodiscard]] Image result() const override {
    Image image(out_);
    for (std::int64_t y = 0; y < out_.height; ++y) std::memcpy(image.row(y), to_.get() + std::size_t(y) * out_stride_, out_.row_bytes());
    return image;
  }

 private:
  [[nodiscard]] static zimg_image_format format_of(const ImageInfo& info) {
    zimg_image_format format;
    zimg_image_format_default(&format, ZIMG_API_VERSION);
    format.width = unsigned(info.width);
    format.height = unsigned(info.height);
    format.pixel_type = info.type == PixelType::f32 ? ZIMG_PIXEL_FLOAT : ZIMG_PIXEL_WORD;
    format.depth = info.type == PixelType::f32 ? 32 : 16;
    format.pixel_range = ZIMG_RANGE_FULL;
    return format;
  }
  [[nodiscard]] Band make_band(std::int64_t first, std::int64_t end) const {
    zimg_image_format from = format_of(in_), to = format_of(out_);
    to.height = unsigned(end - first);
    const double pitch = double(in_.height) / double(out_.height);
    from.active_region.top = double(first) * pitch;
    from.active_region.height = double(end - first) * pitch;
    zimg_graph_builder_params parameters;
    zimg_graph_builder_params_default(&parameters, ZIMG_API_VERSION);
    parameters.resample_filter = ZIMG_RESIZE_LANCZOS;
    parameters.filter_param_a = 3;
    parameters.cpu_type = avx512_ ? ZIMG_CPU_AUTO_64B : ZIMG_CPU_X86_AVX2;
    Band band{.first = first};
    band.graph.reset(zimg_filter_graph_build(&from, &to, &parameters));
    check(band.graph != nullptr);
    std::size_t bytes = 0;
    check(zimg_filter_graph_get_tmp_size(band.graph.get(), &bytes) == ZIMG_ERROR_SUCCESS);
    band.scratch = aligned_bytes(bytes + alignment);
    return band;
  }
  void make(const Band& band) const {
    zimg_image_buffer_const from{ZIMG_API_VERSION, {}};
    from.plane[0] = {from_.get(), std::ptrdiff_t(in_stride_), ZIMG_BUFFER_MAX};
    zimg_image_buffer to{ZIMG_API_VERSION, {}};
    to.plane[0] = {to_.get() + std::size_t(band.first) * out_stride_, std::ptrdiff_t(out_stride_), ZIMG_BUFFER_MAX};
    check(zimg_filter_graph_process(band.graph.get(), &from, &to, band.scratch.get(), nullptr, nullptr, nullptr, nullptr) == ZIMG_ERROR_SUCCESS);
  }

  ImageInfo in_, out_;
  bool avx512_;
  std::size_t in_stride_, out_stride_;
  AlignedBytes from_, to_;
};

}  // namespace

std::unique_ptr<Peer> make_zimg_lanczos3(const Image& input, const ImageInfo& output, bool avx512) {
  return std::make_unique<ZimgLanczos3>(input, output, avx512);
}

}  // namespace upfirdn
