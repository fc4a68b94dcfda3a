#pragma once
/// Files in memory for the tests of codecs.

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/byte_files.hpp"
#include "io/codec.hpp"

namespace upfirdn {

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Opens `content` by what it holds.
inline std::unique_ptr<ImageReader> open_in_memory(const std::string& content,
                                                   const CodecOptions& options = {}) {
  auto bytes = bytes_of(content);
  const Format* format = recognise_format(std::span(bytes).first(std::min<std::size_t>(192, bytes.size())));
  if (format == nullptr) throw Error(ExitCode::image_failed, "a.file: not recognised");
  return format->open(std::make_unique<MemorySource>(std::move(bytes), "a.file"), options);
}

/// All rows of the current image.
inline Image read_image(ImageReader& reader) {
  Image image(reader.info());
  reader.read_rows(image.data(), image.info().height, image.info().row_bytes());
  return image;
}

inline Image decode(const std::string& content, const CodecOptions& options = {}) {
  return read_image(*open_in_memory(content, options));
}

/// The message of the error that decoding all images of `content` gives; empty if there is none.
inline std::string decoding_error(const std::string& content, const CodecOptions& options = {}) {
  try {
    const auto reader = open_in_memory(content, options);
    do {
      static_cast<void>(read_image(*reader));
    } while (reader->next_image());
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

/// Collects what a writer writes in a string that outlives it.
class StringSink final : public ByteSink {
 public:
  explicit StringSink(std::string& content) : content_(content) {}
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (bytes.empty()) return;
    content_.resize(std::max(content_.size(), std::size_t(offset) + bytes.size()));
    std::memcpy(content_.data() + offset, bytes.data(), bytes.size());
  }
  [[nodiscard]] std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) const override {
    const std::size_t start = std::min(content_.size(), std::size_t(offset));
    const std::size_t count = std::min(content_.size() - start, bytes.size());
    std::memcpy(bytes.data(), content_.data() + start, count);
    return count;
  }
  [[nodiscard]] std::uint64_t size() const override { return content_.size(); }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::string& content_;
  std::string name_ = "a.file";
};

/// The file that the format `extension` writes for `images` equal copies of an image.
inline std::string encode(const std::string& extension, const Image& image, const CodecOptions& options = {},
                          std::int64_t images = 1) {
  std::string content;
  const auto writer =
      find_format(extension)->create(std::make_unique<StringSink>(content), image.info(), images, options);
  for (std::int64_t i = 0; i < images; ++i) {
    for (std::int64_t y = 0; y < image.info().height; ++y) {
      writer->write_rows(image.row(y), 1, image.info().row_bytes());
    }
  }
  writer->finish();
  return content;
}

}  // namespace upfirdn
