#pragma once
/// The headers of an EXR file, read without OpenEXR, which allocates what a header asks for and takes defaults for what is
/// missing. What is accepted here OpenEXR reads in the same way.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/codec.hpp"
#include "io/picture_metadata.hpp"

namespace upfirdn::exr {

/// Pixels from min to max, both included.
struct Window {
  std::int32_t min_x = 0, min_y = 0, max_x = 0, max_y = 0;
  [[nodiscard]] std::int64_t width() const { return std::int64_t(max_x) - min_x + 1; }
  [[nodiscard]] std::int64_t height() const { return std::int64_t(max_y) - min_y + 1; }
  friend bool operator==(const Window&, const Window&) = default;
};

/// A named value, as stored (little-endian).
struct Attribute {
  std::string name, type;
  Bytes value;

  [[nodiscard]] std::int32_t integer(std::size_t at) const;
  [[nodiscard]] float number(std::size_t at) const;
  [[nodiscard]] Window window() const;
};

/// An attribute of numbers (std::int32_t, float, std::uint8_t).
template <class... Numbers>
[[nodiscard]] Attribute attribute_of(std::string name, std::string type, Numbers... numbers) {
  Attribute attribute{std::move(name), std::move(type), {}};
  const auto append = [&](auto number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    attribute.value.insert(attribute.value.end(), bytes.begin(), bytes.end());
  };
  (append(numbers), ...);
  return attribute;
}

struct Channel {
  enum class Type : std::uint8_t { integers, halves, floats };
  std::string name;
  Type type = Type::halves;
  std::int32_t x_sampling = 1, y_sampling = 1;
};

struct Compression {
  const char* name;     ///< as `--compression` names it
  std::int64_t rows;    ///< of a block of scan lines
  double expansion;     ///< most bytes that one byte of the file can become
  bool lossless;
};

/// By the number that files store: none, rle, zips, zip, piz, pxr24, b44, b44a, dwaa, dwab.
[[nodiscard]] std::span<const Compression> compressions();

/// One image of a file.
struct Part {
  std::vector<Attribute> attributes;
  std::vector<Channel> channels;
  Window data, display;
  std::uint8_t compression = 0;
  std::int64_t tile_width = 0, tile_height = 0;  ///< 0: scan lines
  bool deep = false;

  /// Null if there is none of that type.
  [[nodiscard]] const Attribute* find(std::string_view name, std::string_view type) const;
};

/// The parts of a file, at least one. Throws Error(image_failed): damaged, cut short, or more samples than the file can hold.
[[nodiscard]] std::vector<Part> read_parts(const ByteSource& source);

}  // namespace upfirdn::exr
