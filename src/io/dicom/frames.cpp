#include "io/dicom/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/dicom/codec_client.hpp"
#include "io/dicom/codestream.hpp"
#include "io/dicom/rle.hpp"
#include "io/header_bytes.hpp"

namespace upfirdn::dicom {
namespace {

/// Widens cells of `cell_bytes` bytes.
template <class Cell>
void widen(const std::byte* bytes, std::size_t count, int cell_bytes, Cell* cells) {
  if (cell_bytes == int(sizeof(Cell))) std::memcpy(cells, bytes, count * sizeof(Cell));
  else if (cell_bytes == 1) std::transform(bytes, bytes + count, cells, [](std::byte b) { return Cell(b); });
  else std::transform(reinterpret_cast<const std::uint16_t*>(bytes), reinterpret_cast<const std::uint16_t*>(bytes) + count, cells, [](std::uint16_t v) { return Cell(v); });
}

void swap_bytes(std::vector<std::byte>& bytes, std::uint64_t unit) {
  if (unit == 2)
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) std::swap(bytes[i], bytes[i + 1]);
  else
    for (auto first = bytes.begin(); first != bytes.end(); first += std::ptrdiff_t(unit)) std::reverse(first, first + std::ptrdiff_t(unit));
}

/// Frames that lie in the file as they are.
class PlainFrames final : public Frames {
 public:
  PlainFrames(const DicomFile& file, const PixelLayout& layout) : file_(file), layout_(layout) {
    format_ = {layout.high_bit + 1 - layout.stored, layout.stored, layout.is_signed, layout.photometric};
    if (is_halved()) format_.colours = layout.photometric == Photometric::ybr_partial ? Photometric::ybr_partial : Photometric::ybr_full;
    if (format_.colours == Photometric::ybr_wavelet) format_.colours = Photometric::ybr_full;
    if (is_halved() && layout.allocated != 8) throw unsupported(*file.source, "chroma of half the width with more than 8 bits");
    check_plain_size(file, layout);
  }

  void read(std::int64_t frame, std::int64_t y, std::int64_t count, std::byte* cells) override {
    const std::uint64_t first = std::uint64_t(frame) * layout_.frame_bits();
    auto* const words = reinterpret_cast<std::uint16_t*>(cells);
    if (layout_.allocated == 1) return read_bits(first + std::uint64_t(y * layout_.columns), count, words);
    if (is_halved()) return read_halved(first / 8, y, count, words);
    if (layout_.cell_bytes() == 4) read_whole(first / 8, y, count, reinterpret_cast<std::uint32_t*>(cells));
    else read_whole(first / 8, y, count, words);
  }

 private:
  template <class Cell>
  void read_whole(std::uint64_t start, std::int64_t y, std::int64_t count, Cell* cells) const {
    if (!layout_.planar) return read_cells(start, y * row_cells(), count * row_cells(), cells);
    std::vector<Cell> plane(std::size_t(count * layout_.columns));
    for (int c = 0; c < layout_.samples; ++c) {
      read_cells(start, (c * layout_.rows + y) * layout_.columns, std::int64_t(plane.size()), plane.data());
      for (std::size_t i = 0; i < plane.size(); ++i) cells[i * std::size_t(layout_.samples) + std::size_t(c)] = plane[i];
    }
  }
  [[nodiscard]] bool is_halved() const {
    return layout_.photometric == Photometric::ybr_full_422 || layout_.photometric == Photometric::ybr_partial;
  }
  [[nodiscard]] std::int64_t row_cells() const { return layout_.columns * layout_.samples; }

