#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <string>

#include "support/in_memory_files.hpp"
#include "support/images.hpp"

using namespace upfirdn;
using Catch::Matchers::Contains;
using Values = std::vector<double>;
using namespace std::string_literals;

namespace {

enum Tag : int {
  width_tag = 256,
  height_tag = 257,
  bits_tag = 258,
  compression_tag = 259,
  photometric_tag = 262,
  offsets_tag = 273,
  samples_tag = 277,
  rows_tag = 278,
  counts_tag = 279,
  planar_tag = 284,
  predictor_tag = 317,
  colors_tag = 320,
  tile_width_tag = 322,
  tile_height_tag = 323,
  tile_offsets_tag = 324,
  tile_counts_tag = 325,
  extra_tag = 338,
  format_tag = 339
};

std::string number(std::uint64_t value, int bytes, bool big) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += char(value >> 8 * (big ? bytes - 1 - i : i) & 255);
  return text;
}

/// A TIFF of one page written by hand: 8-bit gray in one strip unless the fields say otherwise.
struct Page {
  std::uint32_t width, height;
  std::vector<std::string> blocks;  // strips, or tiles if there is a tile width
  std::map<int, std::vector<std::uint32_t>> tags = {};
  bool big = false;  // byte order

  [[nodiscard]] std::string file() const {
    std::map<int, std::vector<std::uint32_t>> all{{width_tag, {width}}, {height_tag, {height}},
                                                  {bits_tag, {8}},      {compression_tag, {1}},
                                                  {samples_tag, {1}},   {photometric_tag, {1}}};
    for (const auto& [tag, values] : tags) all[tag] = values;
    const bool tiled = tags.contains(tile_width_tag);
    if (!tiled && !tags.contains(rows_tag)) all[rows_tag] = {height};
    std::string data;
    for (const std::string& block : blocks) {
      all[tiled ? tile_offsets_tag : offsets_tag].push_back(std::uint32_t(8 + data.size()));
      all[tiled ? tile_counts_tag : counts_tag].push_back(std::uint32_t(block.size()));
      data += block;
    }
    if (data.size() % 2 == 1) data += '\0';
    std::string directory = number(all.size(), 2, big);
    for (const auto& [tag, values] : all) {
      std::string content;
      const bool small = tag != colors_tag && std::ranges::all_of(values, [](auto v) { return v < 65536; });
      const int bytes = small || tag == colors_tag ? 2 : 4;
      for (const std::uint32_t value : values) content += number(value, bytes, big);
      directory += number(tag, 2, big) + number(bytes == 2 ? 3 : 4, 2, big) + number(values.size(), 4, big);
      if (content.size() > 4) {
        directory += number(8 + data.size(), 4, big);
        data += content;
      } else {
        directory += content + std::string(4 - content.size(), '\0');
      }
    }
    return (big ? "MM\0*"s : "II*\0"s) + number(8 + data.size(), 4, big) + data + directory + "\0\0\0\0"s;
  }
};

Image numbered(PixelType type, int width, int height, int channels) {
  Values values;
  for (int i = 0; i < width * height * channels; ++i) {
    switch (type) {
      case PixelType::u8:
        values.push_back(i * 37 % 256);
        break;
      case PixelType::u16:
        values.push_back(i * 7919 % 65536);
        break;
      case PixelType::s16:
        values.push_back(i * 7919 % 65536 - 32768);
        break;
      case PixelType::f16:
        values.push_back(i % 999 / 8.0 - 50);
        break;
      case PixelType::f32:
        values.push_back(i / 64.0 - 1e4);
        break;
      case PixelType::u32:
        values.push_back(double(std::uint32_t(i) * 2654435761u));
        break;
      case PixelType::s32:
        values.push_back(double(std::int32_t(std::uint32_t(i) * 2654435761u)));
        break;
      case PixelType::f64:
        values.push_back(i / 3.0 - 1e12);
        break;
    }
  }
  return image_of(shape(type, width, height, channels), values);
}

}  // namespace

