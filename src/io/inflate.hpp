#pragma once
/// Decompression of deflate streams.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct inflate_state;

namespace upfirdn {

/// Inflates a stream whose bytes come in parts, by ISA-L: two to three times as fast as zlib.
class Inflater {
 public:
  enum class Wrapping : std::uint8_t { none, zlib };  ///< RFC 1951; RFC 1950, with its checksum
  enum class State : std::uint8_t { going, ended, damaged };

  explicit Inflater(Wrapping wrapping);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// `going`: there is more, if the input is whole. `ended`: all is out and the checksum is right.
  [[nodiscard]] State state() const { return state_; }
  /// Bytes of the input that are not used yet.
  [[nodiscard]] std::size_t unused() const;
  /// The next part, less than 4 GiB, which must stay until it is used up; only when the one before is.
  void give(std::span<const std::byte> part);
  /// Fills `bytes`, fewer if the part that was given ends or the state changes; how many.
  [[nodiscard]] std::size_t take(std::span<std::byte> bytes);

 private:
  std::unique_ptr<inflate_state> stream_;
  State state_ = State::going;
};

}  // namespace upfirdn