  /// Bytes of the pixel data. Those of a big-endian file are swapped by cells, or by words where these hold two cells.
  [[nodiscard]] std::vector<std::byte> bytes(std::uint64_t offset, std::uint64_t size) const {
    const bool swapped = file_.big_endian && (layout_.cell_bytes() > 1 || file_.pixels.vr == vr("OW"));
    const std::uint64_t unit = swapped ? std::uint64_t(std::max(2, layout_.cell_bytes())) : 1;
    const std::uint64_t begin = offset / unit * unit;
    std::vector<std::byte> data((offset + size + unit - 1) / unit * unit - begin);
    const std::uint64_t there = file_.pixels.whole.size - begin;
    if (file_.source->read_at(file_.pixels.whole.offset + begin, std::span(data).first(std::min<std::uint64_t>(data.size(), there))) <
        std::min<std::uint64_t>(data.size(), there))
      throw cut_short(*file_.source);
    if (swapped) swap_bytes(data, unit);
    data.erase(data.begin(), data.begin() + std::ptrdiff_t(offset - begin));
    return data;
  }
  template <class Cell>
  void read_cells(std::uint64_t start, std::int64_t first, std::int64_t count, Cell* cells) const {
    const auto width = std::uint64_t(layout_.cell_bytes());
    widen(bytes(start + std::uint64_t(first) * width, std::uint64_t(count) * width).data(), std::size_t(count), int(width), cells);
  }
  void read_bits(std::uint64_t first, std::int64_t count, std::uint16_t* cells) const {
    const auto number = std::uint64_t(count * layout_.columns);
    const std::vector<std::byte> packed = bytes(first / 8, (first % 8 + number + 7) / 8);
    for (std::uint64_t i = 0; i < number; ++i) {
      const std::uint64_t bit = first % 8 + i;
      cells[i] = std::to_integer<std::uint16_t>(packed[bit / 8] >> (bit % 8) & std::byte(1));
    }
  }
  /// Y1 Y2 Cb Cr for each two pixels.
  void read_halved(std::uint64_t start, std::int64_t y, std::int64_t count, std::uint16_t* cells) const {
    const std::int64_t pairs = (layout_.columns + 1) / 2;
    const std::vector<std::byte> quads = bytes(start + std::uint64_t(y * pairs * 4), std::uint64_t(count * pairs * 4));
    for (std::int64_t row = 0; row < count; ++row)
      for (std::int64_t x = 0; x < layout_.columns; ++x) {
        const std::byte* quad = quads.data() + (row * pairs + x / 2) * 4;
        for (const std::byte b : {quad[x % 2], quad[2], quad[3]}) *cells++ = std::to_integer<std::uint16_t>(b);
      }
  }

