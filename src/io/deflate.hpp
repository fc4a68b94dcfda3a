#pragma once
/// Compression into zlib streams.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace upfirdn {

/// Compresses bytes that come in order into one zlib stream (RFC 1950).
class Deflater {
 public:
  /// Takes the next piece of the stream, at most 64 KiB. What it throws leaves `write` and `finish`.
  using Output = std::function<void(std::span<const std::byte>)>;

  virtual ~Deflater() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;
  /// Ends the stream; nothing may be written after this.
  virtual void finish() = 0;
};

/// A compressor of `level` 0 (stored) to 9 (smallest) for `total` bytes. Up to level 2 it needs less than 1 MiB. From level 3
/// on it holds all bytes and their compressed form; more than 1 GiB of them is compressed as in level 2 instead.
[[nodiscard]] std::unique_ptr<Deflater> make_deflater(int level, std::uint64_t total, Deflater::Output output);

}  // namespace upfirdn
