#include "io/deflate.hpp"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace upfirdn {
namespace {

constexpr std::size_t piece_bytes = std::size_t(1) << 16;
constexpr std::uint64_t most_whole_bytes = std::uint64_t(1) << 30;
constexpr int last_streaming_level = 2;

/// Level 0: blocks that hold the bytes as they are.
class StoringDeflater final : public Deflater {
 public:
  explicit StoringDeflater(Output output) : output_(std::move(output)) {
    constexpr std::array<std::uint8_t, 2> zlib_header = {0x78, 0x01};
    output_(std::as_bytes(std::span(zlib_header)));
    start_block();
  }

  void write(std::span<const std::byte> bytes) override {
    checksum_ = libdeflate_adler32(checksum_, bytes.data(), bytes.size());
    while (!bytes.empty()) {
      if (block_.size() == piece_bytes) end_block(false);
      const std::size_t count = std::min(bytes.size(), piece_bytes - block_.size());
      block_.insert(block_.end(), bytes.begin(), bytes.begin() + std::ptrdiff_t(count));
      bytes = bytes.subspan(count);
    }
  }

  void finish() override {
    end_block(true);
    std::array<std::byte, 4> trailer{};
    for (int i = 0; i < 4; ++i) trailer[i] = std::byte(checksum_ >> (24 - 8 * i));
    output_(trailer);
  }

 private:
  static constexpr std::size_t header_bytes = 5;  ///< last or not, length, inverted length

  void start_block() { block_.assign(header_bytes, std::byte{0}); }

  void end_block(bool last) {
    const std::size_t length = block_.size() - header_bytes;
    block_[0] = std::byte(last);
    for (int i = 0; i < 2; ++i) {
      block_[1 + i] = std::byte(length >> (8 * i));
      block_[3 + i] = ~block_[1 + i];
    }
    output_(block_);
    start_block();
  }

  Output output_;
  std::vector<std::byte> block_;
  std::uint32_t checksum_ = 1;
};

/// ISA-L compresses as the bytes come.
class StreamingDeflater final : public Deflater {
 public:
  StreamingDeflater(int level, Output output)
      : output_(std::move(output)), work_(level == 1 ? ISAL_DEF_LVL1_DEFAULT : ISAL_DEF_LVL2_DEFAULT) {
    isal_deflate_init(&stream_);
    stream_.level = std::uint32_t(level);
    stream_.level_buf = work_.data();
    stream_.level_buf_size = std::uint32_t(work_.size());
    stream_.gzip_flag = IGZIP_ZLIB;
    stream_.next_in = piece_.data();  // ISA-L looks there even for no bytes
    stream_.avail_in = 0;
    empty_piece();
  }

  void write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const std::size_t count = std::min(bytes.size(), most_at_once);
      // ISA-L reads the bytes only, its type merely lacks the const.
      stream_.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(bytes.data()));
      stream_.avail_in = std::uint32_t(count);
      compress();
      bytes = bytes.subspan(count);
    }
  }

  void finish() override {
    stream_.end_of_stream = 1;
    compress();
    output_(std::as_bytes(std::span(piece_).first(piece_.size() - stream_.avail_out)));
  }

 private:
  static constexpr std::size_t most_at_once = std::size_t(1) << 30;  // ISA-L counts in 32 bits

  void compress() {
    for (;;) {
      if (isal_deflate(&stream_) != COMP_OK) throw std::logic_error("ISA-L can't compress");
      if (stream_.avail_out > 0) return;
      output_(std::as_bytes(std::span(piece_)));
      empty_piece();
    }
  }

  void empty_piece() {
    stream_.next_out = piece_.data();
    stream_.avail_out = std::uint32_t(piece_.size());
  }

  Output output_;
  std::vector<std::uint8_t> work_;
  std::array<std::uint8_t, piece_bytes> piece_;
  isal_zstream stream_;
};

/// libdeflate compresses all bytes at once.
class WholeDeflater final : public Deflater {
 public:
  WholeDeflater(int level, std::size_t total, Output output)
      : output_(std::move(output)), compressor_(libdeflate_alloc_compressor(level), libdeflate_free_compressor) {
    if (compressor_ == nullptr) throw std::bad_alloc();
    bytes_.reserve(total);
  }

  void write(std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  void finish() override {
    const std::size_t most = libdeflate_zlib_compress_bound(compressor_.get(), bytes_.size());
    const auto stream = std::make_unique_for_overwrite<std::byte[]>(most);
    const std::size_t size =
        libdeflate_zlib_compress(compressor_.get(), bytes_.data(), bytes_.size(), stream.get(), most);
    for (std::size_t at = 0; at < size; at += piece_bytes)
      output_({stream.get() + at, std::min(piece_bytes, size - at)});
  }

 private:
  Output output_;
  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor_;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<Deflater> make_deflater(int level, std::uint64_t total, Deflater::Output output) {
  if (level < 0 || level > 9) throw std::logic_error("a level that does not exist");
  if (level == 0) return std::make_unique<StoringDeflater>(std::move(output));
  if (level > last_streaming_level && total > most_whole_bytes) level = last_streaming_level;
  if (level <= last_streaming_level) return std::make_unique<StreamingDeflater>(level, std::move(output));
  // libdeflate's levels 2, 4, 8, 9 and 11 are hardly better than their neighbours below, but slower.
  constexpr std::array<int, 7> libdeflate_levels = {1, 3, 5, 6, 7, 10, 12};
  const int own_level = libdeflate_levels[std::size_t(level - last_streaming_level - 1)];
  return std::make_unique<WholeDeflater>(own_level, std::size_t(total), std::move(output));
}

}  // namespace upfirdn