TEST_CASE("TIFF: what is written reads back, in every type, channel count and compression") {
  for (const PixelType type :
       {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::f16, PixelType::f32, PixelType::u32, PixelType::s32, PixelType::f64}) {
    for (const int channels : {1, 2, 3, 4, 6}) {
      const Image image = numbered(type, 41, 23, channels);
      for (const std::string compression : {"", "none", "lzw", "deflate", "packbits", "zstd"}) {
        CodecOptions options;
        options.compression = compression;
        const std::string file = encode("tif", image, options);
        CHECK(file == encode("tif", image, options));
        const Image back = decode(file);
        CHECK(back.info() == image.info());
        CHECK(values_of(back) == values_of(image));
      }
    }
  }
}

TEST_CASE("TIFF: both kinds of alpha are kept") {
  for (const Alpha alpha : {Alpha::none, Alpha::straight, Alpha::associated}) {
    for (const int channels : {2, 4, 5}) {
      ImageInfo info = shape(PixelType::u8, 3, 2, channels);
      info.alpha = alpha;
      CHECK(decode(encode("tiff", constant_image(info, 7))).info() == info);
    }
  }
}

TEST_CASE("TIFF: several pages are written and read") {
  const Image image = numbered(PixelType::u16, 5, 4, 1);
  const auto reader = open_in_memory(encode("tif", image, {}, 3));
  CHECK(reader->images() == 3);
  int pages = 0;
  do {
    CHECK(values_of(read_image(*reader)) == values_of(image));
    ++pages;
  } while (reader->next_image());
  CHECK(pages == 3);
}

TEST_CASE("TIFF: an unknown compression or level is a usage error that lists the known ones") {
  const Image image = constant_image(shape(PixelType::u8, 2, 2), 1);
  CodecOptions unknown, beyond;
  unknown.compression = "zip";
  beyond.compression = "deflate";
  beyond.level = 10;
  CHECK_THROWS_WITH(encode("tif", image, unknown), Contains("none, lzw, deflate, packbits or zstd"));
  CHECK_THROWS_WITH(encode("tif", image, beyond), Contains("0 to 9"));
}

TEST_CASE("TIFF: a level alone asks for deflate") {
  const Image image = constant_image(shape(PixelType::u16, 64, 64), 1000);
  CodecOptions options;
  options.level = 6;
  CHECK(encode("tif", image, options).size() < encode("tif", image).size() / 4);
}

TEST_CASE("TIFF: WhiteIsZero is turned over, extra samples are not") {
  const Page gray{3, 1, {"\0\0\xe8\x03\xff\xff"s}, {{bits_tag, {16}}, {photometric_tag, {0}}}};
  CHECK(values_of(decode(gray.file())) == Values{65535, 64535, 0});
  const Page bits{3, 1, {"\xa0"}, {{bits_tag, {1}}, {photometric_tag, {0}}}};
  CHECK(values_of(decode(bits.file())) == Values{0, 255, 0});
  const Page extra{
      1, 1, {"\x05\x06"}, {{bits_tag, {8, 8}}, {samples_tag, {2}}, {photometric_tag, {0}}, {extra_tag, {2}}}};
  CHECK(values_of(decode(extra.file())) == Values{250, 6});
}

TEST_CASE("TIFF: big-endian samples and predictor 2 give the same values") {
  CHECK(values_of(decode(Page{2, 1, {"\1\2\3\4"}, {{bits_tag, {16}}}, true}.file())) == Values{0x102, 0x304});
  // LZW is the shortest way to a predictor by hand: clear, four literals, end, in 9-bit codes.
  std::string packed;
  std::uint32_t pending = 0;
  int available = 0;
  for (const std::uint32_t code : {256, 0, 123, 0x0b, 0xb8, 257, 0}) {
    pending = pending << 9 | code;
    for (available += 9; available >= 8; available -= 8) packed += char(pending >> (available - 8) & 255);
  }
  const Page page{2, 1, {packed}, {{bits_tag, {16}}, {compression_tag, {5}}, {predictor_tag, {2}}}, true};
  CHECK(values_of(decode(page.file())) == Values{123, 3123});
}

