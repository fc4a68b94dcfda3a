#include "io/inflate.hpp"

#include <isa-l/igzip_lib.h>

#include <algorithm>

namespace upfirdn {

Inflater::Inflater(Wrapping wrapping) : stream_(std::make_unique_for_overwrite<inflate_state>()) {
  isal_inflate_init(stream_.get());
  stream_->crc_flag = wrapping == Wrapping::zlib ? ISAL_ZLIB : ISAL_DEFLATE;
}

Inflater::~Inflater() = default;

std::size_t Inflater::unused() const { return stream_->avail_in; }

void Inflater::give(std::span<const std::byte> part) {
  // ISA-L reads the bytes only, its type merely lacks the const.
  stream_->next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(part.data()));
  stream_->avail_in = std::uint32_t(part.size());
}

std::size_t Inflater::take(std::span<std::byte> bytes) {
  constexpr std::size_t most_at_once = std::size_t(1) << 30;  // ISA-L counts in 32 bits
  std::size_t done = 0;
  while (state_ == State::going && done < bytes.size()) {
    const std::size_t wanted = std::min(bytes.size() - done, most_at_once);
    stream_->next_out = reinterpret_cast<std::uint8_t*>(bytes.data() + done);
    stream_->avail_out = std::uint32_t(wanted);
    const int result = isal_inflate(stream_.get());
    const std::size_t got = wanted - stream_->avail_out;
    done += got;
    if (result < 0 || result == ISAL_NEED_DICT) state_ = State::damaged;
    else if (stream_->block_state == ISAL_BLOCK_FINISH) state_ = State::ended;
    else if (got < wanted) break;  // the input is used up
  }
  return done;
}

}  // namespace upfirdn
