#pragma once
/// The plain C table between the program and its module `imaging`. No exception crosses it. Change the number
/// with it.

#include <cstddef>
#include <cstdint>

inline constexpr std::uint32_t upfirdn_imaging_abi = 2;

struct UpfirdnPixels {
  void* data;  ///< interleaved gray, RGB or RGBA, native byte order
  size_t stride_bytes;
  int32_t width, height, channels, sample_bytes;
};

/// A shape of a drawing. Coordinates are in pixels, colours 0xRRGGBB.
struct UpfirdnShape {
  enum Kind : int32_t { line, disc, words } kind;
  const double* points;  ///< x, y, x, y, ...: the line; the centre; the anchor of the words on their base line
  int32_t point_count;
  uint32_t colour;
  double size;       ///< width of the line, radius of the disc, height of the font
  int32_t flags;     ///< line: 1 dashed; words: 1 upright
  int32_t anchor;    ///< words: 0 start, 1 middle, 2 end
  const char* text;  ///< ASCII
};

/// Receives bytes that the module made; must not throw.
using UpfirdnTakeBytes = void (*)(void* context, const void* bytes, std::size_t size);

/// Functions return 0, or write one line to `error` (`error_size` bytes, terminated) and return 1.
struct UpfirdnImaging {
  uint32_t abi;
  /// Decodes a file in memory into pixels of the shape that its header tells.
  int (*decode)(const void* file, size_t size, const UpfirdnPixels* into, char* error, size_t error_size);
  /// Encodes as ".bmp", ".webp" (`quality` 1 to 100) or ".jp2" (lossless).
  int (*encode)(const char* extension, const UpfirdnPixels* from, int quality, UpfirdnTakeBytes take,
                void* context, char* error, size_t error_size);
  /// A colour PNG of `values`, 0 to `largest`; NaN counts as the largest.
  int (*heatmap)(const float* values, int32_t width, int32_t height, double largest, UpfirdnTakeBytes take,
                 void* context, char* error, size_t error_size);
  /// A colour PNG of shapes on white.
  int (*draw)(const UpfirdnShape* shapes, size_t count, int32_t width, int32_t height, UpfirdnTakeBytes take,
              void* context, char* error, size_t error_size);
};

/// The symbol that a module exports.
using UpfirdnImagingEntry = const UpfirdnImaging* (*)();
inline constexpr const char* upfirdn_imaging_entry = "upfirdn_imaging";