  const DicomFile& file_;
  const PixelLayout& layout_;
};

/// The fragments of each frame.
std::vector<std::vector<Extent>> fragments_of_frames(const DicomFile& file, std::int64_t frames) {
  const std::vector<Extent>& all = file.pixels.fragments;
  std::vector<std::vector<Extent>> groups;
  if (frames == 1) return {all};
  const std::vector<std::uint32_t>& table = file.pixels.offset_table;
  const bool one_each = std::int64_t(all.size()) == frames;
  std::size_t next = 0;
  for (const Extent& fragment : all) {
    std::array<std::byte, 2> start{};
    if (fragment.size >= 2) (void)file.source->read_at(fragment.offset, start);
    const bool begins = start[0] == std::byte(0xff) && (start[1] == std::byte(0xd8) || start[1] == std::byte(0x4f));
    const bool listed = next < table.size() && fragment.offset - all.front().offset == table[next];
    if (one_each || (table.size() > 1 ? listed : begins)) groups.emplace_back(), ++next;
    if (groups.empty()) break;
    groups.back().push_back(fragment);
  }
  return groups;
}

enum class Scheme { rle, jpeg, jpeg_ls, jpeg2000 };

std::optional<Scheme> scheme_of(const std::string& syntax) {
  if (syntax == uid::rle) return Scheme::rle;
  const std::string_view family = "1.2.840.10008.1.2.4.";
  if (!syntax.starts_with(family)) return std::nullopt;
  const std::string number = syntax.substr(family.size());
  if (number == "90" || number == "91") return Scheme::jpeg2000;
  if (number == "80" || number == "81") return Scheme::jpeg_ls;
  const bool known = number.size() == 2 && (number[0] == '5' || number[0] == '6' || number == "70");
  return known ? std::optional(Scheme::jpeg) : std::nullopt;
}

/// More bytes than this never come from one. PackBits repeats a byte 128 times; JPEG takes at least a bit for 8x8 pixels (of 2
/// bytes, with chroma); the others tell of large areas at once, but no giant is blank.
constexpr std::uint64_t most_unpacked(Scheme scheme, std::uint64_t frame_bytes) {
  switch (scheme) {
    case Scheme::rle: return 64;
    case Scheme::jpeg: return 1 << 12;
    case Scheme::jpeg_ls:
    case Scheme::jpeg2000: return frame_bytes > (1 << 28) ? 1 << 12 : 1 << 20;
  }
  return 1;
}

/// Codestreams end with a marker that is nowhere else in them.
bool has_end(std::span<const std::byte> codestream) {
  constexpr std::byte marker[] = {std::byte(0xff), std::byte(0xd9)};
  return std::find_end(codestream.begin(), codestream.end(), std::begin(marker), std::end(marker)) != codestream.end();
}

/// Frames that a codec decodes, some at a time.
class CompressedFrames final : public Frames {
 public:
  CompressedFrames(const DicomFile& file, const PixelLayout& layout, Scheme scheme)
      : file_(file), layout_(layout), scheme_(scheme), extents_(fragments_of_frames(file, layout.frames)) {
    if (std::int64_t(extents_.size()) != layout.frames || extents_.front().empty())
      throw damaged(*file.source, fmt::format("{} of {} frames have compressed data", extents_.size(), layout.frames));
    format_ = {0, layout.stored, layout.is_signed, layout.photometric};
    kind_ = {file.transfer_syntax, layout.columns, layout.rows, layout.samples, layout.allocated, false};
    check_sizes();
    if (scheme == Scheme::rle) {
      if (layout.allocated == 1) throw unsupported(*file.source, "RLE of single bits");
      format_.shift = layout.high_bit + 1 - layout.stored;
      if (format_.colours == Photometric::ybr_full_422) format_.colours = Photometric::ybr_full;
    } else {
      read_codestream();
    }
  }

  void read(std::int64_t frame, std::int64_t y, std::int64_t count, std::byte* cells) override {
    if (frame < first_ || frame >= first_ + decoded_) decode(frame);
    const std::size_t row = std::size_t(layout_.columns * layout_.samples), width = std::size_t(kind_.cell_bytes());
    const std::byte* start = cells_.data() + std::size_t(frame - first_) * kind_.frame_bytes() + std::size_t(y) * row * width;
    if (layout_.cell_bytes() == 4) widen(start, std::size_t(count) * row, int(width), reinterpret_cast<std::uint32_t*>(cells));
    else widen(start, std::size_t(count) * row, int(width), reinterpret_cast<std::uint16_t*>(cells));
  }

 private:
  [[nodiscard]] std::vector<std::byte> codestream(std::int64_t frame, std::uint64_t most = UINT64_MAX) const {
    std::vector<std::byte> bytes;
    for (const Extent& fragment : extents_[std::size_t(frame)]) {
      const std::size_t done = bytes.size();
      const std::uint64_t size = std::min<std::uint64_t>(fragment.size, most - done);
      bytes.resize(done + size);
      if (file_.source->read_at(fragment.offset, std::span(bytes).subspan(done)) < size) throw cut_short(*file_.source);
    }
    return bytes;
  }

  /// A few bytes can't hold a giant: nothing is allocated for what they announce.
  void check_sizes() const {
    const std::uint64_t frame_bytes = kind_.frame_bytes();
    if (frame_bytes > UINT32_MAX) throw unsupported(*file_.source, "4 GiB of compressed pixels in one frame");
    for (const auto& fragments : extents_) {
      std::uint64_t bytes = 0;
      for (const Extent& fragment : fragments) bytes += fragment.size;
      if (frame_bytes / most_unpacked(scheme_, frame_bytes) > bytes) throw cut_short(*file_.source);
    }
  }

  [[nodiscard]] std::optional<Codestream> header_of(std::span<const std::byte> stream) const {
    return scheme_ == Scheme::jpeg2000 ? read_jpeg2000_header(stream) : read_jpeg_header(stream);
  }

