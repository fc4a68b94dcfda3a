#include <png.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>

#include "support/in_memory_files.hpp"
#include "support/images.hpp"

using namespace upfirdn;
using Catch::Matchers::Contains;
using Values = std::vector<double>;
using namespace std::string_literals;

namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += char(value >> shift & 255);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : type + data) {
    crc ^= std::uint8_t(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return big_endian(std::uint32_t(data.size())) + type + data + big_endian(~crc);
}

/// A zlib stream without compression.
std::string stored(const std::string& data) {
  std::uint32_t a = 1, b = 0;
  for (const char c : data) {
    a = (a + std::uint8_t(c)) % 65521;
    b = (b + a) % 65521;
  }
  const auto size = std::uint16_t(data.size());
  const auto inverse = std::uint16_t(~size);
  return "\x78\x01\x01"s + char(size & 255) + char(size >> 8) + char(inverse & 255) + char(inverse >> 8) +
         data + big_endian(b << 16 | a);
}

struct Header {
  std::uint32_t width, height;
  int bits, color_type, interlace = 0;
};

/// A PNG whose rows (each after a filter byte) are `rows`, with the chunks `between` before the data.
std::string png(const Header& h, const std::string& rows, const std::string& between = "") {
  const std::string header = big_endian(h.width) + big_endian(h.height) + char(h.bits) + char(h.color_type) +
                             "\0\0"s + char(h.interlace);
  return "\x89PNG\r\n\x1a\n"s + chunk("IHDR", header) + between + chunk("IDAT", stored(rows)) +
         chunk("IEND", "");
}

constexpr int gray = 0, rgb = 2, palette = 3, gray_alpha = 4;

/// 12-bit samples of a smooth picture with Gaussian noise of `noise` codes.
Image noisy_scan(int side, double noise) {
  std::mt19937 random(7);
  Image image(shape(PixelType::u16, side, side));
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      double uniform = 0;  // a sum of twelve has the deviation 1
      for (int i = 0; i < 12; ++i) uniform += double(random()) / 4294967296.0 - 0.5;
      const double value = 1800 + 900 * std::cos(7.0 * x / side + 3.0 * y / side) + noise * uniform;
      put_sample(image, x, y, 0, std::clamp(std::round(value), 0.0, 4095.0));
    }
  }
  return image;
}

/// Bytes of the file that libpng writes of a 16-bit gray image when nothing is chosen.
std::size_t size_by_libpng(const Image& image) {
  std::size_t size = 0;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &size,
      [](png_structp self, png_bytep, std::size_t count) {
        *static_cast<std::size_t*>(png_get_io_ptr(self)) += count;
      },
      [](png_structp) {});
  png_set_IHDR(png, info, png_uint_32(image.info().width), png_uint_32(image.info().height), 16, PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_set_swap(png);
  for (std::int64_t y = 0; y < image.info().height; ++y)
    png_write_row(png, reinterpret_cast<png_const_bytep>(image.row(y)));
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return size;
}

/// Takes `room` bytes.
class FullDisk final : public ByteSink {
 public:
  explicit FullDisk(std::size_t room) : room_(room) {}
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (offset + bytes.size() > room_) throw Error(ExitCode::image_failed, "full");
  }
  [[nodiscard]] std::size_t read_at(std::uint64_t, std::span<std::byte>) const override { return 0; }
  [[nodiscard]] std::uint64_t size() const override { return 0; }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::size_t room_;
  std::string name_ = "a.file";
};

void encode_on_full_disk(const Image& image, const CodecOptions& options, std::size_t room) {
  const auto writer = find_format("png")->create(std::make_unique<FullDisk>(room), image.info(), 1, options);
  writer->write_rows(image.data(), image.info().height, image.info().row_bytes());
  writer->finish();
}

}  // namespace

TEST_CASE("PNG: gray of 1, 2 and 4 bits expands to the range of 8") {
  CHECK(values_of(decode(png({3, 1, 1, gray}, "\0\xa0"s))) == Values{255, 0, 255});
  CHECK(values_of(decode(png({4, 1, 2, gray}, "\0\x1b"s))) == Values{0, 85, 170, 255});
  CHECK(values_of(decode(png({2, 1, 4, gray}, "\0\x1f"s))) == Values{17, 255});
}

