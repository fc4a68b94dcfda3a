#include "app/shard.hpp"

namespace upfirdn {
namespace {

/// FNV-1a of 64 bits (Fowler, Noll, Vo), then the last step of MurmurHash3 (Appleby), which makes all bits depend on all bytes.
std::uint64_t hash(std::string_view bytes) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : bytes) h = (h ^ std::uint8_t(c)) * 0x100000001b3u;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 33);
}

}  // namespace

bool Shard::holds(std::string_view name) const {
  return std::int64_t(hash(name) % std::uint64_t(count)) == index - 1;
}

}  // namespace upfirdn
