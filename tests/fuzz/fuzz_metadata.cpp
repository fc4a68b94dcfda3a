/// libFuzzer: EXIF, XMP, colour profiles and texts, whatever their bytes, are carried over into PNG, TIFF and JPEG files that
/// can be read, or left out. The first byte says which of them the rest is, and where it goes.

#include <cstring>

#include "io/exif.hpp"
#include "io/xmp.hpp"
#include "support/in_memory_files.hpp"

using namespace upfirdn;

namespace {

std::shared_ptr<PictureMetadata> metadata_of(int kind, std::span<const std::byte> data) {
  auto told = std::make_shared<PictureMetadata>();
  const std::string text(reinterpret_cast<const char*>(data.data()), data.size());
  switch (kind) {
    case 0: told->exif = Bytes(data.begin(), data.end()); break;
    case 1: told->xmp = text; break;
    case 2: told->profile = Bytes(data.begin(), data.end()); break;
    default: told->texts.push_back({text.substr(0, text.find('\n')), text}); break;
  }
  return told;
}

void turn(const PictureMetadata& told) {
  for (const bool transposed : {false, true}) {
    if (!told.exif.empty()) {
      const Bytes exif = upright_exif(told.exif, transposed);
      if (!exif.empty() && exif_orientation(exif) != 1) std::abort();
      static_cast<void>(exif_of(exif_directories(exif)));
      static_cast<void>(exif_resolution(exif));
    }
    static_cast<void>(upright_xmp(told.xmp, transposed));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;
  const auto told = metadata_of(data[0] % 4, std::as_bytes(std::span(data + 1, size - 1)));
  turn(*told);
  Image pixel(ImageInfo{.width = 1, .height = 1, .channels = 3});
  std::memset(pixel.data(), 0, pixel.size_bytes());
  const Placement half{.pitch = {2, 1}, .first = 0.5};
  const Origin origin{.metadata = told, .input = {.width = 2, .height = 2, .channels = 3}, .x = half, .y = half, .request = "--scale 1/2"};
  CodecOptions options;
  options.origin = std::make_shared<const Origin>(origin);
  constexpr const char* outputs[] = {"png", "tif", "jpg"};
  const char* output = outputs[data[0] / 4 % 3];
  const std::string file = encode(output, pixel, options);
  const auto reader = find_format(output)->open(std::make_unique<MemorySource>(bytes_of(file), "a.file"), {});
  static_cast<void>(read_image(*reader));
  return 0;
}
