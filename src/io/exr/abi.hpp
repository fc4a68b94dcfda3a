#pragma once
/// The plain C table between the program and its module `exr`. No exception crosses it. Change the number with it.

#include <cstddef>
#include <cstdint>

inline constexpr std::uint32_t upfirdn_exr_abi = 1;

/// Bytes of a file. The function reads `size` bytes at `offset` and returns 0, or it returns 1; it must not throw.
struct UpfirdnExrSource {
  void* context;
  int (*read_at)(void* context, uint64_t offset, void* bytes, size_t size);
};

/// Where bytes of a file go. The function returns 0, or 1 if it failed; it must not throw.
struct UpfirdnExrSink {
  void* context;
  int (*write_at)(void* context, uint64_t offset, const void* bytes, size_t size);
};

/// The channels of an image in the order in which rows interleave them.
struct UpfirdnExrChannels {
  const char* const* names;
  int32_t count;
  int32_t sample_bytes;  ///< 2: half, 4: float
};

/// An attribute of a header; `bytes` as a file stores its value.
struct UpfirdnExrAttribute {
  const char *name, *type;
  const void* bytes;
  size_t size;
};

struct UpfirdnExrReader;
struct UpfirdnExrWriter;

/// Functions return 0, or write one line to `error` (`error_size` bytes, terminated) and return 1.
struct UpfirdnExr {
  uint32_t abi;
  /// Opens part `part`, from 0, of a file whose header was checked. `channels` exist and are not subsampled.
  int (*open)(const UpfirdnExrSource* source, int32_t part, const UpfirdnExrChannels* channels, UpfirdnExrReader** reader,
              char* error, size_t error_size);
  /// Decodes `count` rows from row `first` of the data window on (0 is its top).
  int (*read)(UpfirdnExrReader* reader, int64_t first, int64_t count, void* rows, size_t stride_bytes, char* error, size_t error_size);
  void (*close)(UpfirdnExrReader* reader);
  /// Begins a file of one part of scan lines. The attributes tell its windows and compression.
  int (*create)(const UpfirdnExrSink* sink, const UpfirdnExrAttribute* attributes, size_t attribute_count,
                const UpfirdnExrChannels* channels, UpfirdnExrWriter** writer, char* error, size_t error_size);
  /// Encodes the next `count` rows.
  int (*write)(UpfirdnExrWriter* writer, int64_t count, const void* rows, size_t stride_bytes, char* error, size_t error_size);
  /// Writes what is left and frees the writer, whose file is complete if all rows were written.
  void (*finish)(UpfirdnExrWriter* writer);
};

/// The symbol that a module exports.
using UpfirdnExrEntry = const UpfirdnExr* (*)();
inline constexpr const char* upfirdn_exr_entry = "upfirdn_exr";
