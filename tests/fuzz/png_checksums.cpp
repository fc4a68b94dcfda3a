/// Mutations of PNG files get right checksums: libpng refuses all others before it looks at a chunk.

#include <zlib.h>

#include <cstdint>
#include <cstring>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

std::uint32_t big(const std::uint8_t* at) {
  return std::uint32_t(at[0]) << 24 | std::uint32_t(at[1]) << 16 | std::uint32_t(at[2]) << 8 | at[3];
}

void put_big(std::uint8_t* at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = std::uint8_t(value >> (24 - 8 * i));
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  const bool is_png = size > 4 && std::memcmp(data, "\x89PNG", 4) == 0;
  if (!is_png || seed % 64 == 0) return size;  // some stay wrong
  for (std::size_t at = 8; at + 12 <= size;) {
    const std::size_t length = big(data + at);
    if (length > size - at - 12) break;
    put_big(data + at + 8 + length, std::uint32_t(crc32(0, data + at + 4, unsigned(length + 4))));
    at += length + 12;
  }
  return size;
}
