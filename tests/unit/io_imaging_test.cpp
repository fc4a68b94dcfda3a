/// What is checked before the module `imaging` sees a file. Decoding itself is tested through the program.

#include <catch2/catch.hpp>
#include <string>

#include "support/in_memory_files.hpp"

namespace upfirdn {

using Catch::Matchers::Contains;
using namespace std::string_literals;

namespace {

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes += char(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += char(value >> (8 * i) & 255u);
  return text;
}

struct BmpFields {
  std::int32_t width = 2, height = 2;
  std::uint32_t bits = 24, compression = 0, header_bytes = 40;
  std::string after_header{};  ///< palette or masks
  std::size_t data_bytes = 16;
};

std::string bmp(const BmpFields& fields) {
  const std::size_t data_offset = 54 + fields.after_header.size();
  return "BM" + little(0, 8) + little(std::uint32_t(data_offset), 4) + little(fields.header_bytes, 4) +
         little(std::uint32_t(fields.width), 4) + little(std::uint32_t(fields.height), 4) + little(1, 2) +
         little(fields.bits, 2) + little(fields.compression, 4) + std::string(20, '\0') +
         fields.after_header + std::string(fields.data_bytes, 'x');
}

ImageInfo header_of(const std::string& content) {
  return open_in_memory(content)->info();
}

std::string header_error(const std::string& content) {
  try {
    static_cast<void>(header_of(content));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

void check_cuts(const std::string& whole) {
  CHECK(header_error(whole).empty());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK(!header_error(whole.substr(0, length)).empty());
  }
}

const std::string small_webp =
    from_hex("524946461a000000574542505650384c0e0000002f00000000071011fd0f4444ff03");
const std::string small_jpeg2000 = from_hex(
    "0000000c6a5020200d0a870a00000014667479706a703220000000006a7032200000002d6a7032680000001669686472"
    "000000020000000200010b0700000000000f636f6c72010000000000110000008a6a703263ff4fff5100290000000000"
    "020000000200000000000000000000000200000002000000000000000000010b0101ff52000c00000001000004040001"
    "ff5c00044060ff640025000143726561746564206279204f70656e4a5045472076657273696f6e20322e352e30ff9000"
    "0a0000000000180001ff93cfe41c082b712660001fffd9");

}  // namespace

TEST_CASE("a BMP header gives the shape, top down or bottom up") {
  const ImageInfo colour = header_of(bmp({.height = -2}));
  CHECK(colour.width == 2);
  CHECK(colour.height == 2);
  CHECK(colour.channels == 3);
  const std::string grays = "\0\0\0\0\xff\xff\xff\0"s, colours = "\0\0\0\0\xff\xff\0\0"s;
  CHECK(header_of(bmp({.bits = 1, .after_header = grays})).channels == 1);
  CHECK(header_of(bmp({.bits = 1, .after_header = colours})).channels == 3);
  CHECK(header_of(bmp({.bits = 32})).channels == 3);
  const std::string masks = "\0\0\xff\0\0\xff\0\0\xff\0\0\0"s;
  const std::string opacity = masks + "\0\0\0\xff"s + std::string(52, '\0');
  const ImageInfo alpha =
      header_of(bmp({.bits = 32, .compression = 3, .header_bytes = 108, .after_header = opacity}));
  CHECK(alpha.channels == 4);
  CHECK(alpha.alpha == Alpha::straight);
}

TEST_CASE("kinds of BMP that are not supported are refused") {
  CHECK_THAT(header_error(bmp({.bits = 16})), Contains("16 bits a pixel is not supported"));
  CHECK_THAT(header_error(bmp({.bits = 8, .compression = 1})), Contains("compression 1"));
  CHECK_THAT(header_error(bmp({.header_bytes = 12})), Contains("OS/2"));
  CHECK_THAT(header_error(bmp({.width = 0})), Contains("damaged"));
  CHECK_THAT(header_error(bmp({.height = INT32_MIN})), Contains("damaged"));
}

TEST_CASE("a BMP, WebP or JPEG 2000 cut anywhere is an error") {
  check_cuts(bmp({}));
  check_cuts(small_webp);
  check_cuts(small_jpeg2000);
}

TEST_CASE("a giant BMP with little data is refused before anything is allocated") {
  CHECK_THAT(header_error(bmp({.width = INT32_MAX, .height = INT32_MAX})), Contains("cut short"));
}

TEST_CASE("a WebP header gives the shape") {
  const ImageInfo info = header_of(small_webp);
  CHECK(info.width == 1);
  CHECK(info.height == 1);
  CHECK(info.channels == 3);
}

TEST_CASE("an animated WebP is refused") {
  const std::string extended = "VP8X" + little(10, 4) + "\x02\0\0\0\0\0\0\0\0\0"s;
  CHECK_THAT(header_error("RIFF" + little(4 + 18, 4) + "WEBP" + extended), Contains("animated"));
}

TEST_CASE("a 12-bit JPEG 2000 keeps its full scale") {
  const ImageInfo info = header_of(small_jpeg2000);
  CHECK(info.width == 2);
  CHECK(info.height == 2);
  CHECK(info.channels == 1);
  CHECK(info.type == PixelType::u16);
  CHECK(info.maxval == 4095);
}

TEST_CASE("a JPEG 2000 without one of its tiles is refused") {
  std::string wide = small_jpeg2000;
  const std::size_t size = wide.find("\xff\x51");
  wide[size + 9] = 8;  // twice as many columns of tiles
  CHECK_THAT(header_error(wide), Contains("a tile of the JPEG 2000 is missing"));
}

}  // namespace upfirdn
