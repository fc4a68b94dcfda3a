#include <catch2/catch.hpp>
#include <string>

#include "support/in_memory_files.hpp"
#include "support/images.hpp"

namespace upfirdn {

using Catch::Matchers::Contains;
using Values = std::vector<double>;
using namespace std::string_literals;

namespace {

/// A `.npy` file of version 1 with the header fields as given.
std::string npy(const std::string& descr, bool fortran_order, const std::string& dimensions,
                const std::string& data) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                       ", 'shape': (" + dimensions + "), }";
  header.resize(117, ' ');
  header += '\n';
  return "\x93NUMPY\x01\x00\x76\x00"s + header + data;
}

std::string counting(int count) {
  std::string data;
  for (int i = 0; i < count; ++i) data += char(i);
  return data;
}

CodecOptions with_layout(ArrayLayout layout) {
  CodecOptions options;
  options.layout = layout;
  return options;
}

}  // namespace

TEST_CASE("npy samples of both byte orders are read") {
  CHECK(values_of(decode(npy("|u1", false, "1, 2", "\x01\xff"))) == Values{1, 255});
  CHECK(values_of(decode(npy("<u2", false, "1, 1", "\x01\x02"))) == Values{0x0201});
  CHECK(values_of(decode(npy(">u2", false, "1, 1", "\x01\x02"))) == Values{0x0102});
  CHECK(values_of(decode(npy("<i2", false, "1, 1", "\xfe\xff"))) == Values{-2});
  CHECK(values_of(decode(npy(">i2", false, "1, 1", "\xff\xfe"))) == Values{-2});
  CHECK(values_of(decode(npy("<f2", false, "1, 1", "\x00\x3e"s))) == Values{1.5});
  CHECK(values_of(decode(npy(">f2", false, "1, 1", "\x3e\x00"s))) == Values{1.5});
  CHECK(values_of(decode(npy("<f4", false, "1, 1", "\x00\x00\xc0\x3f"s))) == Values{1.5});
  CHECK(values_of(decode(npy(">f4", false, "1, 1", "\x3f\xc0\x00\x00"s))) == Values{1.5});
}

