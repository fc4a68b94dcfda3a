/// What is checked before the module `exr` sees a file, and what it is told to write. Samples are tested through the program.

#include <catch2/catch.hpp>
#include <string>

#include "support/in_memory_files.hpp"
#include "io/exr/exr_metadata.hpp"

namespace upfirdn::exr {

using Catch::Matchers::Contains;
using namespace std::string_literals;

namespace {

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += char(value >> (8 * i) & 255u);
  return text;
}

std::string stored(const std::string& name, const std::string& type, const std::string& value) {
  return name + '\0' + type + '\0' + little(value.size(), 4) + value;
}

std::string box(int min_x, int min_y, int max_x, int max_y) {
  return little(std::uint32_t(min_x), 4) + little(std::uint32_t(min_y), 4) + little(std::uint32_t(max_x), 4) + little(std::uint32_t(max_y), 4);
}

std::string channel(const std::string& name, int type = 1, int sampling = 1) {
  return name + '\0' + little(std::uint32_t(type), 4) + little(0, 4) + little(std::uint32_t(sampling), 4) + little(std::uint32_t(sampling), 4);
}

/// A file of 4x3 halves, whose blocks hold anything.
struct File {
  std::string channels = channel("Y");
  std::string data = box(0, 0, 3, 2), display = box(0, 0, 3, 2);
  std::string more{};
  std::uint32_t flags = 0;
  int compression = 0;
  std::size_t blocks = 3;

