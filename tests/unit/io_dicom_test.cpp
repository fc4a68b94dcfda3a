/// Data sets and frames of DICOM files without the helper that decodes them. The program is tested on files elsewhere.

#include <catch2/catch.hpp>
#include <string>

#include "support/in_memory_files.hpp"
#include "io/dicom/codestream.hpp"
#include "io/dicom/derive.hpp"
#include "io/dicom/palette.hpp"
#include "io/dicom/rle.hpp"
#include "io/value_meaning.hpp"
#include "support/random.hpp"

namespace upfirdn::dicom {

using Catch::Matchers::Contains;

namespace {

/// A data set of a gray image, explicit little endian, without a meta header; `changes` replaces elements.
std::string gray_file(std::int64_t rows, std::int64_t columns, const std::string& pixels, const DataSet& changes = {}) {
  DataSet data;
  data.set_text(tag::class_uid, vr("UI"), "1.2.840.10008.5.1.4.1.1.7");
  data.set_text(tag::instance_uid, vr("UI"), "1.2.3");
  data.set_text(tag::photometric, vr("CS"), "MONOCHROME2");
  for (const auto& [tag, value] : {std::pair(tag::samples, 1.0), std::pair(tag::rows, double(rows)), std::pair(tag::columns, double(columns)),
                                   std::pair(tag::allocated, 8.0), std::pair(tag::stored, 8.0), std::pair(tag::high_bit, 7.0),
                                   std::pair(tag::sign, 0.0)})
    data.set_numbers(tag, vr("US"), {value});
  for (const Element& element : changes.elements) data.set(element);
  std::vector<std::byte> bytes;
  append_elements(bytes, data);
  append_header(bytes, tag::pixels, vr("OB"), std::uint32_t(pixels.size()));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string sample_file() { return gray_file(2, 3, "abcdef") + "abcdef"; }

Origin origin_of(const Placement& x, const Placement& y) {
  Origin origin;
  origin.x = x;
  origin.y = y;
  return origin;
}

}  // namespace

TEST_CASE("decimal strings have at most 16 characters and lose as little as they can") {
  CHECK(decimal_text(0.3) == "0.3");
  CHECK(decimal_text(0.1 + 0.2) == "0.3");
  CHECK(decimal_text(0.143 / 3) == "0.04766666666667");
  CHECK(decimal_text(4.56412597e-4 / 3) == "0.00015213753233");
  CHECK(decimal_text(0) == "0");
  CHECK(decimal_text(-0.0) == "0");
  CHECK(decimal_text(-1024) == "-1024");
  for (const double value : {1e-300, -1e300, 123456789012345678.0, -0.1 / 3, 2e-5 / 3, 99999999999999.99, -1.0 / 3e-9}) {
    const std::string text = decimal_text(value);
    CAPTURE(text);
    CHECK(text.size() <= 16);
    CHECK(std::stod(text) == Approx(value).epsilon(1e-7));
  }
}

TEST_CASE("hashed identifiers are valid, depend on every text and do not change") {
  const std::string uid = hashed_uid({"a", "b"});
  CHECK(uid == hashed_uid({"a", "b"}));
  CHECK(uid != hashed_uid({"ab", ""}));
  CHECK(uid != hashed_uid({"b", "a"}));
  CHECK(uid.size() <= 64);
  CHECK(uid.starts_with("2.25."));
  CHECK(uid[5] != '0');
}

TEST_CASE("the dictionary knows value representations") {
  CHECK(dictionary_vr(0x00100010) == vr("PN"));
  CHECK(dictionary_vr(tag::pixel_spacing) == vr("DS"));
  CHECK(dictionary_vr(tag::smallest) == vr("xs"));
  CHECK(dictionary_vr(0x60023000) == vr("OW"));
  CHECK(dictionary_vr(0x00090010) == vr("LO"));
  CHECK(dictionary_vr(0x00091001) == vr("UN"));
  CHECK(dictionary_vr(0x00081140) == vr("SQ"));
}

TEST_CASE("a data set without preamble and meta header is an image") {
  const Image image = decode(sample_file());
  CHECK(image.info().width == 3);
  CHECK(image.info().height == 2);
  CHECK(image.info().values_as_stored);
  CHECK(std::memcmp(image.data(), "abcdef", 6) == 0);
}

TEST_CASE("a DICOM file cut anywhere is an error") {
  const std::string whole = sample_file();
  REQUIRE(decoding_error(whole).empty());
  for (std::size_t length = 0; length < whole.size(); ++length) CHECK(!decoding_error(whole.substr(0, length)).empty());
}

TEST_CASE("any byte changed gives an image or an error") {
  const std::string whole = sample_file();
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string changed = whole;
    for (int n = 0; n <= i % 3; ++n) changed[std::size_t(random.between(0, std::int64_t(whole.size()) - 1))] = char(random.between(0, 255));
    static_cast<void>(decoding_error(changed));
  }
}

TEST_CASE("impossible layouts are refused") {
  const auto refused = [](Tag tag, double value) {
    DataSet changes;
    changes.set_numbers(tag, vr("US"), {value});
    return decoding_error(gray_file(2, 3, "abcdef", changes) + "abcdef");
  };
  CHECK_THAT(refused(tag::rows, 0), Contains("3x0"));
  CHECK_THAT(refused(tag::rows, 65535), Contains("cut short"));
  CHECK_THAT(refused(tag::allocated, 24), Contains("24 bits"));
  CHECK_THAT(refused(tag::stored, 9), Contains("impossible"));
  CHECK_THAT(refused(tag::high_bit, 3), Contains("impossible"));
  CHECK_THAT(refused(tag::samples, 3), Contains("3 samples"));
}

TEST_CASE("elements out of order are sorted, and of two the last counts") {
  DataSet first;
  first.set_numbers(tag::rows, vr("US"), {9});
  std::vector<std::byte> bytes;
  append_elements(bytes, first);
  std::string file = gray_file(2, 3, "abcdef");
  const std::size_t rows = file.find(std::string("\x28\0\x10\0US", 6));
  REQUIRE(rows != std::string::npos);
  const std::string late = file.substr(rows, 10), nine(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  file.replace(rows, 10, nine);
  file.insert(file.size() - 12, late);
  CHECK(decode(file + "abcdef").info().height == 2);
}

TEST_CASE("a list of files is no image") {
  const std::string head = std::string(128, '\0') + "DICM" + std::string("\2\0\2\0UI\x14\0" "1.2.840.10008.1.3.10", 28);
  CHECK_FALSE(looks_like_dicom(std::as_bytes(std::span(head))));
}

TEST_CASE("padding that is told as unsigned is the signed one") {
  PixelLayout layout{.stored = 16, .is_signed = true};
  DataSet data;
  data.set_numbers(tag::padding, vr("US"), {63536});
  CHECK(read_padding(layout, data)->value == -2000);
  layout = {.stored = 12, .high_bit = 11};
  CHECK_FALSE(read_padding(layout, data));
}

TEST_CASE("sequences nested too deeply are refused") {
  DataSet nested;
  for (int depth = 0; depth < 200; ++depth) {
    DataSet outer;
    outer.set_items(0x00081140, {nested});
    nested = outer;
  }
  CHECK_THAT(decoding_error(gray_file(2, 3, "abcdef", nested) + "abcdef"), Contains("nested"));
}

TEST_CASE("RLE frames come back as they were") {
  Random random(3);
  for (const int samples : {1, 3}) {
    for (const int width : {1, 2}) {
      for (const std::size_t columns : {1, 2, 127, 128, 129, 300}) {
        std::vector<std::byte> cells(columns * 5 * std::size_t(samples * width)), back(cells.size());
        for (std::byte& cell : cells) cell = std::byte(random.between(0, 3) == 0 ? random.between(0, 255) : 7);
        const std::vector<std::byte> packed = encode_rle(cells, columns, samples, width);
        CHECK(packed.size() % 2 == 0);
        REQUIRE(decode_rle(packed, samples, width, back));
        CHECK(back == cells);
        CHECK_FALSE(decode_rle(std::span(packed).first(packed.size() / 2), samples, width, back));
      }
    }
  }
}

TEST_CASE("headers of codestreams that are damaged are no headers") {
  Random random(5);
  std::vector<std::byte> bytes(200);
  for (int i = 0; i < 20000; ++i) {
    for (std::byte& b : bytes) b = std::byte(random.between(0, 255));
    const char* start = i % 2 == 0 ? "\xff\xd8\xff\xc3" : "\xff\x4f\xff\x51";
    std::memcpy(bytes.data(), start, 4);
    const auto part = std::span(bytes).first(std::size_t(random.between(0, 200)));
    static_cast<void>(read_jpeg_header(part));
    static_cast<void>(read_jpeg2000_header(part));
  }
}

TEST_CASE("segmented palettes expand") {
  DataSet data;
  const auto words = [](std::initializer_list<double> values) { return std::vector<double>(values); };
  for (Tag i = 0; i < 3; ++i) {
    data.set_numbers(0x00281101 + i, vr("US"), words({8, 0, 16}));
    // Two values as they are, a line to 600 in three steps, then both segments again from their places.
    data.set_numbers(0x00281221 + i, vr("US"), words({0, 2, 100, 301, 1, 3, 600, 2, 1, 0, 0, 0, 1, 9}));
  }
  const MemorySource source({}, "a.dcm");
  const Palette palette = read_palette(data, source);
  CHECK(palette.red == std::vector<std::uint16_t>{100, 301, 401, 500, 600, 100, 301, 9});
  CHECK(palette.maxval == 65535);
}

TEST_CASE("segmented palettes of 8 bits are made of bytes") {
  DataSet data;
  for (Tag i = 0; i < 3; ++i) {
    data.set_numbers(0x00281101 + i, vr("US"), {8, 0, 8});
    Element segments{.tag = 0x00281221 + i, .vr = vr("OW")};
    for (const int b : {0, 2, 100, 31, 1, 3, 61, 2, 1, 0, 0, 0, 0, 0, 1, 9}) segments.value.push_back(std::byte(b));
    data.set(segments);
  }
  const MemorySource source({}, "a.dcm");
  const Palette palette = read_palette(data, source);
  CHECK(palette.red == std::vector<std::uint16_t>{100, 31, 41, 51, 61, 100, 31, 9});
  CHECK(palette.maxval == 255);
}

TEST_CASE("segments of a palette that add nothing are damage, however often they are repeated") {
  DataSet data;
  std::vector<double> words{0, 0};
  for (int i = 0; i < 100000; ++i) words.insert(words.end(), {2, 65535, 0, 0});
  for (Tag i = 0; i < 3; ++i) {
    data.set_numbers(0x00281101 + i, vr("US"), {8, 0, 16});
    data.set_numbers(0x00281221 + i, vr("US"), words);
  }
  CHECK_THROWS_WITH(read_palette(data, MemorySource({}, "a.dcm")), Contains("palette"));
}

TEST_CASE("palettes of 16 bits that hold 8-bit colours become 8-bit ones") {
  DataSet data;
  for (Tag i = 0; i < 3; ++i) {
    data.set_numbers(0x00281101 + i, vr("US"), {2, 0, 16});
    data.set_numbers(0x00281201 + i, vr("US"), {0x1200, 0xff00});
  }
  const Palette palette = read_palette(data, MemorySource({}, "a.dcm"));
  CHECK(palette.maxval == 255);
  CHECK(palette.green == std::vector<std::uint16_t>{0x12, 0xff});
}

TEST_CASE("the first pixel moves along rows and columns") {
  DataSet data;
  data.set_numbers(tag::pixel_spacing, vr("DS"), {2, 3});
  data.set_numbers(tag::position, vr("DS"), {1, 2, 3});
  data.set_numbers(tag::orientation, vr("DS"), {1, 0, 0, 0, 1, 0});
  CHECK(move_geometry(data, origin_of({{4, 1}, 1.5}, {{2, 1}, 0.5})).empty());
  CHECK(data.numbers(tag::position) == std::vector<double>{1 + 1.5 * 3, 2 + 0.5 * 2, 3});
  CHECK(data.text(tag::pixel_spacing) == "4\\12");
}

TEST_CASE("windows are those of the standard") {
  const Window linear{.centre = 2048, .width = 4096};
  CHECK(shown(linear, 0) == 0);
  CHECK(shown(linear, 4095) == 1);
  CHECK(shown(linear, 2047.5) == 0.5);
  CHECK(shown({.centre = 10, .width = 1}, 9.5) == 0);
  CHECK(shown({.centre = 10, .width = 1}, 9.6) == 1);
  CHECK(shown({.centre = 10, .width = 4, .shape = Window::Shape::linear_exact}, 11) == 0.75);
  CHECK(shown({.centre = 10, .width = 4, .shape = Window::Shape::sigmoid}, 10) == 0.5);
}

TEST_CASE("a lookup table is a line between its entries and constant beyond them") {
  const LookupTable table{.first = 10, .entries = {0, 100, 300}, .full_scale = 300};
  CHECK(looked_up(table, 5) == 0);
  CHECK(looked_up(table, 11) == 100);
  CHECK(looked_up(table, 11.5) == 200);
  CHECK(looked_up(table, 99) == 300);
}

}  // namespace upfirdn::dicom
