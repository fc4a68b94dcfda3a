#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "io/header_bytes.hpp"
#include "io/imaging_headers.hpp"

namespace upfirdn {
namespace {

/// What the boxes around a code stream say.
struct Jp2Boxes {
  std::uint64_t stream = 0, stream_end = 0;
  int alpha_channel = -1;
  Alpha alpha = Alpha::none;
};

struct Box {
  std::uint64_t body, end;
};

/// The box at `offset` in a container that ends at `limit`.
Box box_at(const ByteSource& source, std::uint64_t offset, std::uint64_t limit) {
  std::uint64_t size = big<4>(source, offset), body = offset + 8;
  if (size == 1) {
    size = std::uint64_t(big<4>(source, offset + 8)) << 32 | big<4>(source, offset + 12);
    body = offset + 16;
  }
  if (size == 0) return {body, limit};
  if (size < body - offset) throw damaged(source, "a box of the JPEG 2000 is too short");
  if (size > limit - offset) throw cut_short(source);
  return {body, offset + size};
}

void read_colour(const ByteSource& source, const Box& box) {
  if (big<1>(source, box.body) != 1) return;
  const std::uint32_t space = big<4>(source, box.body + 3);
  if (space != 16 && space != 17) throw unsupported(source, fmt::format("JPEG 2000 colour space {}", space));
}

/// Channel definitions: which channel is opacity.
void read_channels(const ByteSource& source, const Box& box, Jp2Boxes& boxes) {
  const std::uint32_t count = big<2>(source, box.body);
  for (std::uint64_t entry = box.body + 2; entry + 6 <= box.end && entry < box.body + 2 + 6 * count;
       entry += 6) {
    const std::uint32_t type = big<2>(source, entry + 2);
    if (type != 1 && type != 2) continue;
    boxes.alpha_channel = int(big<2>(source, entry));
    boxes.alpha = type == 1 ? Alpha::straight : Alpha::associated;
  }
}

Jp2Boxes read_boxes(const ByteSource& source) {
  Jp2Boxes boxes;
  const std::uint64_t size = source.size();
  for (std::uint64_t offset = 0; offset + 8 <= size && boxes.stream == 0;) {
    const Box box = box_at(source, offset, size);
    if (tag_is(source, offset + 4, "jp2c")) {
      boxes.stream = box.body;
      boxes.stream_end = box.end;
    }
    if (tag_is(source, offset + 4, "jp2h")) {
      for (std::uint64_t inner = box.body; inner + 8 <= box.end;) {
        const Box part = box_at(source, inner, box.end);
        if (tag_is(source, inner + 4, "pclr")) throw unsupported(source, "JPEG 2000 with a palette");
        if (tag_is(source, inner + 4, "colr")) read_colour(source, part);
        if (tag_is(source, inner + 4, "cdef")) read_channels(source, part, boxes);
        inner = part.end;
      }
    }
    offset = box.end;
  }
  if (boxes.stream == 0) throw cut_short(source);
  return boxes;
}

/// Follows the tile parts to the end marker: all tiles are there and none is cut.
void check_tiles(const ByteSource& source, std::uint64_t offset, std::uint64_t end, std::uint64_t tiles) {
  std::vector<bool> seen(tiles);
  while (true) {
    const std::uint32_t marker = big<2>(source, offset);
    if (offset + 2 > end) throw cut_short(source);
    if (marker == 0xffd9) break;
    if (marker < 0xff00) throw damaged(source, "a marker of the JPEG 2000 is missing");
    std::uint64_t length = 2 + std::uint64_t(big<2>(source, offset + 2));
    if (marker == 0xff90) {
      const std::uint32_t tile = big<2>(source, offset + 4), part = big<4>(source, offset + 6);
      if (tile >= tiles) throw damaged(source, "a tile of the JPEG 2000 has a number that is too high");
      seen[tile] = true;
      if (part == 0) {
        if (end < offset + 16 || big<2>(source, end - 2) != 0xffd9) throw cut_short(source);
        break;
      }
      if (part < 14) throw damaged(source, "a tile of the JPEG 2000 is too short");
      length = part;
    }
    if (offset + length > end) throw cut_short(source);
    offset += length;
  }
  if (std::ranges::find(seen, false) != seen.end())
    throw damaged(source, "a tile of the JPEG 2000 is missing");
}

/// Shape from the SIZ marker segment, whose marker is at `offset`.
ImageInfo read_shape(const ByteSource& source, std::uint64_t offset, std::uint64_t& tiles) {
  const auto field = [&](std::uint64_t index) {
    return std::uint64_t(big<4>(source, offset + 6 + 4 * index));
  };
  const std::uint64_t right = field(0), bottom = field(1), tile_width = field(4), tile_height = field(5);
  if (field(2) != 0 || field(3) != 0) throw unsupported(source, "JPEG 2000 with an image offset");
  if (right == 0 || bottom == 0 || tile_width == 0 || tile_height == 0) throw damaged(source, "a side is 0");
  if (field(6) != 0 || field(7) != 0) throw unsupported(source, "JPEG 2000 with a tile offset");
  const std::uint64_t across = (right + tile_width - 1) / tile_width,
                      down = (bottom + tile_height - 1) / tile_height;
  if (across > 65535 || down > 65535 || across * down > 65535)
    throw damaged(source, "the JPEG 2000 has too many tiles");
  tiles = across * down;
  ImageInfo info;
  info.width = std::int64_t(right);
  info.height = std::int64_t(bottom);
  info.channels = int(big<2>(source, offset + 38));
  if (info.channels != 1 && info.channels != 3 && info.channels != 4) {
    throw unsupported(source, fmt::format("JPEG 2000 with {} components", info.channels));
  }
  const std::uint32_t precision = big<1>(source, offset + 40);
  for (int c = 0; c < info.channels; ++c) {
    const std::uint64_t component = offset + 40 + 3 * std::uint64_t(c);
    if (big<1>(source, component) != precision)
      throw unsupported(source, "JPEG 2000 with components of unequal depth");
    if (big<2>(source, component + 1) != 0x0101)
      throw unsupported(source, "JPEG 2000 with subsampled components");
  }
  const std::uint32_t bits = precision + 1;
  if (bits < 8 || bits > 16) throw unsupported(source, "JPEG 2000 with signed samples, or not 8 to 16 bits,");
  info.maxval = (1u << bits) - 1;
  info.type = bits == 8 ? PixelType::u8 : PixelType::u16;
  return info;
}

}  // namespace

ImageInfo read_jpeg2000_header(const ByteSource& source) {
  Jp2Boxes boxes;
  boxes.stream_end = source.size();
  if (big<4>(source, 0) != 0xff4fff51) boxes = read_boxes(source);
  if (big<4>(source, boxes.stream) != 0xff4fff51) throw damaged(source, "the JPEG 2000 has no code stream");
  std::uint64_t tiles = 0;
  ImageInfo info = read_shape(source, boxes.stream + 2, tiles);
  check_tiles(source, boxes.stream + 2, boxes.stream_end, tiles);
  if (info.channels == 4 && boxes.alpha_channel == 3) info.alpha = boxes.alpha;
  return info;
}

}  // namespace upfirdn