  /// What the first frame says of itself must be what the data set says.
  void read_codestream() {
    constexpr std::uint64_t header_bytes = 1 << 16;
    const auto found = header_of(codestream(0, header_bytes));
    if (!found) throw damaged(*file_.source, "its compressed pixels have no header that can be read");
    if (found->columns != layout_.columns || found->rows != layout_.rows || found->samples != layout_.samples)
      throw damaged(*file_.source, fmt::format("compressed {}x{} with {} samples, announced {}x{} with {}", found->columns, found->rows,
                                               found->samples, layout_.columns, layout_.rows, layout_.samples));
    if (found->bits > 16) throw unsupported(*file_.source, fmt::format("compression of {} bits a sample", found->bits));
    header_ = *found;
    kind_.bits = found->bits;
    kind_.is_signed = found->is_signed;
    if (found->bits > layout_.high_bit) format_.shift = layout_.high_bit + 1 - layout_.stored;
    format_.bits = std::min(layout_.stored, found->bits);
    if (layout_.samples == 3) {
      const bool announced = layout_.photometric != Photometric::rgb && layout_.photometric != Photometric::ybr_wavelet;
      format_.colours = found->is_ybr.value_or(announced) ? Photometric::ybr_full : Photometric::rgb;
    }
  }

  void decode(std::int64_t frame) {
    constexpr std::size_t most_at_once = std::size_t(64) << 20;
    const auto group = std::int64_t(std::max<std::size_t>(1, most_at_once / kind_.frame_bytes()));
    first_ = frame;
    decoded_ = std::min(group, layout_.frames - frame);
    if (scheme_ == Scheme::rle) {
      cells_.resize(kind_.frame_bytes() * std::size_t(decoded_));
      for (std::int64_t i = 0; i < decoded_; ++i) unpack_rle(frame + i, std::span(cells_).subspan(std::size_t(i) * kind_.frame_bytes(), kind_.frame_bytes()));
      return;
    }
    std::vector<std::vector<std::byte>> streams;
    for (std::int64_t i = 0; i < decoded_; ++i) {
      streams.push_back(codestream(frame + i));
      if (!has_end(streams.back())) throw cut_short(*file_.source);  // decoders would make up the rest
      if (header_of(streams.back()) != header_) throw damaged(*file_.source, fmt::format("frame {} differs from the first", frame + i + 1));
    }
    cells_ = decode_frames(kind_, streams, file_.source->name());
  }
  void unpack_rle(std::int64_t frame, std::span<std::byte> cells) const {
    if (!decode_rle(codestream(frame), layout_.samples, layout_.cell_bytes(), cells))
      throw damaged(*file_.source, fmt::format("frame {} can't be unpacked", frame + 1));
  }

  const DicomFile& file_;
  const PixelLayout& layout_;
  Scheme scheme_;
  std::vector<std::vector<Extent>> extents_;
  Codestream header_;  // of all frames
  CodecFrames kind_;
  std::int64_t first_ = 0, decoded_ = 0;
  std::vector<std::byte> cells_;
};

}  // namespace

void check_plain_size(const DicomFile& file, const PixelLayout& layout) {
  const std::uint64_t bits = layout.frame_bits();
  if (bits > (UINT64_MAX - 7) / std::uint64_t(layout.frames) || (bits * std::uint64_t(layout.frames) + 7) / 8 > file.pixels.whole.size)
    throw cut_short(*file.source);
}

std::unique_ptr<Frames> open_frames(const DicomFile& file, const PixelLayout& layout) {
  const auto scheme = scheme_of(file.transfer_syntax);
  if (!file.pixels.encapsulated && scheme) throw damaged(*file.source, "its compressed pixels are not in fragments");
  if (!file.pixels.encapsulated) return std::make_unique<PlainFrames>(file, layout);
  if (!scheme) throw unsupported(*file.source, fmt::format("transfer syntax {}", printable(file.transfer_syntax)));
  return std::make_unique<CompressedFrames>(file, layout, *scheme);
}

}  // namespace upfirdn::dicom
