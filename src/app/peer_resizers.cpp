#include "app/peer_resizers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>

#include "core/error.hpp"
#include "io/image_store.hpp"

namespace upfirdn {
namespace {

namespace fs = std::filesystem;

/// A folder that disappears with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = fs::temp_directory_path() / "upfirdn-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) throw Error(ExitCode::image_failed, path + ": can't be made; set TMPDIR");
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs a program found on the PATH without output; true if it ends with 0.
bool run_program(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || ::waitpid(child, &status, 0) != child) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string pgm_bytes(const Image& image) {
  const ImageInfo& info = image.info();
  std::string bytes = fmt::format("P5\n{} {}\n65535\n", info.width, info.height);
  for (std::int64_t y = 0; y < info.height; ++y)
    for (std::int64_t x = 0; x < info.width; ++x) {
      std::uint16_t code = 0;
      std::memcpy(&code, image.row(y) + 2 * x, 2);
      bytes += {char(code >> 8), char(code & 255)};
    }
  return bytes;
}

Image read_image(const std::string& path) {
  const auto reader = open_image(path, {});
  Image image(reader->info());
  reader->read_rows(image.data(), image.info().height, image.info().row_bytes());
  return image;
}

struct Job {
  std::string in, out;  ///< a PGM of 16 bits; `out` has no extension
  std::int64_t width, height;
  double scale_x, scale_y;
};

/// The arguments of a program for a job, and the extension of what it writes.
struct Command {
  std::string extension;
  std::function<std::vector<std::string>(const Job& job, const std::string& out)> arguments;
};

Resizer resizer_of(const Command& command) {
  return [command](const Image& image, std::int64_t width, std::int64_t height) -> std::optional<Image> {
    const TemporaryFolder folder;
    const Job job{folder.path() / "in.pgm", folder.path() / "out", width, height, double(width) / double(image.info().width),
                  double(height) / double(image.info().height)};
    const std::string bytes = pgm_bytes(image);
    write_file_atomically(job.in, std::as_bytes(std::span(bytes)));
    const std::string out = job.out + command.extension;
    if (!run_program(command.arguments(job, out))) return std::nullopt;
    Image result = read_image(out);
    if (result.info().width != width || result.info().height != height || result.info().channels != 1) return std::nullopt;
    return result;
  };
}

Command vips(const std::string& kernel) {
  return {".pgm", [kernel](const Job& job, const std::string& out) -> std::vector<std::string> {
    return {"vips", "resize", job.in, out, fmt::format("{:.17g}", job.scale_x), "--vscale", fmt::format("{:.17g}", job.scale_y),
            "--kernel", kernel};
  }};
}

Command magick(const std::vector<std::string>& program, const std::string& filter) {
  return {".pgm", [program, filter](const Job& job, const std::string& out) {
    std::vector<std::string> arguments = program;
    for (const std::string& argument :
         {job.in, std::string("-filter"), filter, std::string("-resize"), fmt::format("{}x{}!", job.width, job.height), out})
      arguments.push_back(argument);
    return arguments;
  }};
}

Command pillow(const std::string& filter) {
  return {".tif", [filter](const Job& job, const std::string& out) -> std::vector<std::string> {
    return {"python3", "-c",
            fmt::format("import sys; from PIL import Image; Image.open(sys.argv[1]).convert('F').resize(({}, {}), "
                        "Image.{}).save(sys.argv[2])", job.width, job.height, filter),
            job.in, out};
  }};
}

}  // namespace

std::vector<PeerResizer> installed_peers() {
  std::vector<PeerResizer> peers;
  const auto add = [&](const std::string& name, const Command& command) { peers.push_back({name, resizer_of(command)}); };
  if (run_program({"vips", "--version"}))
    for (const char* kernel : {"lanczos3", "cubic", "linear"}) add(fmt::format("vips {}", kernel), vips(kernel));
  if (run_program({"gm", "version"}))
    for (const char* filter : {"Lanczos", "Catrom"}) add(fmt::format("GraphicsMagick {}", filter), magick({"gm", "convert"}, filter));
  if (run_program({"convert", "-list", "filter"}))
    for (const char* filter : {"Lanczos", "Catrom"}) add(fmt::format("ImageMagick {}", filter), magick({"convert"}, filter));
  if (run_program({"python3", "-c", "import PIL"}))
    for (const char* filter : {"LANCZOS", "BICUBIC"}) add(fmt::format("Pillow {}", filter), pillow(filter));
  return peers;
}

}  // namespace upfirdn
