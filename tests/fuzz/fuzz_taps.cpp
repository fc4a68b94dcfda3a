/// libFuzzer: the bytes of a taps file, text or `.npy`, and of a list of taps are read as numbers or refused with an Error.
/// What was read is written and read back as the same numbers.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "filters/taps.hpp"

using namespace upfirdn;

namespace {

/// A file in memory that has a path.
class NamedBytes {
 public:
  explicit NamedBytes(std::string_view bytes) {
    static const int descriptor = memfd_create("taps", 0);
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size())) std::abort();
    path_ = "/proc/self/fd/" + std::to_string(descriptor);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_back(const std::vector<double>& taps) {
  for (const char* name : {"a.txt", "a.npy"}) {
    const Taps again = read_taps_file(NamedBytes(taps_file_bytes(name, taps)).path());
    if (std::get<AxisTaps>(again).x != taps) std::abort();
  }
}

void read_file(std::string_view bytes) {
  const Taps taps = read_taps_file(NamedBytes(bytes).path());
  if (const auto* axes = std::get_if<AxisTaps>(&taps)) {
    write_back(axes->x);
    static_cast<void>(normalized(axes->y, 2, "--no-normalize"));
  } else {
    static_cast<void>(factor_rank_one(std::get<TapMatrix>(taps)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    read_file(bytes);
  } catch (const Error&) {  // refused
  }
  try {
    write_back(parse_taps(bytes, "--taps"));
  } catch (const Error&) {
  }
  return 0;
}
