#include "io/png_rows.hpp"

#include <fmt/format.h>
#include <isa-l/crc.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "io/header_bytes.hpp"
#include "io/png_filter.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t head_bytes = 8;  // of a chunk: length and type
constexpr std::size_t part_bytes = std::size_t(1) << 16;

constexpr std::uint32_t type_of(const char (&name)[5]) {
  std::uint32_t type = 0;
  for (int i = 0; i < 4; ++i) type = type << 8 | std::uint8_t(name[i]);
  return type;
}
constexpr std::uint32_t data_type = type_of("IDAT"), end_type = type_of("IEND");
constexpr std::uint32_t ancillary_bit = 0x20000000;  // a small first letter

[[noreturn]] void stop(const ByteSource& source, const std::string& why) {
  throw damaged(source, fmt::format("PNG decoding stopped ({})", why));
}

}  // namespace

PngRows::PngRows(const ByteSource& source, ForwardReader& file, std::size_t row_bytes, std::size_t pixel_bytes, std::int64_t rows)
    : source_(source),
      file_(file),
      inflater_(Inflater::Wrapping::zlib),
      row_bytes_(row_bytes),
      pixel_bytes_(pixel_bytes),
      rows_left_(rows),
      part_(part_bytes) {
  const std::size_t stride = 1 + row_bytes;
  const std::size_t at_once = std::min<std::size_t>(std::max<std::size_t>(part_bytes / stride, 1), std::size_t(rows));
  plain_.resize((1 + at_once) * stride);  // zeros before the first row
  at_ = plain_.size();
  file_.seek(file_.position() - head_bytes);
  open_chunk();
}

/// Goes on to the head of the next chunk.
void PngRows::open_chunk() {
  std::array<std::byte, head_bytes> head;
  if (file_.read(head) < head.size()) stop(source_, "it ends early");
  chunk_ = {};
  for (std::size_t i = 0; i < 4; ++i) {
    chunk_.left = chunk_.left << 8 | std::to_integer<std::uint32_t>(head[i]);
    chunk_.type = chunk_.type << 8 | std::to_integer<std::uint32_t>(head[4 + i]);
  }
  if (chunk_.left > 0x7fffffff) stop(source_, "a chunk has no length");
  checksum_ = crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(head.data()) + 4, 4);
}

/// After all bytes of the chunk.
void PngRows::close_chunk() {
  std::array<std::byte, 4> stored;
  if (file_.read(stored) < stored.size()) stop(source_, "it ends early");
  std::uint32_t checksum = 0;
  for (const std::byte byte : stored) checksum = checksum << 8 | std::to_integer<std::uint32_t>(byte);
  if (checksum != checksum_) stop(source_, "the checksum of a chunk is wrong");
}

/// The next bytes of the chunk.
std::span<const std::byte> PngRows::read_part() {
  const auto part = std::span(part_).first(std::min<std::size_t>(part_.size(), chunk_.left));
  if (file_.read(part) < part.size()) stop(source_, "it ends early");
  checksum_ = crc32_gzip_refl(checksum_, reinterpret_cast<const unsigned char*>(part.data()), part.size());
  chunk_.left -= std::uint32_t(part.size());
  return part;
}

/// Gives the inflater bytes of the IDAT chunks; false after the last of them, whose follower is open then.
bool PngRows::next_part() {
  while (chunk_.type == data_type && chunk_.left == 0) {
    close_chunk();
    open_chunk();
  }
  if (chunk_.type != data_type) return false;
  inflater_.give(read_part());
  return true;
}

std::size_t PngRows::inflate(std::span<std::byte> bytes) {
  std::size_t done = inflater_.take(bytes);
  while (done < bytes.size() && inflater_.state() == Inflater::State::going && next_part()) done += inflater_.take(bytes.subspan(done));
  if (inflater_.state() == Inflater::State::damaged) stop(source_, "its data can't be inflated");
  return done;
}

/// The next rows, behind the last one.
void PngRows::fill() {
  const std::size_t stride = 1 + row_bytes_;
  const std::size_t wanted = std::min<std::size_t>(plain_.size() / stride - 1, std::size_t(rows_left_));
  if (wanted == 0) throw std::logic_error("read past the last row");
  // They end where the rows before did, so that the last of those is found.
  at_ = plain_.size() - wanted * stride;
  std::memcpy(plain_.data() + at_ - stride, plain_.data() + plain_.size() - stride, stride);
  if (inflate(std::as_writable_bytes(std::span(plain_).subspan(at_))) < wanted * stride) stop(source_, "not enough image data");
  rows_left_ -= std::int64_t(wanted);
}

std::span<const std::uint8_t> PngRows::next() {
  const std::size_t stride = 1 + row_bytes_;
  if (at_ == plain_.size()) fill();
  const auto row = std::span(plain_).subspan(at_ + 1, row_bytes_);
  if (!undo_png_filter(plain_[at_], row, plain_.data() + at_ + 1 - stride, pixel_bytes_)) stop(source_, "a row has no known filter");
  at_ += stride;
  return row;
}

void PngRows::finish() {
  std::byte more;
  if (inflate(std::span(&more, 1)) > 0) stop(source_, "too much image data");
  if (inflater_.state() != Inflater::State::ended) stop(source_, "it ends early");
  if (inflater_.unused() > 0) stop(source_, "data follows the compressed image");
  for (bool among_data = true;; open_chunk()) {
    among_data = among_data && chunk_.type == data_type;
    const bool known = chunk_.type == end_type || (among_data && chunk_.left == 0) || (chunk_.type & ancillary_bit) != 0;
    if (!known) stop(source_, "a chunk stands where it must not");
    while (chunk_.left > 0) (void)read_part();
    close_chunk();
    if (chunk_.type == end_type) return;
  }
}

}  // namespace upfirdn
