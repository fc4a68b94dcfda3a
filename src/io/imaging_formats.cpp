#include <fmt/format.h>

#include <cstring>

#include "io/formats.hpp"
#include "io/imaging_headers.hpp"
#include "io/imaging_module.hpp"

namespace upfirdn {
namespace {

using HeaderFunction = ImageInfo (*)(const ByteSource&);

/// Decodes the whole image when its first row is asked for.
class ImagingReader final : public ImageReader {
 public:
  ImagingReader(std::unique_ptr<ByteSource> source, HeaderFunction read_header)
      : source_(std::move(source)), info_(read_header(*source_)) {}

  [[nodiscard]] const ImageInfo& info() const override { return info_; }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (!rows_) decode();
    rows_->read_rows(rows, count, stride_bytes);
  }

 private:
  void decode() {
    // OpenCV wants 32 bytes to know a WebP by; the smallest have fewer.
    std::vector<std::byte> file(std::max<std::size_t>(source_->size(), 32));
    if (source_->read_at(0, file) < source_->size()) {
      throw image_error(source_->name(), "cut short; get a complete copy");
    }
    image_ = Image(info_);
    imaging_decode(file, image_, source_->name());
    rows_ = std::make_unique<ImageSource>(image_);
  }

  std::unique_ptr<ByteSource> source_;
  ImageInfo info_;
  Image image_;
  std::unique_ptr<ImageSource> rows_;
};

/// Collects the image and encodes it at the end.
class ImagingWriter final : public ImageWriter {
 public:
  ImagingWriter(std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::string extension, int quality)
      : sink_(std::move(sink)),
        image_(info),
        rows_(image_),
        extension_(std::move(extension)),
        quality_(quality) {}

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    rows_.write_rows(rows, count, stride_bytes);
  }

  void finish() override {
    sink_->write_at(0, imaging_encode(image_, extension_.c_str(), quality_, sink_->name()));
  }

 private:
  std::unique_ptr<ByteSink> sink_;
  Image image_;
  ImageSink rows_;
  std::string extension_;
  int quality_;
};

bool starts_with(std::span<const std::byte> head, std::string_view text, std::size_t offset = 0) {
  return head.size() >= offset + text.size() &&
         std::memcmp(head.data() + offset, text.data(), text.size()) == 0;
}

Format imaging_format(std::string name, std::vector<std::string> extensions, HeaderFunction read_header) {
  Format format;
  format.name = std::move(name);
  format.extensions = std::move(extensions);
  format.open = [read_header](std::unique_ptr<ByteSource> source,
                              const CodecOptions&) -> std::unique_ptr<ImageReader> {
    return std::make_unique<ImagingReader>(std::move(source), read_header);
  };
  const std::string extension = "." + format.extensions.front();
  format.create = [extension](std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t,
                              const CodecOptions& options) -> std::unique_ptr<ImageWriter> {
    return std::make_unique<ImagingWriter>(std::move(sink), info, extension, options.quality);
  };
  format.types = {PixelType::u8};
  format.channels = {1, 3, 4};
  format.always_alpha = true;
  return format;
}

}  // namespace

std::vector<Format> imaging_formats() {
  Format bmp = imaging_format("BMP", {"bmp", "dib"}, read_bmp_header);
  bmp.recognises = [](std::span<const std::byte> head) {
    return head.size() >= 18 && starts_with(head, "BM") &&
           starts_with(head, std::string_view("\0\0\0", 3), 15);
  };
  bmp.channels = {1, 3};
  bmp.holds_alpha = false;
  bmp.max_side = 1 << 20;

  Format webp = imaging_format("WebP", {"webp"}, read_webp_header);
  webp.recognises = [](std::span<const std::byte> head) {
    return starts_with(head, "RIFF") && starts_with(head, "WEBP", 8);
  };
  webp.max_side = 16383;

  Format jpeg2000 = imaging_format("JPEG2000", {"jp2"}, read_jpeg2000_header);
  jpeg2000.recognises = [](std::span<const std::byte> head) {
    return starts_with(head, std::string_view("\0\0\0\x0cjP  \r\n\x87\n", 12)) ||
           starts_with(head, "\xff\x4f\xff\x51");
  };
  jpeg2000.types = {PixelType::u8, PixelType::u16};
  jpeg2000.min_side = 32;  // OpenCV asks OpenJPEG for six resolutions, each half the last
  jpeg2000.max_side = 1 << 20;
  return {std::move(bmp), std::move(webp), std::move(jpeg2000)};
}

}  // namespace upfirdn