TEST_CASE("PNG: 16-bit samples keep their values, whatever sBIT says") {
  const Image image = decode(png({3, 1, 16, gray}, "\0\x12\x30\xff\xf0\0\x07"s, chunk("sBIT", "\x0c")));
  CHECK(image.info().type == PixelType::u16);
  CHECK(image.info().maxval == 65535);
  CHECK(values_of(image) == Values{0x1230, 0xfff0, 7});
}

TEST_CASE("PNG: 16-bit gray with alpha stays two channels") {
  const Image image = decode(png({1, 1, 16, gray_alpha}, "\0\x12\x34\x80\0"s));
  CHECK(image.info().channels == 2);
  CHECK(image.info().alpha == Alpha::straight);
  CHECK(values_of(image) == Values{0x1234, 0x8000});
}

TEST_CASE("PNG: a transparent colour becomes an alpha channel") {
  const Image eight = decode(png({2, 1, 8, gray}, "\0\x05\x06"s, chunk("tRNS", "\0\x05"s)));
  CHECK(eight.info().alpha == Alpha::straight);
  CHECK(values_of(eight) == Values{5, 0, 6, 255});
  const Image one = decode(png({2, 1, 1, gray}, "\0\x40"s, chunk("tRNS", "\0\x01"s)));
  CHECK(values_of(one) == Values{0, 255, 255, 0});
  const Image sixteen =
      decode(png({2, 1, 16, rgb}, "\0\0\1\0\2\0\3\0\1\0\2\1\3"s, chunk("tRNS", "\0\1\0\2\0\3"s)));
  CHECK(values_of(sixteen) == Values{1, 2, 3, 0, 1, 2, 0x103, 65535});
}

TEST_CASE("PNG: palettes become RGB, or RGBA with transparency") {
  const std::string colors = chunk("PLTE", "\x01\x02\x03\x04\x05\x06"s);
  CHECK(values_of(decode(png({2, 1, 1, palette}, "\0\x40"s, colors))) == Values{1, 2, 3, 4, 5, 6});
  const Image clear = decode(png({2, 1, 8, palette}, "\0\x01\0"s, colors + chunk("tRNS", "\x80"s)));
  CHECK(clear.info().alpha == Alpha::straight);
  CHECK(values_of(clear) == Values{4, 5, 6, 255, 1, 2, 3, 128});
  CHECK_THAT(decoding_error(png({1, 1, 8, palette}, "\0\x02"s, colors)),
             Contains("colour 2 of a palette of 2"));
}

TEST_CASE("PNG: interlaced images of every small size equal plain ones") {
  static constexpr int passes[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                       {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};  // x, y, step in x, in y
  const auto sample = [](int x, int y) { return ""s + char(x * 7 + y) + char(x + y * 11); };
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 1}, {1, 5}, {5, 7}, {8, 8}, {13, 9}}) {
    std::string plain, interlaced;
    for (int y = 0; y < height; ++y) {
      plain += '\0';
      for (int x = 0; x < width; ++x) plain += sample(x, y);
    }
    for (const auto& [left, top, right_by, down_by] : passes) {
      for (int y = top; y < height && left < width; y += down_by) {
        interlaced += '\0';
        for (int x = left; x < width; x += right_by) interlaced += sample(x, y);
      }
    }
    const auto w = std::uint32_t(width), h = std::uint32_t(height);
    CHECK(values_of(decode(png({w, h, 16, gray, 1}, interlaced))) ==
          values_of(decode(png({w, h, 16, gray}, plain))));
  }
}

TEST_CASE("PNG: what is written reads back, at every level, and is the same each time") {
  static constexpr std::pair<int, int> sizes[] = {{1, 1}, {37, 11}, {1, 700}, {701, 1}, {2, 3}};
  for (const PixelType type : {PixelType::u8, PixelType::u16}) {
    for (const int channels : {1, 2, 3, 4}) {
      for (const auto& [width, height] : sizes) {
        ImageInfo info = shape(type, width, height, channels);
        if (channels % 2 == 0) info.alpha = Alpha::straight;
        Values values;
        for (int i = 0; i < width * height * channels; ++i)
          values.push_back(i * 7919 % (type == PixelType::u8 ? 256 : 65536));
        const Image image = image_of(info, values);
        for (int level = 0; level <= 9; ++level) {
          INFO(width << " x " << height << " x " << channels << ", level " << level);
          CodecOptions options;
          options.level = level;
          const std::string file = encode("png", image, options);
          CHECK(file == encode("png", image, options));
          const Image back = decode(file);
          CHECK(back.info() == info);
          CHECK(values_of(back) == values);
        }
      }
    }
  }
}

