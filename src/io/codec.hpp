#pragma once
/// A codec maps bytes to rows and back. Only `image_store` opens, names and renames files.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.hpp"
#include "io/metadata.hpp"

namespace upfirdn {

/// Order of the dimensions of a `.npy` array. hwc: HxW or HxWxC, and 4-D as nhwc; chw: CxHxW.
enum class ArrayLayout { hwc, chw, nhwc, nchw };

struct CodecOptions {
  ArrayLayout layout = ArrayLayout::hwc;
  bool array_alpha_last = false;  ///< `--alpha-channel last`: the last channel of a `.npy` is straight alpha
  int quality = 92;               ///< JPEG, WebP
  int jpeg_shrink = 1;            ///< JPEG is decoded at 1 / 1, 2, 4 or 8 of its size, rounded up
  std::optional<int> level;       ///< PNG, TIFF compression level
  std::string compression;        ///< TIFF: none, lzw, deflate, packbits, zstd; empty: deflate if there is a level, else the input's.
                                  ///< EXR: none, rle, zips, zip, piz, pxr24, b44, b44a, dwaa, dwab; empty: the input's, else zip
  std::string transfer_syntax;    ///< DICOM: explicit, jpeg-ls, jpeg2000, rle; empty: explicit
  bool strip = false;             ///< no metadata is written
  bool keep_dpi = false;          ///< the resolution stays; else it follows the new size
  std::shared_ptr<const Origin> origin;  ///< of the images to write; null: unknown
};

/// Random access to the bytes of an input; a file (by pread, never mapped) or standard input read into memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Reads up to `bytes.size()` bytes at `offset`; fewer only at the end. Throws Error(image_failed) on I/O errors.
  [[nodiscard]] virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) const = 0;
  /// For messages: the path as the user gave it, or "standard input".
  [[nodiscard]] virtual const std::string& name() const = 0;
};

/// Random access to the bytes of an output that is not yet visible under its name.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  /// Reads back what was written (libtiff needs it); short only at the end.
  [[nodiscard]] virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) const = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;
};

/// Decodes the images of one file, one after the other. Errors are Error(image_failed) that name the file.
class ImageReader : public RowSource {
 public:
  /// Header of the current image.
  [[nodiscard]] virtual const ImageInfo& info() const = 0;
  /// Number of images, as far as the header tells (a 4-D array: N).
  [[nodiscard]] virtual std::int64_t images() const { return 1; }
  /// Goes to the next image; false after the last.
  [[nodiscard]] virtual bool next_image() { return false; }
  /// What the file tells beside its samples; null if nothing is carried over.
  [[nodiscard]] virtual std::shared_ptr<const Metadata> metadata() const { return nullptr; }
};

/// Encodes images into one file.
class ImageWriter : public RowSink {
 public:
  /// Before the first row of each image but the first: what its input tells, if that differs from image to image.
  virtual void next_image(const std::shared_ptr<const Metadata>&) {}
  /// After the last row of the last image: writes what is left. A writer that is destroyed without this is discarded.
  virtual void finish() = 0;
  /// What of the metadata was left out, or does not hold any more, one line each.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

/// A file format: how it is recognised, what it can hold, how it is read and written.
struct Format {
  std::string name;                     ///< "PNG"
  std::vector<std::string> extensions;  ///< lower case, without the dot; the first is the usual one
  /// True if a file whose first bytes (up to 192) are `head` is of this format.
  std::function<bool(std::span<const std::byte> head)> recognises;
  std::function<std::unique_ptr<ImageReader>(std::unique_ptr<ByteSource>, const CodecOptions&)> open;
  /// `images` images of the shape `info` will be written. Null: the format can't be written.
  std::function<std::unique_ptr<ImageWriter>(std::unique_ptr<ByteSink>, const ImageInfo& info, std::int64_t images,
                                             const CodecOptions&)> create;
  std::vector<PixelType> types;    ///< sample types that can be stored
  std::vector<int> channels;       ///< numbers of channels that can be stored; empty: any
  bool any_maxval = false;         ///< maxval other than full scale is kept (PNM)
  bool own_maxval = false;         ///< so are those of files of this format (TIFF: 10, 12, 14 bits, which few programs read)
  std::int64_t min_side = 1;       ///< smallest side that can be written
  std::int64_t max_side = 0;       ///< 0: no limit of the format
  bool many_images = false;        ///< holds more than one image
  bool streams = false;            ///< images may follow each other in a stream, which many programs read the first of (PNM)
  bool holds_alpha = true;         ///< can mark the last channel as alpha
  bool holds_premultiplied = false;  ///< can mark alpha as associated (TIFF, EXR); if not, it is stored as straight
  bool holds_straight = true;        ///< can mark alpha as straight; if not, it is stored as associated (EXR)
  bool holds_low_is_white = false;  ///< can say that low values are white, of unsigned gray samples (TIFF: MinIsWhite)
  bool own_only = false;           ///< written from files of this format only (DICOM: who is the patient?)
  bool holds_metadata = false;     ///< profile, EXIF, XMP, texts, resolution
  bool always_alpha = false;       ///< 2 and 4 channels always mean a last channel of alpha (PNG, WebP)
};

/// All formats, those with a codec of their own first.
[[nodiscard]] const std::vector<Format>& formats();
/// By extension or name, any case; nullptr if unknown.
[[nodiscard]] const Format* find_format(std::string_view extension);
/// By the first bytes; nullptr if none recognises them.
[[nodiscard]] const Format* recognise_format(std::span<const std::byte> head);

/// Pixel type and maxval in which `format` stores an image of `info` from a file of `source` (null: of any; maxval rescaled to full scale where it must be).
/// Throws Error(image_failed) naming `output_name`, what does not fit (depth, channels, alpha, a side) and formats that do.
[[nodiscard]] ImageInfo stored_as(const Format& format, const ImageInfo& info, const std::string& output_name,
                                  const Format* source = nullptr);

}  // namespace upfirdn