TEST_CASE("the last dimension of a 3-D npy array is the channel") {
  const Image image = decode(npy("|u1", false, "2, 3, 2", counting(12)));
  CHECK(image.info().height == 2);
  CHECK(image.info().width == 3);
  CHECK(image.info().channels == 2);
  CHECK(image.info().array_dims == 3);
  CHECK(image.info().alpha == Alpha::none);
  CHECK(values_of(image) == Values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("a Fortran-ordered npy array is read by its indices") {
  CHECK(values_of(decode(npy("|u1", true, "2, 3", counting(6)))) == Values{0, 2, 4, 1, 3, 5});
  CHECK(values_of(decode(npy("|u1", true, "2, 2, 2", counting(8)))) == Values{0, 4, 2, 6, 1, 5, 3, 7});
}

TEST_CASE("the layout chw takes channels from the first dimension") {
  const Image image = decode(npy("|u1", false, "2, 1, 3", counting(6)), with_layout(ArrayLayout::chw));
  CHECK(image.info().channels == 2);
  CHECK(image.info().width == 3);
  CHECK(values_of(image) == Values{0, 3, 1, 4, 2, 5});
}

TEST_CASE("a 4-D npy array is a sequence of images") {
  const std::string file = npy("|u1", false, "2, 1, 2, 2", counting(8));
  for (ArrayLayout layout : {ArrayLayout::hwc, ArrayLayout::nhwc}) {
    const auto reader = open_in_memory(file, with_layout(layout));
    CHECK(reader->images() == 2);
    CHECK(values_of(read_image(*reader)) == Values{0, 1, 2, 3});
    REQUIRE(reader->next_image());
    CHECK(values_of(read_image(*reader)) == Values{4, 5, 6, 7});
    CHECK(!reader->next_image());
  }
  const auto reader =
      open_in_memory(npy("|u1", false, "2, 2, 1, 2", counting(8)), with_layout(ArrayLayout::nchw));
  CHECK(values_of(read_image(*reader)) == Values{0, 2, 1, 3});
  REQUIRE(reader->next_image());
  CHECK(values_of(read_image(*reader)) == Values{4, 6, 5, 7});
}

TEST_CASE("npy arrays are written in the layout and with the dimensions they came in") {
  struct Case {
    ArrayLayout layout;
    std::string dimensions;
  };
  for (const Case& c : {Case{ArrayLayout::hwc, "2, 3"}, Case{ArrayLayout::hwc, "2, 3, 1"},
                        Case{ArrayLayout::hwc, "2, 3, 5"}, Case{ArrayLayout::chw, "5, 2, 3"},
                        Case{ArrayLayout::chw, "2, 3"}, Case{ArrayLayout::nhwc, "1, 2, 3, 4"},
                        Case{ArrayLayout::hwc, "1, 2, 3, 4"}, Case{ArrayLayout::nchw, "1, 4, 2, 3"}}) {
    int samples = 1;
    for (char digit : c.dimensions) {
      if (digit >= '0' && digit <= '9') samples *= digit - '0';
    }
    const std::string whole = npy("<u2", false, c.dimensions, counting(2 * samples));
    CHECK(encode("npy", decode(whole, with_layout(c.layout)), with_layout(c.layout)) == whole);
  }
}

TEST_CASE("a picture becomes a 2-D npy array if gray, else a 3-D one") {
  const Image gray = image_of(shape(PixelType::u8, 2, 1), {1, 2});
  CHECK(encode("npy", gray) == npy("|u1", false, "1, 2", "\x01\x02"));
  const Image colour = image_of(shape(PixelType::u8, 1, 1, 3), {1, 2, 3});
  CHECK(encode("npy", colour) == npy("|u1", false, "1, 1, 3", "\x01\x02\x03"));
  CHECK(encode("npy", gray, {}, 2) == npy("|u1", false, "2, 1, 2, 1", "\x01\x02\x01\x02"));
}

TEST_CASE("the last npy channel is alpha only where the user says so") {
  CodecOptions options;
  options.array_alpha_last = true;
  CHECK(decode(npy("|u1", false, "1, 1, 4", "abcd"), options).info().alpha == Alpha::straight);
  CHECK(decode(npy("|u1", false, "1, 1, 4", "abcd")).info().alpha == Alpha::none);
  CHECK_THAT(decoding_error(npy("|u1", false, "1, 1, 3", "abc"), options), Contains("--alpha-channel"));
}

TEST_CASE("npy types that are not supported are refused by name") {
  for (const char* descr : {"<i8", "<u8", "|b1", "|i1", "<c8", "|O", "", "<u1x", "u1"}) {
    CHECK_THAT(decoding_error(npy(descr, false, "1, 1", std::string(16, 'x'))),
               Contains("'"s + descr + "'") && Contains("store u1, u2, u4, i2, i4, f2, f4 or f8"));
  }
}

TEST_CASE("npy shapes that are no image are refused") {
  CHECK_THAT(decoding_error(npy("|u1", false, "3,", "abc")), Contains("1-D"));
  CHECK_THAT(decoding_error(npy("|u1", false, "", "abc")), Contains("0-D"));
  CHECK_THAT(decoding_error(npy("|u1", false, "1, 1, 1, 1, 1", "a")), Contains("5-D"));
  CHECK_THAT(decoding_error(npy("|u1", false, "0, 3", "")), Contains("no samples"));
  CHECK_THAT(decoding_error(npy("|u1", false, "1, 1, 3", "abc"), with_layout(ArrayLayout::nchw)),
             Contains("need 4"));
  CHECK_THAT(decoding_error(npy("|u1", false, "-1, 3", "abc")), Contains("damaged"));
  CHECK_THAT(decoding_error(npy("|u1", false, "4294967296, 4294967296, 4294967296", "abc")),
             Contains("cut short"));
}

TEST_CASE("npy headers of versions 2 and 3 are read") {
  const std::string header = "{\"shape\":(1L,2L),\"fortran_order\":False,\"descr\":\"|u1\"}\n";
  for (char version : {'\x02', '\x03'}) {
    const std::string file = "\x93NUMPY"s + version + '\0' + char(header.size()) + "\0\0\0"s + header + "ab";
    CHECK(values_of(decode(file)) == Values{'a', 'b'});
  }
  CHECK_THAT(decoding_error("\x93NUMPY\x04\x00"s + std::string(20, 'x')), Contains("version 4"));
}

TEST_CASE("an npy file cut anywhere is an error") {
  for (bool fortran_order : {false, true}) {
    const std::string whole = npy("<u2", fortran_order, "2, 3, 2", counting(24));
    CHECK(decoding_error(whole).empty());
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CHECK(!decoding_error(whole.substr(0, length)).empty());
    }
  }
}

}  // namespace upfirdn
