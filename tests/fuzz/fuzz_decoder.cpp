/// libFuzzer: bytes that begin like a file of one format (of those that --formats=NAME,... names) are decoded whole, or refused
/// with an Error. What was decoded is written in the same format and read back as the same samples.

#include <cstdlib>
#include <cstring>

#include "io/image_store.hpp"
#include "io/upright.hpp"
#include "support/in_memory_files.hpp"

using namespace upfirdn;

namespace {

std::string fuzzed_formats;
constexpr std::size_t most_bytes = std::size_t(1) << 20;  ///< of an image that is decoded
constexpr std::size_t most_written = std::size_t(1) << 14;

std::unique_ptr<ImageReader> open(const Format& format, std::vector<std::byte> bytes, const CodecOptions& options) {
  return upright(format.open(std::make_unique<MemorySource>(std::move(bytes), "a.file"), options));
}

/// Some rows at a time, as a backend takes them.
Image decode_in_bands(ImageReader& reader) {
  Image image(reader.info());
  const ImageInfo& info = image.info();
  for (std::int64_t y = 0; y < info.height; y += 3)
    reader.read_rows(image.row(y), std::min<std::int64_t>(3, info.height - y), info.row_bytes());
  return image;
}

/// Ends the process if what is written does not read back.
void write_back(const Format& format, const Image& image, CodecOptions options) {
  const ImageInfo& info = image.info();
  const ImageInfo stored = stored_as(format, info, "a.file", &format);
  std::string content;
  const auto writer = format.create(std::make_unique<StringSink>(content), stored, 1, options);
  writer->write_rows(image.data(), info.height, info.row_bytes());
  writer->finish();
  const auto reader = open(format, bytes_of(content), options);
  const bool same_shape = reader->info().width == info.width && reader->info().height == info.height;
  const Image again = decode_in_bands(*reader);
  const bool lossy = format.name == "JPEG" || stored.maxval != info.maxval;
  const bool same = lossy || (again.size_bytes() == image.size_bytes() && std::memcmp(again.data(), image.data(), image.size_bytes()) == 0);
  if (!same_shape || !same) std::abort();
}

void decode_all(const Format& format, std::vector<std::byte> bytes) {
  const std::size_t size = bytes.size();
  const CodecOptions options{.layout = ArrayLayout(size % 4), .array_alpha_last = size / 4 % 2 == 1};
  const auto reader = open(format, std::move(bytes), options);
  for (bool first = true; first || reader->next_image(); first = false) {
    const ImageInfo& info = reader->info();
    if (double(info.row_bytes()) * double(info.height) > double(most_bytes)) continue;
    const Image image = decode_in_bands(*reader);
    if (!first || image.size_bytes() > most_written) continue;
    CodecOptions writing = options;
    writing.origin = std::make_shared<const Origin>(Origin{.metadata = reader->metadata(), .input = info, .request = "--scale 1"});
    write_back(format, image, writing);
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(const int* count, char*** arguments) {
  constexpr std::string_view option = "--formats=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    if (argument.starts_with(option)) fuzzed_formats = argument.substr(option.size());
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const Format* format = recognise_format(bytes.first(std::min<std::size_t>(192, size)));
  if (format == nullptr || fuzzed_formats.find(format->name) == std::string::npos) return -1;
  try {
    decode_all(*format, {bytes.begin(), bytes.end()});
  } catch (const Error&) {  // refused
  }
  return 0;
}
