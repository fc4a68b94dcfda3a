#pragma once
/// The module `exr` (OpenEXR): loaded when samples of an EXR file are first needed, found relative to the program.

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "io/byte_files.hpp"
#include "io/exr/abi.hpp"
#include "io/exr/exr_header.hpp"

namespace upfirdn::exr {

/// Decodes rows of one part. `source` must outlive it. Throws Error(image_failed): damaged, cut short, or no module.
class Decoder {
 public:
  /// `channels` in the order in which rows interleave them, as f16 or f32.
  Decoder(const ByteSource& source, int part, const std::vector<std::string>& channels, PixelType type);
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// `first` is 0 for the top row of the data window.
  void read(std::int64_t first, std::int64_t count, std::byte* rows, std::size_t stride_bytes);

 private:
  static int read_at(void* context, std::uint64_t offset, void* bytes, std::size_t size) noexcept;
  void check(int failed, const char* error);

  const ByteSource& source_;
  ForwardReader bytes_;
  bool ended_ = false;
  std::exception_ptr fault_;
  UpfirdnExrReader* reader_ = nullptr;
};

/// Encodes the rows of a file of one image. `sink` must outlive it. Throws Error(image_failed).
class Encoder {
 public:
  Encoder(ByteSink& sink, const std::vector<Attribute>& attributes, const std::vector<std::string>& channels, PixelType type);
  ~Encoder();
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  void write(const std::byte* rows, std::int64_t count, std::size_t stride_bytes);
  /// After the last row.
  void finish();

 private:
  static int write_at(void* context, std::uint64_t offset, const void* bytes, std::size_t size) noexcept;
  void check(int failed, const char* error);

  ByteSink& sink_;
  std::exception_ptr fault_;
  UpfirdnExrWriter* writer_ = nullptr;
};

}  // namespace upfirdn::exr
