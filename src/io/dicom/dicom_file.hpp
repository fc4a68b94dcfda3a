#pragma once
/// DICOM files as data sets: with or without preamble and meta header, every transfer syntax, nothing decoded.

#include <memory>
#include <string>
#include <vector>

#include "io/codec.hpp"
#include "io/dicom/data_set.hpp"

namespace upfirdn::dicom {

/// Bytes of a file.
struct Extent {
  std::uint64_t offset = 0, size = 0;
};

/// Where the pixels of a file are.
struct PixelPlace {
  Tag tag = 0;                      ///< PixelData, FloatPixelData or DoubleFloatPixelData; 0: there are none
  Vr vr{};
  bool encapsulated = false;
  Extent whole;                     ///< if not encapsulated
  std::vector<std::uint32_t> offset_table;  ///< of the first item; empty if it is
  std::vector<Extent> fragments;    ///< the other items
};

struct DicomFile {
  std::shared_ptr<const ByteSource> source;  ///< holds the pixels: the file, or what was deflated in it
  DataSet meta;                        ///< group 2
  DataSet data;                        ///< all but the pixels
  std::string transfer_syntax;         ///< its UID
  bool big_endian = false;             ///< of the pixels
  PixelPlace pixels;
};

/// True if the first bytes of a file (150 suffice) are those of a DICOM file.
[[nodiscard]] bool looks_like_dicom(std::span<const std::byte> head);

/// Reads all but the pixels. Throws Error(image_failed): cut short, damaged.
[[nodiscard]] DicomFile read_dicom(std::unique_ptr<ByteSource> source);

/// The bytes of elements in the explicit little endian transfer syntax.
void append_elements(std::vector<std::byte>& bytes, const DataSet& data);
/// The header of an element whose value follows; `size` 0xffffffff is an undefined length.
void append_header(std::vector<std::byte>& bytes, Tag tag, Vr vr, std::uint32_t size);
/// Preamble, "DICM" and meta header.
void append_meta(std::vector<std::byte>& bytes, const DataSet& meta);

namespace uid {
inline constexpr std::string_view implicit_little = "1.2.840.10008.1.2";
inline constexpr std::string_view explicit_little = "1.2.840.10008.1.2.1";
inline constexpr std::string_view deflated = "1.2.840.10008.1.2.1.99";
inline constexpr std::string_view explicit_big = "1.2.840.10008.1.2.2";
inline constexpr std::string_view rle = "1.2.840.10008.1.2.5";
/// Of GE: implicit little endian elements, big endian pixels.
inline constexpr std::string_view ge_big_pixels = "1.2.840.113619.5.2";
inline constexpr std::string_view jpeg_ls_near = "1.2.840.10008.1.2.4.81";
inline constexpr std::string_view jpeg_baseline = "1.2.840.10008.1.2.4.50", jpeg_extended = "1.2.840.10008.1.2.4.51";
inline constexpr std::string_view jpeg_ls = "1.2.840.10008.1.2.4.80";
inline constexpr std::string_view jpeg2000 = "1.2.840.10008.1.2.4.90";
}  // namespace uid

namespace tag {
inline constexpr Tag transfer_syntax = 0x00020010;
inline constexpr Tag item = 0xfffee000, item_end = 0xfffee00d, sequence_end = 0xfffee0dd;
inline constexpr Tag float_pixels = 0x7fe00008, double_pixels = 0x7fe00009, pixels = 0x7fe00010;
}  // namespace tag

}  // namespace upfirdn::dicom
