#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "io/hidden_files.hpp"
#include "io/image_store.hpp"
#include "support/images.hpp"
#include "support/test_folder.hpp"
#include "support/in_memory_files.hpp"

namespace upfirdn {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const std::string sample_file = "P5\n2 1\n255\nab";

Image sample() {
  return decode(sample_file);
}

PendingImage pending(const std::string& path) {
  return {path, *find_format("pgm"), sample().info(), 1, CodecOptions{}};
}

void save(const std::string& path) {
  PendingImage output = pending(path);
  const Image image = sample();
  output.rows().write_rows(image.data(), 1, image.info().row_bytes());
  output.commit();
}

template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::image_failed);
    return error.what();
  }
  return {};
}

std::string opening_error(const std::string& path) {
  return message_of([&] { static_cast<void>(open_image(path, {})); });
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

}  // namespace

TEST_CASE("what can't be opened is named with its fault") {
  const TestFolder folder;
  write_text(folder.at("empty.png"), "");
  write_text(folder.at("text.png"), "hello");
  CHECK(opening_error(folder.at("no.png")) == folder.at("no.png") + ": no such file; check the name");
  CHECK_THAT(opening_error(folder.at("")), Contains("is a folder"));
  CHECK_THAT(opening_error(folder.at("empty.png")), Contains("empty"));
  CHECK_THAT(opening_error(folder.at("text.png")), Contains("not an image in a known format"));
}

TEST_CASE("content decides the format of an input") {
  const TestFolder folder;
  write_text(folder.at("a.jpg"), sample_file);
  const Format* format = nullptr;
  const auto reader = open_image(folder.at("a.jpg"), {}, &format);
  REQUIRE(format != nullptr);
  CHECK(format->name == "PGM");
  CHECK(values_of(read_image(*reader)) == std::vector<double>{'a', 'b'});
}

