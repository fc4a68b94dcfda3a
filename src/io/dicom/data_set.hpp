#pragma once
/// A DICOM data set in memory: elements as their bytes, sequences as items. Whatever the file was, values are little endian.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upfirdn::dicom {

/// Group and element, 0x00280010.
using Tag = std::uint32_t;
[[nodiscard]] constexpr std::uint16_t group_of(Tag tag) { return std::uint16_t(tag >> 16); }

/// A value representation, two letters.
struct Vr {
  char first = 0, second = 0;
  friend constexpr bool operator==(Vr, Vr) = default;
};
[[nodiscard]] constexpr Vr vr(const char (&letters)[3]) { return {letters[0], letters[1]}; }

/// What the dictionary says of a standard element ("xs": US or SS, as the pixels are); UN where it says nothing.
[[nodiscard]] Vr dictionary_vr(Tag tag);
/// True where explicit data sets have a length of 4 bytes.
[[nodiscard]] bool has_long_length(Vr vr);
/// Bytes that a change of byte order reverses: 1 (text, bytes), 2, 4 or 8.
[[nodiscard]] int unit_bytes(Vr vr);

struct Element;

struct DataSet {
  std::vector<Element> elements;  ///< ascending tags

  [[nodiscard]] const Element* find(Tag tag) const;
  [[nodiscard]] Element* find(Tag tag);
  [[nodiscard]] bool has(Tag tag) const { return find(tag) != nullptr; }
  /// Removes an element; true if there was one.
  bool erase(Tag tag);
  /// Adds an element, or replaces that of the same tag.
  Element& set(Element element);

  /// The value as text without padding; empty if there is none.
  [[nodiscard]] std::string text(Tag tag) const;
  /// The value as numbers, of binary and of text elements; stops at what is no number.
  [[nodiscard]] std::vector<double> numbers(Tag tag) const;
  /// The first of them.
  [[nodiscard]] std::optional<double> number(Tag tag) const;
  /// The first of them as a whole number.
  [[nodiscard]] std::optional<std::int64_t> integer(Tag tag) const;
  /// Item of a sequence; nullptr if there are not so many.
  [[nodiscard]] const DataSet* item(Tag tag, std::size_t index = 0) const;

  void set_text(Tag tag, Vr vr, std::string_view text);
  /// US, SS, UL, SL, FL and FD as they are stored, IS and DS as text of at most 16 characters.
  void set_numbers(Tag tag, Vr vr, const std::vector<double>& values);
  void set_items(Tag tag, std::vector<DataSet> items);
};

struct Element {
  Tag tag = 0;
  Vr vr{};
  std::vector<std::byte> value{};   ///< an even number; of `encapsulated` data the items with their headers
  std::vector<DataSet> items{};     ///< of a sequence
  bool encapsulated = false;        ///< compressed pixel data
};

/// Parts of a text between backslashes, without the blanks around them.
[[nodiscard]] std::vector<std::string> split_values(std::string_view text);

/// Text of a file as a message may hold it: one line of printable characters, not too long.
[[nodiscard]] std::string printable(std::string_view text);

/// A number as DS text, at most 16 characters: the shortest that reads back as the same, or as many digits as fit.
[[nodiscard]] std::string decimal_text(double value);

}  // namespace upfirdn::dicom