TEST_CASE("TIFF: separate planes and tiles are put together") {
  const Page planes{2,
                    2,
                    {"\1\2", "\3\4", "\5\6", "\7\x08", "\x09\x0a", "\x0b\x0c"},
                    {{bits_tag, {8, 8, 8}},
                     {samples_tag, {3}},
                     {photometric_tag, {2}},
                     {planar_tag, {2}},
                     {rows_tag, {1}}}};
  CHECK(values_of(decode(planes.file())) == Values{1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12});
  std::vector<std::string> tiles;
  for (const char value : {'a', 'b', 'c', 'd'}) tiles.emplace_back(256, value);
  const Page tiled{17, 18, tiles, {{tile_width_tag, {16}}, {tile_height_tag, {16}}}};
  const Values values = values_of(decode(tiled.file()));
  CHECK(values[0] == 'a');
  CHECK(values[15] == 'a');
  CHECK(values[16] == 'b');
  CHECK(values[16 * 17 + 15] == 'c');
  CHECK(values[17 * 17 + 16] == 'd');
}

TEST_CASE("TIFF: samples of 4, 12 and 14 bits are unpacked") {
  CHECK(values_of(decode(Page{3, 1, {"\x1f\x80"}, {{bits_tag, {4}}}}.file())) == Values{17, 255, 136});
  const Image twelve = decode(Page{3, 1, {"\x12\x3f\xff\0\x10"s}, {{bits_tag, {12}}}}.file());
  CHECK(twelve.info().type == PixelType::u16);
  CHECK(twelve.info().maxval == 4095);
  CHECK(values_of(twelve) == Values{0x123, 0xfff, 1});
  CHECK(decode(Page{1, 1, {"\xff\xfc"}, {{bits_tag, {14}}}}.file()).info().maxval == 16383);
}

TEST_CASE("TIFF: samples of 10, 12 and 14 bits are packed again, also where a row takes as many bytes as without") {
  for (const std::uint32_t maxval : {1023u, 4095u, 16383u}) {
    for (int width = 1; width <= 9; ++width) {
      for (const int channels : {1, 3}) {
        ImageInfo info = shape(PixelType::u16, width, 5, channels);
        info.maxval = maxval;
        Image image = constant_image(info, 0);
        for (std::size_t i = 0; i < image.size_bytes() / 2; ++i)
          reinterpret_cast<std::uint16_t*>(image.data())[i] = std::uint16_t((i + 1) * 7919 & maxval);
        for (const char* compression : {"none", "lzw", "deflate"}) {
          CodecOptions options;
          options.compression = compression;
          const Image back = decode(encode("tif", image, options));
          CHECK(back.info() == info);
          CHECK(values_of(back) == values_of(image));
        }
      }
    }
  }
}

TEST_CASE("TIFF: a colour map of 8-bit values, in any of three ways, gives 8 bits, another 16") {
  const auto colors = [](std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
    Page page{2, 1, {"\x40"}, {{bits_tag, {1}}, {photometric_tag, {3}}}};
    page.tags[colors_tag] = {0, red, 0, green, 0, blue};
    return decode(page.file());
  };
  CHECK(values_of(colors(255, 128, 7)) == Values{0, 0, 0, 255, 128, 7});
  CHECK(values_of(colors(255 << 8, 128 << 8, 7 << 8)) == Values{0, 0, 0, 255, 128, 7});
  CHECK(values_of(colors(65535, 128 * 257, 7 * 257)) == Values{0, 0, 0, 255, 128, 7});
  const Image deep = colors(65535, 12345, 7);
  CHECK(deep.info().type == PixelType::u16);
  CHECK(values_of(deep) == Values{0, 0, 0, 65535, 12345, 7});
}

TEST_CASE("TIFF: what is not supported is refused by name") {
  const auto problem = [](const std::map<int, std::vector<std::uint32_t>>& tags) {
    return decoding_error(Page{2, 2, {std::string(64, '\0')}, tags}.file());
  };
  CHECK_THAT(problem({{bits_tag, {64}}}), Contains("64-bit unsigned"));
  CHECK_THAT(problem({{bits_tag, {64}}, {format_tag, {2}}}), Contains("64-bit signed"));
  CHECK_THAT(problem({{format_tag, {2}}}), Contains("8-bit signed"));
  CHECK_THAT(problem({{bits_tag, {24}}, {format_tag, {3}}}), Contains("24-bit floating-point"));
  CHECK_THAT(problem({{photometric_tag, {5}}, {samples_tag, {4}}, {bits_tag, {8, 8, 8, 8}}}),
             Contains("CMYK"));
  CHECK_THAT(problem({{photometric_tag, {8}}, {samples_tag, {3}}, {bits_tag, {8, 8, 8}}}), Contains("Lab"));
  CHECK_THAT(problem({{photometric_tag, {6}}, {samples_tag, {3}}, {bits_tag, {8, 8, 8}}}), Contains("YCbCr"));
  CHECK_THAT(problem({{compression_tag, {9999}}}), Contains("compression 9999"));
  CHECK_THAT(problem({{bits_tag, {32}}, {format_tag, {3}}, {photometric_tag, {0}}}), Contains("WhiteIsZero"));
}

