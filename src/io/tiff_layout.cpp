#include "io/tiff_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/header_bytes.hpp"

namespace upfirdn {
namespace {

Error refused(const ByteSource& source, const std::string& what) {
  return image_error(source.name(), what + " is not supported; convert the file to a plain gray or RGB TIFF");
}

/// A tag of two bytes or its default.
std::uint16_t short_tag(TIFF* tiff, std::uint32_t tag, std::uint16_t fallback) {
  std::uint16_t value = fallback;
  return TIFFGetFieldDefaulted(tiff, tag, &value) != 0 ? value : fallback;
}

std::uint32_t long_tag(TIFF* tiff, std::uint32_t tag, std::uint32_t fallback) {
  std::uint32_t value = fallback;
  return TIFFGetFieldDefaulted(tiff, tag, &value) != 0 ? value : fallback;
}

/// Most bytes that one byte of a compressed file can become.
double most_expansion(std::uint16_t compression) {
  switch (compression) {
    case COMPRESSION_NONE:
    case COMPRESSION_PACKBITS:
      return 128;  // uncompressed blocks may share their bytes
    case COMPRESSION_LZW:
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_JPEG:
      return 4096;
    default:
      return 1 << 18;
  }
}

struct Header {
  std::uint16_t photometric, compression, sample_format, planar;
};

Header read_header(TIFF* tiff, TiffLayout& layout, const ByteSource& source) {
  layout.width = long_tag(tiff, TIFFTAG_IMAGEWIDTH, 0);
  layout.height = long_tag(tiff, TIFFTAG_IMAGELENGTH, 0);
  layout.samples = short_tag(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  layout.bits = short_tag(tiff, TIFFTAG_BITSPERSAMPLE, 1);
  if (layout.width < 1 || layout.height < 1 || layout.samples < 1)
    throw damaged(source, "its header has no width, height or samples");
  if (std::max(layout.width, layout.height) > 0x7fffffff)
    throw refused(source, fmt::format("a size of {} x {} pixels", layout.width, layout.height));
  if (long_tag(tiff, TIFFTAG_IMAGEDEPTH, 1) != 1) throw refused(source, "a volume (ImageDepth)");
  const std::uint16_t guess = layout.samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  const Header header{.photometric = short_tag(tiff, TIFFTAG_PHOTOMETRIC, guess),
                      .compression = short_tag(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE),
                      .sample_format = short_tag(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT),
                      .planar = short_tag(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG)};
  layout.planar = header.planar == PLANARCONFIG_SEPARATE && layout.samples > 1;
  layout.compressed = header.compression != COMPRESSION_NONE;
  return header;
}

const char* name_of_photometric(std::uint16_t photometric) {
  switch (photometric) {
    case PHOTOMETRIC_MASK:
      return "a transparency mask";
    case PHOTOMETRIC_SEPARATED:
      return "CMYK colour";
    case PHOTOMETRIC_YCBCR:
      return "YCbCr colour without JPEG compression";
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
    case PHOTOMETRIC_ITULAB:
      return "Lab colour";
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_LOGLUV:
      return "LogLuv colour";
    case PHOTOMETRIC_CFA:
      return "raw sensor data (CFA)";
    default:
      return nullptr;
  }
}

/// Colour channels of the page, before a palette is looked up.
int color_samples(const Header& header, TiffStream& stream, const ByteSource& source) {
  switch (header.photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_PALETTE:
      return 1;
    case PHOTOMETRIC_RGB:
      return 3;
    case PHOTOMETRIC_YCBCR:
      if (header.compression == COMPRESSION_JPEG && header.planar == PLANARCONFIG_CONTIG) {
        TIFFSetField(stream.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        return 3;
      }
      [[fallthrough]];
    default: {
      const char* known = name_of_photometric(header.photometric);
      throw refused(source, known != nullptr ? std::string(known)
                                             : fmt::format("the TIFF colour space {}", header.photometric));
    }
  }
}

void choose_type(const Header& header, TiffLayout& layout, const ByteSource& source) {
  const int bits = layout.bits;
  ImageInfo& info = layout.info;
  const bool is_unsigned =
      header.sample_format == SAMPLEFORMAT_UINT || header.sample_format == SAMPLEFORMAT_VOID;
  if (is_unsigned && (bits == 1 || bits == 2 || bits == 4 || bits == 8)) {
    info.type = PixelType::u8;
  } else if (is_unsigned && (bits == 10 || bits == 12 || bits == 14 || bits == 16)) {
    info.type = PixelType::u16;
  } else if (is_unsigned && bits == 32) {
    info.type = PixelType::u32;
  } else if (header.sample_format == SAMPLEFORMAT_INT && (bits == 16 || bits == 32)) {
    info.type = bits == 16 ? PixelType::s16 : PixelType::s32;
  } else if (header.sample_format == SAMPLEFORMAT_IEEEFP && (bits == 16 || bits == 32 || bits == 64)) {
    info.type = bits == 16 ? PixelType::f16 : bits == 32 ? PixelType::f32 : PixelType::f64;
  } else {
    const char* kind = is_unsigned                                   ? "unsigned"
                       : header.sample_format == SAMPLEFORMAT_INT    ? "signed"
                       : header.sample_format == SAMPLEFORMAT_IEEEFP ? "floating-point"
                                                                     : "complex";
    throw image_error(source.name(),
                      fmt::format("{}-bit {} TIFF samples are not supported; store 8, 16 or 32-bit "
                                  "unsigned, 16 or 32-bit signed, or 16, 32 or 64-bit float ones",
                                  bits, kind));
  }
  info.maxval = info.type == PixelType::u16 ? (1u << bits) - 1 : full_scale(info.type);
}

/// The last extra sample decides: only a last channel can be alpha.
Alpha read_alpha(TIFF* tiff, int extra) {
  std::uint16_t count = 0;
  std::uint16_t* kinds = nullptr;
  if (extra < 1 || TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) == 0) return Alpha::none;
  if (count != extra) return Alpha::none;
  switch (kinds[count - 1]) {
    case EXTRASAMPLE_ASSOCALPHA:
      return Alpha::associated;
    case EXTRASAMPLE_UNASSALPHA:
      return Alpha::straight;
    default:
      return Alpha::none;
  }
}

/// Reads the colour map. Its entries have 16 bits; where 8 bits hold them all (any of the three usual ways)
/// the image has 8-bit samples, otherwise 16-bit ones.
void read_palette(TIFF* tiff, TiffLayout& layout, const ByteSource& source) {
  if (layout.samples != 1 || layout.bits > 8 || layout.info.type != PixelType::u8)
    throw refused(source, "a palette with extra samples or more than 8 bits");
  std::array<std::uint16_t*, 3> columns{};
  if (TIFFGetField(tiff, TIFFTAG_COLORMAP, &columns[0], &columns[1], &columns[2]) == 0)
    throw damaged(source, "its palette is missing");
  layout.palette.resize(std::size_t(1) << layout.bits);
  bool small = true, shifted = true, scaled = true;
  for (std::size_t i = 0; i < layout.palette.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint16_t value = columns[c][i];
      layout.palette[i][c] = value;
      small = small && value < 256;
      shifted = shifted && value % 256 == 0;
      scaled = scaled && value % 257 == 0;
    }
  }
  layout.info.channels = 3;
  if (!small && !shifted && !scaled) {
    layout.info.type = PixelType::u16;
    layout.info.maxval = 65535;
    return;
  }
  for (auto& entry : layout.palette) {
    for (std::uint16_t& value : entry) value = small ? value : std::uint16_t(value >> 8);
  }
}

void choose_blocks(TIFF* tiff, TiffLayout& layout, const ByteSource& source) {
  layout.tiled = TIFFIsTiled(tiff) != 0;
  if (layout.tiled) {
    layout.block_width = long_tag(tiff, TIFFTAG_TILEWIDTH, 0);
    layout.block_height = long_tag(tiff, TIFFTAG_TILELENGTH, 0);
  } else {
    layout.block_width = layout.width;
    layout.block_height =
        std::min<std::int64_t>(long_tag(tiff, TIFFTAG_ROWSPERSTRIP, 0xffffffff), layout.height);
  }
  if (layout.block_width < 1 || layout.block_height < 1)
    throw damaged(source, "its tiles or strips are empty");
  const std::int64_t row_bits = layout.block_width * layout.bits * (layout.planar ? 1 : layout.samples);
  if (layout.blocks_across() > 1 && row_bits % 8 != 0)
    throw refused(source,
                  fmt::format("a tile width of {} pixels of {} bits", layout.block_width, layout.bits));
  layout.block_row_bytes = std::size_t((row_bits + 7) / 8);
  const tmsize_t expected = layout.tiled ? TIFFTileRowSize(tiff) : TIFFScanlineSize(tiff);
  if (std::size_t(expected) != layout.block_row_bytes) throw refused(source, "the layout of its samples");
}

/// Keeps a damaged header from asking for memory that the file can't fill.
void check_size(const Header& header, const TiffLayout& layout, const ByteSource& source) {
  const double limit = most_expansion(header.compression) * double(source.size());
  const double image = double(layout.width) * double(layout.height) * layout.samples * layout.bits / 8;
  const double band = double(layout.block_row_bytes) * double(layout.block_height) *
                      double(layout.blocks_across()) * layout.planes();
  if (image <= limit && (!layout.tiled || band <= limit + (1 << 24))) return;
  throw damaged(
      source,
      fmt::format("its header says {} x {} pixels in blocks of {} x {}, more than its {} bytes can hold",
                  layout.width, layout.height, layout.block_width, layout.block_height, source.size()));
}

}  // namespace

TiffLayout read_tiff_layout(TiffStream& stream, const ByteSource& source) {
  TIFF* tiff = stream.get();
  TiffLayout layout;
  const Header header = read_header(tiff, layout, source);
  if (header.compression == COMPRESSION_OJPEG) throw refused(source, "old-style JPEG compression");
  if (TIFFIsCODECConfigured(header.compression) == 0)
    throw refused(source, fmt::format("TIFF compression {}", header.compression));
  const int colors = color_samples(header, stream, source);
  if (layout.samples < colors) throw damaged(source, "it has too few samples for its colour space");
  choose_type(header, layout, source);
  layout.info.width = layout.width;
  layout.info.height = layout.height;
  layout.info.channels = layout.samples;
  layout.info.alpha = read_alpha(tiff, layout.samples - colors);
  layout.white_is_zero = header.photometric == PHOTOMETRIC_MINISWHITE;
  if (layout.white_is_zero && (is_float(layout.info.type) || is_signed_integer(layout.info.type))) {
    throw image_error(source.name(),
                      fmt::format("WhiteIsZero has no meaning for {} samples; set Photometric to "
                                  "BlackIsZero (tiffset -s 262 1)",
                                  name(layout.info.type)));
  }
  if (header.photometric == PHOTOMETRIC_PALETTE) read_palette(tiff, layout, source);
  choose_blocks(tiff, layout, source);
  check_size(header, layout, source);
  return layout;
}

}  // namespace upfirdn