TEST_CASE("PNG: an image of many pieces reads back at every level") {
  for (const double noise : {0.0, 10.0, 1e5}) {
    const Image image = noisy_scan(301, noise);
    for (int level = 0; level <= 9; ++level) {
      INFO("noise " << noise << ", level " << level);
      CodecOptions options;
      options.level = level;
      CHECK(values_of(decode(encode("png", image, options))) == values_of(image));
    }
  }
}

TEST_CASE("PNG: the default is at most a tenth larger than libpng's on noisy scans, level 9 a fiftieth") {
  CodecOptions small;
  small.level = 9;
  for (const double noise : {2.0, 10.0, 40.0}) {
    INFO("noise " << noise);
    const Image image = noisy_scan(400, noise);
    const std::size_t by_libpng = size_by_libpng(image);
    CHECK(double(encode("png", image).size()) <= 1.1 * double(by_libpng));
    CHECK(double(encode("png", image, small).size()) <= 1.02 * double(by_libpng));
  }
}

TEST_CASE("PNG: a disk that is full after any number of bytes ends the writing with its error") {
  const Image image = noisy_scan(301, 1e5);
  for (const int level : {0, 2, 9}) {
    CodecOptions options;
    options.level = level;
    const std::size_t size = encode("png", image, options).size();
    for (std::size_t room = 0; room < size; room += 9973) {
      INFO("level " << level << ", room for " << room);
      CHECK_THROWS_WITH(encode_on_full_disk(image, options, room), "full");
    }
  }
}

TEST_CASE("PNG: a level beyond 0 to 9 is a usage error") {
  CodecOptions options;
  options.level = 10;
  try {
    static_cast<void>(encode("png", constant_image(shape(PixelType::u8, 2, 2), 1), options));
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK_THAT(error.what(), Contains("0 to 9"));
  }
}

TEST_CASE("PNG: a file cut anywhere, or with a wrong byte anywhere, is an error") {
  const std::string file =
      png({3, 2, 8, gray}, "\0\1\2\3\0\4\5\6"s, chunk("tRNS", "\0\2"s) + chunk("gAMA", "\0\0\1\0"s));
  CHECK(decoding_error(file).empty());
  for (std::size_t size = 1; size < file.size(); ++size) {
    INFO(size);
    CHECK(!decoding_error(file.substr(0, size)).empty());
  }
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string wrong = file;
    wrong[at] = char(wrong[at] ^ 0x10);
    INFO(at);
    CHECK(!decoding_error(wrong).empty());
  }
}

TEST_CASE("PNG: too few or too many samples are errors") {
  CHECK(!decoding_error(png({2, 2, 8, gray}, "\0\1\2\0\3"s)).empty());
  CHECK(!decoding_error(png({2, 2, 8, gray}, "\0\1\2\0\3\4\0\5"s)).empty());
  CHECK(!decoding_error(png({2, 2, 8, gray}, "\5\1\2\0\3\4"s)).empty());
}

TEST_CASE("PNG: chunks that do not touch samples may be wrong inside") {
  const std::string odd = chunk("iCCP", "no profile") + chunk("gAMA", "") + chunk("abCd", "?");
  CHECK(values_of(decode(png({1, 1, 8, gray}, "\0\7"s, odd))) == Values{7});
  CHECK(!decoding_error(png({1, 1, 8, gray}, "\0\7"s, chunk("ABCD", "?"))).empty());
}

TEST_CASE("PNG: a header that promises more than the file can hold is refused on opening") {
  for (const Header& header :
       {Header{100000, 100000, 16, 6}, {0x7fffffff, 1, 1, gray}, {1, 0x7fffffff, 8, gray, 1}}) {
    CHECK_THROWS_WITH(open_in_memory(png(header, "\0"s)), Contains("more than its"));
  }
  CHECK_THROWS_AS(open_in_memory(png({0, 1, 8, gray}, "\0"s)), Error);
}