TEST_CASE("a FIFO can be read") {
  const TestFolder folder;
  const std::string fifo = folder.at("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::thread writer([&] { write_text(fifo, sample_file); });
  const auto reader = open_image(fifo, {});
  writer.join();
  CHECK(values_of(read_image(*reader)) == std::vector<double>{'a', 'b'});
}

TEST_CASE("an output appears under its name only when committed") {
  const TestFolder folder;
  {
    PendingImage output = pending(folder.at("out.pgm"));
    const Image image = sample();
    output.rows().write_rows(image.data(), 1, image.info().row_bytes());
    CHECK(!fs::exists(folder.at("out.pgm")));
    output.commit();
  }
  CHECK(text_of(folder.at("out.pgm")) == sample_file);
  CHECK(folder.names() == std::vector<std::string>{"out.pgm"});
}

TEST_CASE("an output that is not committed leaves nothing, and the old file as it was") {
  const TestFolder folder;
  write_text(folder.at("old.pgm"), "old");
  {
    const PendingImage fresh = pending(folder.at("new.pgm")), replacement = pending(folder.at("old.pgm"));
    CHECK_FALSE(fs::exists(folder.at("new.pgm")));
  }
  CHECK(folder.names() == std::vector<std::string>{"old.pgm"});
  CHECK(text_of(folder.at("old.pgm")) == "old");
}

TEST_CASE("what is to be known of an output before it gets its name is its inode and its size") {
  const TestFolder folder;
  write_text(folder.at("old.pgm"), "old");
  PendingImage output = pending(folder.at("old.pgm"));
  const Image image = sample();
  output.rows().write_rows(image.data(), 1, image.info().row_bytes());
  FileMark told{};
  CommitOptions options;
  options.before = [&](const FileMark& whole) {
    told = whole;
    CHECK(text_of(folder.at("old.pgm")) == "old");
  };
  output.commit(options);
  struct stat status {};
  REQUIRE(::stat(folder.at("old.pgm").c_str(), &status) == 0);
  CHECK(told == FileMark{status.st_ino, std::uint64_t(status.st_size)});
  CHECK(folder.names() == std::vector<std::string>{"old.pgm"});
}

TEST_CASE("an output takes the time of its input if that is wanted") {
  const TestFolder folder;
  write_text(folder.at("in"), "in");
  const struct timespec times[] = {{1000, 0}, {1234567890, 123456789}};
  REQUIRE(::utimensat(AT_FDCWD, folder.at("in").c_str(), times, 0) == 0);
  PendingImage output = pending(folder.at("out.pgm"));
  const Image image = sample();
  output.rows().write_rows(image.data(), 1, image.info().row_bytes());
  CommitOptions options;
  options.times_of = folder.at("in");
  output.commit(options);
  struct stat status {};
  REQUIRE(::stat(folder.at("out.pgm").c_str(), &status) == 0);
  CHECK(status.st_mtim.tv_sec == 1234567890);
  CHECK(status.st_mtim.tv_nsec == 123456789);
}

TEST_CASE("abandoned files are removed, those at work and those of others stay") {
  const TestFolder folder;
  const std::string abandoned = folder.at(".a.png.0123abcd.upfirdn-part"), at_work = folder.at(".b.png.0123abcd.upfirdn-part");
  for (const std::string& path : {abandoned, at_work, folder.at(".c.png.0123abcd.tmp"), folder.at("d.upfirdn-part")}) write_text(path, "part");
  const int descriptor = ::open(at_work.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(descriptor, LOCK_EX) == 0);
  remove_abandoned_files(folder.at(""));
  CHECK(folder.names() == std::vector<std::string>{".b.png.0123abcd.upfirdn-part", ".c.png.0123abcd.tmp", "d.upfirdn-part"});
  ::close(descriptor);
  remove_abandoned_files(folder.at(""));
  CHECK_FALSE(fs::exists(at_work));
  remove_abandoned_files(folder.at("missing"));
}

TEST_CASE("a new file has 0666 less the umask, a replaced one keeps its mode") {
  const TestFolder folder;
  const mode_t mask = ::umask(027);
  save(folder.at("new.pgm"));
  ::umask(mask);
  CHECK(mode_of(folder.at("new.pgm")) == 0640);
  write_text(folder.at("old.pgm"), "old");
  REQUIRE(::chmod(folder.at("old.pgm").c_str(), 0604) == 0);
  save(folder.at("old.pgm"));
  CHECK(mode_of(folder.at("old.pgm")) == 0604);
  CHECK(text_of(folder.at("old.pgm")) == sample_file);
}

TEST_CASE("symbolic links are followed, also to a file that is not there yet") {
  const TestFolder folder;
  fs::create_directory(folder.at("sub"));
  fs::create_symlink("sub/target.pgm", folder.at("link.pgm"));
  save(folder.at("link.pgm"));
  CHECK(fs::is_symlink(folder.at("link.pgm")));
  CHECK(text_of(folder.at("sub/target.pgm")) == sample_file);
  write_text(folder.at("sub/target.pgm"), "old");
  save(folder.at("link.pgm"));
  CHECK(fs::is_symlink(folder.at("link.pgm")));
  CHECK(text_of(folder.at("sub/target.pgm")) == sample_file);
  fs::create_symlink("loop", folder.at("loop"));
  CHECK_THAT(message_of([&] { save(folder.at("loop")); }), Contains("can't be written"));
}

TEST_CASE("what is no regular file is written directly") {
  const TestFolder folder;
  const std::string fifo = folder.at("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::string received;
  std::thread reader([&] { received = text_of(fifo); });
  save(fifo);
  reader.join();
  CHECK(received == sample_file);
  CHECK(fs::is_fifo(fifo));
  save("/dev/null");
  CHECK(fs::is_character_file("/dev/null"));
  CHECK_THAT(message_of([] { save("/dev/full"); }), Contains("/dev/full: can't be written"));
}

TEST_CASE("a place that can't be written is named") {
  const TestFolder folder;
  CHECK_THAT(message_of([&] { save(folder.at("no/out.pgm")); }), Contains("there is no folder"));
  CHECK_THAT(message_of([&] { save(folder.at("")); }), Contains("is a folder"));
  CHECK(folder.names().empty());
}

TEST_CASE("bytes are written atomically, large pieces and small ones") {
  const TestFolder folder;
  const std::vector<std::byte> large(3'000'000, std::byte('x'));
  write_file_atomically(folder.at("large"), large);
  CHECK(text_of(folder.at("large")) == std::string(3'000'000, 'x'));
  write_file_atomically(folder.at("large"), bytes_of("small"));
  CHECK(text_of(folder.at("large")) == "small");
}

TEST_CASE("an output format that can't hold the image is refused by name, with formats that can") {
  const auto problem = [](const std::string& extension, ImageInfo info) {
    return message_of(
        [&] { static_cast<void>(stored_as(*find_format(extension), info, "out." + extension)); });
  };
  CHECK_THAT(problem("jpg", shape(PixelType::u16, 4, 4)),
             Contains("out.jpg: JPEG cannot hold 16-bit samples; use --depth 8, or write PNG, TIFF, PGM"));
  CHECK_THAT(problem("png", shape(PixelType::f32, 4, 4)),
             Contains("float samples; use --depth 16, or write TIFF"));
  CHECK_THAT(problem("png", shape(PixelType::s16, 4, 4)),
             Contains("signed 16-bit samples; write TIFF or NPY"));
  CHECK_THAT(problem("pgm", shape(PixelType::u8, 4, 4, 3)),
             Contains("3 channels; write PNG, TIFF, JPEG, PPM"));
  CHECK_THAT(problem("pfm", shape(PixelType::u8, 4, 4)), Contains("8-bit samples; use --depth f32"));
  CHECK_THAT(problem("pbm", shape(PixelType::u8, 4, 4)), Contains("PBM cannot be written; write PNG"));
  CHECK_THAT(problem("webp", shape(PixelType::u8, 16384, 2)), Contains("16384x2, only sides up to 16383"));
  CHECK_THAT(problem("jpg", shape(PixelType::u8, 65536, 1)), Contains("only sides up to 65500"));
  ImageInfo array = shape(PixelType::u8, 4, 4, 4);
  array.array_dims = 3;
  CHECK_THAT(problem("png", array), Contains("4 channels without alpha; use --alpha-channel last"));
  array.alpha = Alpha::straight;
  CHECK(problem("png", array).empty());
}

TEST_CASE("a maxval that the output format can't hold becomes full scale") {
  ImageInfo info = shape(PixelType::u16, 4, 4);
  info.maxval = 4095;
  CHECK(stored_as(*find_format("pgm"), info, "out.pgm").maxval == 4095);
  CHECK(stored_as(*find_format("npy"), info, "out.npy").maxval == 4095);
  CHECK(stored_as(*find_format("png"), info, "out.png").maxval == 65535);
}

TEST_CASE("formats are found by extension and name in any case") {
  for (const char* known : {"png", "PNG", "tif", "tiff", "jpg", "JPEG", "pgm", "ppm", "pnm", "pam", "pfm",
                            "npy", "bmp", "webp", "jp2"}) {
    CHECK(find_format(known) != nullptr);
  }
  CHECK(find_format("") == nullptr);
  CHECK(find_format("txt") == nullptr);
}

}  // namespace upfirdn
