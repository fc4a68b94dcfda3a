#include "io/dicom/codec_client.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "io/dicom/codec_abi.hpp"
#include "io/formats.hpp"
#include "io/module_files.hpp"

extern char** environ;

namespace upfirdn::dicom {
namespace {

/// Anonymous memory with a descriptor, mapped.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t size) : descriptor_(new_descriptor()), size_(size) {
    void* place = MAP_FAILED;
    if (descriptor_ >= 0 && ::ftruncate(descriptor_, off_t(size)) == 0)
      place = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (place == MAP_FAILED) {
      if (descriptor_ >= 0) ::close(descriptor_);
      throw std::bad_alloc();
    }
    bytes_ = static_cast<std::byte*>(place);
  }
  ~SharedMemory() {
    if (bytes_ == nullptr) return;
    ::munmap(bytes_, size_);
    ::close(descriptor_);
  }
  SharedMemory(SharedMemory&& other) noexcept
      : descriptor_(other.descriptor_), size_(other.size_), bytes_(std::exchange(other.bytes_, nullptr)) {}
  SharedMemory& operator=(SharedMemory&&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::byte* bytes() const { return bytes_; }
  [[nodiscard]] CodecRequest& request() const { return *reinterpret_cast<CodecRequest*>(bytes_); }
  [[nodiscard]] CodecExtent* extents() const { return reinterpret_cast<CodecExtent*>(bytes_ + sizeof(CodecRequest)); }

 private:
  /// Above those that the helper uses, whatever is closed here.
  static int new_descriptor() {
    constexpr int lowest = 10;
    const int made = ::memfd_create("upfirdn", MFD_CLOEXEC), moved = ::fcntl(made, F_DUPFD_CLOEXEC, lowest);
    if (made >= 0) ::close(made);
    return moved;
  }

  int descriptor_;
  std::size_t size_;
  std::byte* bytes_ = nullptr;
};

/// What the helper wrote to its standard error, one line.
std::string text_of(const SharedMemory& messages) {
  const char* text = reinterpret_cast<const char*>(messages.bytes());
  return {text, std::find(text, text + 4095, '\n')};
}

/// Runs the helper over `memory`.
void run_helper(const SharedMemory& memory, const std::string& name) {
  const std::string path = module_path(dicom_module);
  const SharedMemory messages(4096);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, messages.descriptor(), STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, memory.descriptor(), codec_descriptor);
  char* const arguments[] = {const_cast<char*>(dicom_module.file), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, path.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw module_error(dicom_module, std::strerror(failed));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const CodecRequest& request = memory.request();
  if (request.done == 1) return;
  if (request.encode != 0 && (request.error[0] != '\0' || WIFSIGNALED(status)))
    throw image_error(name, "GDCM can't encode these pixels, which hardly get smaller; leave out --transfer-syntax or use rle");
  if (request.error[0] != '\0') throw image_error(name, fmt::format("{}; the file is damaged or of an unusual kind", request.error));
  if (WIFSIGNALED(status)) throw image_error(name, "its compressed pixels are damaged; get a complete copy");
  throw module_error(dicom_module, WEXITSTATUS(status) == 3 ? "belongs to another version" : "can't be run: " + text_of(messages));
}

/// Offsets in memory are multiples of this.
constexpr std::uint64_t alignment = 64;
std::uint64_t aligned(std::uint64_t offset) { return (offset + alignment - 1) / alignment * alignment; }

/// Memory for inputs and outputs of these sizes; the inputs are copied in.
SharedMemory prepare(const CodecFrames& kind, bool encode, const std::vector<std::span<const std::byte>>& inputs, std::uint64_t output_bytes) {
  std::uint64_t size = aligned(sizeof(CodecRequest) + 2 * inputs.size() * sizeof(CodecExtent));
  std::vector<CodecExtent> extents;
  for (const auto& input : inputs) {
    extents.push_back({size, encode ? input.size() : input.size() + input.size() % 2});  // codestreams are padded
    size = aligned(size + input.size() + 1);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    extents.push_back({size, output_bytes});
    size = aligned(size + output_bytes);
  }
  SharedMemory memory(size);
  CodecRequest request{.abi = codec_abi, .encode = encode, .transfer_syntax = {}, .columns = std::int32_t(kind.columns),
                       .rows = std::int32_t(kind.rows), .samples = kind.samples, .bits = kind.bits, .is_signed = kind.is_signed,
                       .frames = std::int32_t(inputs.size()), .done = 0, .error = {}};
  kind.transfer_syntax.copy(request.transfer_syntax, sizeof request.transfer_syntax - 1);
  memory.request() = request;
  std::copy(extents.begin(), extents.end(), memory.extents());
  for (std::size_t i = 0; i < inputs.size(); ++i) std::copy(inputs[i].begin(), inputs[i].end(), memory.bytes() + extents[i].offset);
  return memory;
}

}  // namespace

std::vector<std::byte> decode_frames(const CodecFrames& kind, const std::vector<std::vector<std::byte>>& codestreams,
                                     const std::string& name) {
  const SharedMemory memory = prepare(kind, false, {codestreams.begin(), codestreams.end()}, kind.frame_bytes());
  run_helper(memory, name);
  std::vector<std::byte> cells;
  cells.reserve(kind.frame_bytes() * codestreams.size());
  for (std::size_t i = 0; i < codestreams.size(); ++i) {
    const std::byte* const frame = memory.bytes() + memory.extents()[codestreams.size() + i].offset;
    cells.insert(cells.end(), frame, frame + kind.frame_bytes());
  }
  return cells;
}

std::vector<std::vector<std::byte>> encode_frames(const CodecFrames& kind, std::span<const std::byte> cells, const std::string& name) {
  std::vector<std::span<const std::byte>> frames;
  for (std::size_t at = 0; at < cells.size(); at += kind.frame_bytes()) frames.push_back(cells.subspan(at, kind.frame_bytes()));
  const std::uint64_t largest = 2 * kind.frame_bytes() + (1 << 16);
  const SharedMemory memory = prepare(kind, true, frames, largest);
  run_helper(memory, name);
  std::vector<std::vector<std::byte>> encoded;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const CodecExtent extent = memory.extents()[frames.size() + i];
    if (extent.size > largest) throw image_error(name, "the encoded pixels are too large; write another transfer syntax");
    const std::byte* const frame = memory.bytes() + extent.offset;
    encoded.emplace_back(frame, frame + extent.size);
  }
  return encoded;
}

}  // namespace upfirdn::dicom