TEST_CASE("TIFF: a file cut anywhere is an error") {
  CodecOptions packed;
  packed.compression = "deflate";
  const Image image = numbered(PixelType::u16, 19, 13, 3);
  for (const CodecOptions& options : {CodecOptions{}, packed}) {
    const std::string file = encode("tif", image, options, 2);
    for (std::size_t size = 1; size < file.size(); ++size) {
      INFO(size);
      CHECK(!decoding_error(file.substr(0, size)).empty());
    }
  }
}

TEST_CASE("TIFF: a value of a tag beyond the end of the file is an error") {
  std::string file = Page{1, 1, {"\7"}, {{700, {1, 2, 3}}}}.file();  // a tag that does not touch the picture
  CHECK(decoding_error(file).empty());
  const std::size_t entry = file.find("\xbc\x02\3\0\3\0\0\0"s);
  file.replace(entry + 8, 4, "\0\0\1\0"s);
  CHECK_THAT(decoding_error(file), Contains("cut short"));
}

TEST_CASE("TIFF: a loop of directories ends") {
  std::string file = Page{1, 1, {"\7"}}.file();
  const std::string directory = file.substr(4, 4);
  file.replace(file.size() - 4, 4, directory);
  const auto reader = open_in_memory(file);
  CHECK(reader->images() == 1);
  CHECK(values_of(read_image(*reader)) == Values{7});
  CHECK_FALSE(reader->next_image());
}

TEST_CASE("TIFF: empty and giant tiles, strips and sizes are errors on opening") {
  using Tags = std::map<int, std::vector<std::uint32_t>>;
  const std::string block(256, '\0');
  for (const Tags& tags :
       {Tags{{tile_width_tag, {0}}, {tile_height_tag, {0}}},
        Tags{{tile_width_tag, {65536}}, {tile_height_tag, {65536}}},
        Tags{{tile_width_tag, {0x80000000}}, {tile_height_tag, {0x80000000}}},
        Tags{{tile_width_tag, {65536}}, {tile_height_tag, {65536}}, {compression_tag, {8}}},
        Tags{{rows_tag, {0}}}, Tags{{samples_tag, {0}}}, Tags{{samples_tag, {65535}}}}) {
    CHECK_THROWS_AS(open_in_memory(Page{2, 2, {block}, tags}.file()), Error);
  }
  for (const std::uint32_t compression : {1, 4, 5, 8, 32773, 50000}) {
    for (const auto& [width, height] :
         {std::pair{100000u, 100000u}, {0x7fffffffu, 1u}, {0xffffffffu, 0xffffffffu}, {0u, 1u}}) {
      CHECK_THROWS_AS(
          open_in_memory(
              Page{width, height, {block.substr(0, 64)}, {{compression_tag, {compression}}}}.file()),
          Error);
    }
  }
}

TEST_CASE("TIFF: what may pass 4 GiB is started as a BigTIFF") {
  const auto version = [](const ImageInfo& info, std::int64_t pages, const std::string& compression) {
    std::string content;
    CodecOptions options;
    options.compression = compression;
    const auto writer =
        find_format("tif")->create(std::make_unique<StringSink>(content), info, pages, options);
    return int(content.at(2));
  };
  const ImageInfo two_gib = shape(PixelType::u16, 32768, 32768),
                  three_gib = shape(PixelType::u8, 65536, 49152);
  CHECK(version(two_gib, 1, "none") == 42);
  CHECK(version(two_gib, 2, "none") == 43);
  CHECK(version(three_gib, 1, "deflate") == 42);
  CHECK(version(three_gib, 1, "lzw") == 43);
  CHECK(version(shape(PixelType::u8, 70000, 70000), 1, "none") == 43);
}