  [[nodiscard]] std::string bytes() const {
    const std::string header = "\x76\x2f\x31\x01"s + little(2 | flags, 4) + stored("channels", "chlist", channels + '\0') +
                               stored("compression", "compression", little(std::uint32_t(compression), 1)) + stored("dataWindow", "box2i", data) +
                               stored("displayWindow", "box2i", display) + more + '\0';
    std::string table, content;
    for (std::size_t i = 0; i < blocks; ++i) {
      table += little(header.size() + 8 * blocks + content.size(), 8);
      content += std::string(200, 'x');
    }
    return header + table + content;
  }
};

std::string header_error(const std::string& content) {
  try {
    (void)open_in_memory(content);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

ImageInfo info_of(const File& file) { return open_in_memory(file.bytes())->info(); }

Windows placed_at(const Window& data, const Window& display, Fraction pitch, double first, std::int64_t side) {
  Origin origin;
  origin.x = origin.y = Placement{pitch, first};
  return placed({data, display}, origin, {.width = side, .height = side});
}

const Attribute* find(const Header& header, std::string_view name) {
  const auto found = std::ranges::find(header.attributes, name, &Attribute::name);
  return found == header.attributes.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("EXR: a header that is cut anywhere is an error") {
  const std::string whole = File{}.bytes();
  REQUIRE(header_error(whole).empty());
  for (std::size_t length = 8; length < whole.size() - 3 * 200; ++length) CHECK_FALSE(header_error(whole.substr(0, length)).empty());
}

TEST_CASE("EXR: the data window is the size, channels and their types the shape") {
  File file{.channels = channel("A") + channel("B") + channel("G") + channel("R"), .data = box(-5, 7, 4, 9)};
  CHECK(info_of(file) == ImageInfo{.width = 10, .height = 3, .channels = 4, .type = PixelType::f16, .maxval = 1, .alpha = Alpha::associated});
  file.channels = channel("B", 2) + channel("G") + channel("R");
  CHECK(info_of(file) == ImageInfo{.width = 10, .height = 3, .channels = 3, .type = PixelType::f32, .maxval = 1});
  file.channels = channel("A") + channel("Y");
  CHECK(info_of(file).alpha == Alpha::associated);
  file.channels = channel("Z", 2);
  CHECK(info_of(file).channels == 1);
  file.channels = channel("A") + channel("X");
  CHECK_THAT(header_error(file.bytes()), Contains("only A, X"));
  file.channels = channel("Y", 0);
  CHECK_THAT(header_error(file.bytes()), Contains("32-bit integers"));
  file.channels = channel("Y", 1, 2);
  CHECK_THAT(header_error(file.bytes()), Contains("subsampled"));
  file.channels = channel("BY") + channel("RY") + channel("Y");
  CHECK_THAT(header_error(file.bytes()), Contains("chroma"));
}

TEST_CASE("EXR: a value of another length than its type has is an error, so that OpenEXR reads the header as it was checked") {
  const std::string window = stored("dataWindow", "box2i", box(0, 0, 1 << 29, 1 << 29));
  for (const auto& [type, bytes] : std::vector<std::pair<std::string, std::size_t>>{
           {"box2f", 16}, {"double", 8}, {"int", 4}, {"keycode", 28}, {"m44d", 128}, {"rational", 8}, {"timecode", 8}, {"v3d", 24}, {"envmap", 1}}) {
    CHECK(header_error(File{.more = stored("extra", type, std::string(bytes, '\1'))}.bytes()).empty());
    CHECK_THAT(header_error(File{.more = stored("extra", type, std::string(bytes, '\1') + window)}.bytes()), Contains("damaged"));
    CHECK_THAT(header_error(File{.more = stored("extra", type, std::string(bytes - 1, '\1'))}.bytes()), Contains("damaged"));
  }
  CHECK(header_error(File{.more = stored("extra", "ownType", window)}.bytes()).empty());
  CHECK(header_error(File{.more = stored("extra", "preview", little(2, 4) + little(1, 4) + std::string(8, 'p'))}.bytes()).empty());
  CHECK_THAT(header_error(File{.more = stored("extra", "preview", little(2, 4) + little(1, 4) + std::string(9, 'p'))}.bytes()), Contains("damaged"));
  CHECK(header_error(File{.more = stored("extra", "stringvector", little(2, 4) + "ab" + little(0, 4))}.bytes()).empty());
  CHECK_THAT(header_error(File{.more = stored("extra", "stringvector", little(3, 4) + "ab")}.bytes()), Contains("damaged"));
  CHECK_THAT(header_error(File{.more = stored("extra", "floatvector", "abcde")}.bytes()), Contains("damaged"));
  CHECK_THAT(header_error(File{.more = stored("extra", "chlist", channel("a"))}.bytes()), Contains("damaged"));
  CHECK_THAT(header_error(File{.more = stored("compression", "compression", "\1")}.bytes()), Contains("twice"));
}

TEST_CASE("EXR: sizes that the file cannot fill are refused from the header") {
  CHECK_THAT(header_error(File{.data = box(0, 0, 1 << 20, 2)}.bytes()), Contains("1048577x3"));
  CHECK_THAT(header_error(File{.data = box(0, 0, 3, 1 << 20)}.bytes()), Contains("cut short"));
  CHECK_THAT(header_error(File{.data = box(3, 0, 0, 2)}.bytes()), Contains("3,0 to 0,2"));
  CHECK_THAT(header_error(File{.display = box(0, 0, 3, -1)}.bytes()), Contains("display window"));
  const auto tiles = [](std::uint32_t width, std::uint32_t height) { return stored("tiles", "tiledesc", little(width, 4) + little(height, 4) + '\0'); };
  CHECK(header_error(File{.more = tiles(2, 3), .flags = 0x200, .blocks = 2}.bytes()).empty());
  CHECK_THAT(header_error(File{.more = tiles(0, 3), .flags = 0x200}.bytes()), Contains("0x3"));
  CHECK_THAT(header_error(File{.more = tiles(2, 1 << 29), .flags = 0x200}.bytes()), Contains("more than"));
  CHECK_THAT(header_error(File{.flags = 0x200}.bytes()), Contains("tiles"));
  CHECK_THAT(header_error(File{.flags = 0x800}.bytes()), Contains("deep"));
  CHECK_THAT(header_error(File{.compression = 10}.bytes()), Contains("compression 10"));
}

TEST_CASE("EXR: windows scale with the pixels") {
  const Window all{0, 0, 31, 31}, around{-16, -16, 47, 47};
  const Windows half = placed_at(around, all, {2, 1}, 0.5, 32);
  CHECK(half.data == Window{-8, -8, 23, 23});
  CHECK(half.display == Window{0, 0, 15, 15});
  CHECK(half.exact);
  const Windows twice = placed_at(around, all, {1, 2}, -0.25, 128);
  CHECK(twice.data == Window{-32, -32, 95, 95});
  CHECK(twice.display == Window{0, 0, 63, 63});
  CHECK(twice.exact);
  CHECK_FALSE(placed_at(around, all, {3, 1}, 1, 21).exact);
  CHECK(placed_at(all, all, {32, 11}, 0.95, 11).display == Window{0, 0, 10, 10});
  CHECK(placed_at(all, all, {1, 1}, 10, 5).display == Window{0, 0, 4, 4});
  const Windows cut = placed_at({8, 8, 15, 15}, all, {1, 1}, 2, 3);
  CHECK(cut.data == Window{10, 10, 12, 12});
  CHECK(cut.display == all);
}

TEST_CASE("EXR: the header of an output from nowhere") {
  const Header header = outgoing_header({}, {.width = 5, .height = 4, .channels = 2, .type = PixelType::f16, .maxval = 1, .alpha = Alpha::associated});
  CHECK(header.channels == std::vector<std::string>{"Y", "A"});
  CHECK(find(header, "dataWindow")->window() == Window{0, 0, 4, 3});
  CHECK(find(header, "displayWindow")->window() == Window{0, 0, 4, 3});
  CHECK(find(header, "pixelAspectRatio")->number(0) == 1);
  CHECK(std::string(compressions()[std::to_integer<std::size_t>(find(header, "compression")->value[0])].name) == "zip");
  CHECK(header.notes.empty());
  CodecOptions options;
  options.compression = "packbits";
  CHECK_THROWS_WITH(outgoing_header(options, {.width = 1, .height = 1}), Contains("packbits") && Contains("dwab"));
}

TEST_CASE("EXR: resolution and pixel aspect come back to the bit") {
  for (const float density : {1.0f, 72.3f, 300.0f, 0.01f, 99999.99f}) {
    for (const float aspect : {1.0f, 0.9f, 1.0666667f, 2.0f}) {
      Part part{.attributes = {attribute_of("xDensity", "float", density), attribute_of("pixelAspectRatio", "float", aspect)}};
      Picture picture;
      auto origin = std::make_shared<Origin>();
      origin->metadata = read_metadata(part, picture);
      CodecOptions options;
      options.origin = origin;
      const Header header = outgoing_header(options, {.width = 1, .height = 1});
      CHECK(find(header, "xDensity")->number(0) == density);
      CHECK(find(header, "pixelAspectRatio")->number(0) == aspect);
    }
  }
}

}  // namespace upfirdn::exr
