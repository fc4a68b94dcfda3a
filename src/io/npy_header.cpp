#include "io/npy_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>

#include "core/fraction.hpp"
#include "io/formats.hpp"

namespace upfirdn {
namespace {

constexpr std::uint64_t max_header_bytes = std::uint64_t(1) << 20;

/// The dictionary of a header: a Python literal with the keys descr, fortran_order and shape.
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  struct Fields {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::int64_t>> shape;
  };

  [[nodiscard]] Fields parse() {
    Fields fields;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr")
        fields.descr = sample_type();
      else if (key == "fortran_order")
        fields.fortran_order = boolean();
      else if (key == "shape")
        fields.shape = tuple();
      else
        throw damaged();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!fields.descr || !fields.fortran_order || !fields.shape) throw damaged();
    return fields;
  }

 private:
  [[nodiscard]] Error damaged() const {
    return image_error(name_, "the .npy header can't be understood; the file is damaged");
  }
  void skip_space() {
    while (next_ < text_.size() && (text_[next_] == ' ' || text_[next_] == '\t' || text_[next_] == '\n'))
      ++next_;
  }
  bool accept(char c) {
    skip_space();
    if (next_ >= text_.size() || text_[next_] != c) return false;
    ++next_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw damaged();
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (text_.substr(std::min(next_, text_.size()), word.size()) != word) return false;
    next_ += word.size();
    return true;
  }
  std::string quoted() {
    skip_space();
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = text_.find(quote, next_);
    if (end == std::string_view::npos) throw damaged();
    std::string result(text_.substr(next_, end - next_));
    next_ = end + 1;
    return result;
  }
  std::string sample_type() {
    skip_space();
    if (next_ < text_.size() && text_[next_] == '[') {
      throw image_error(name_, "records of several fields are not supported; store a plain array");
    }
    return quoted();
  }
  bool boolean() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    throw damaged();
  }
  std::int64_t integer() {
    skip_space();
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(text_.data() + next_, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) throw damaged();
    next_ = std::size_t(rest - text_.data());
    if (next_ < text_.size() && text_[next_] == 'L') ++next_;  // written by Python 2
    return value;
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      values.push_back(integer());
      if (values.size() > 64) throw damaged();
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t next_ = 0;
};

std::string_view descr_of(PixelType type) {
  switch (type) {
    case PixelType::u8:
      return "|u1";
    case PixelType::u16:
      return "<u2";
    case PixelType::s16:
      return "<i2";
    case PixelType::f16:
      return "<f2";
    case PixelType::f32:
      return "<f4";
    case PixelType::u32:
      return "<u4";
    case PixelType::s32:
      return "<i4";
    case PixelType::f64:
      return "<f8";
  }
  throw std::logic_error("pixel type out of range");
}

/// Sets type and byte order.
void set_type(NpyHeader& header, const std::string& descr, const std::string& name) {
  constexpr PixelType types[] = {PixelType::u8,  PixelType::u16, PixelType::s16, PixelType::f16,
                                 PixelType::f32, PixelType::u32, PixelType::s32, PixelType::f64};
  for (PixelType type : types) {
    const char order = descr.empty() ? ' ' : descr[0];
    const bool known_order =
        order == '<' || order == '>' || order == '=' || (order == '|' && type == PixelType::u8);
    if (!known_order || std::string_view(descr).substr(1) != descr_of(type).substr(1)) continue;
    header.type = type;
    header.big_endian = order == '>';
    return;
  }
  std::string shown;
  for (char c : descr.substr(0, 16)) shown += c >= ' ' && c <= '~' ? c : '?';
  throw image_error(name,
                    fmt::format("samples of type '{}' are not supported; store u1, u2, u4, i2, i4, f2, f4 or f8", shown));
}

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

/// Refuses sizes of 0 and files that are shorter than their shape.
void check_length(const NpyHeader& header, const ByteSource& source) {
  const std::uint64_t present = source.size() - header.data_offset;
  Int128 needed = Int128(size_bytes(header.type));
  for (std::int64_t side : header.shape) {
    if (side == 0) {
      throw image_error(source.name(), fmt::format("the array ({}) holds no samples; store an image",
                                                   fmt::join(header.shape, ", ")));
    }
    needed *= side;
    if (needed > Int128(present)) {
      throw image_error(source.name(),
                        fmt::format("cut short: {} bytes can't hold an array of ({}); get a complete copy",
                                    present, fmt::join(header.shape, ", ")));
    }
  }
}

}  // namespace

NpyHeader read_npy_header(const ByteSource& source) {
  const auto cut_short = [&] {
    return image_error(source.name(), "cut short in the header; get a complete copy");
  };
  std::vector<std::byte> start(12);
  start.resize(source.read_at(0, start));
  if (start.size() < 12) throw cut_short();
  const int version = int(start[6]);
  if (version < 1 || version > 3) {
    throw image_error(source.name(),
                      fmt::format(".npy version {} is not supported; store version 1, 2 or 3", version));
  }
  const std::size_t prefix = version == 1 ? 10 : 12;
  const std::uint64_t length = little_endian(std::span(start).subspan(8, prefix - 8));
  if (length > max_header_bytes)
    throw image_error(source.name(), "the .npy header is too long; the file is damaged");
  std::string text(std::size_t(length), '\0');
  if (source.read_at(prefix, std::as_writable_bytes(std::span(text))) < text.size()) throw cut_short();

  const HeaderText::Fields fields = HeaderText(text, source.name()).parse();
  NpyHeader header;
  set_type(header, *fields.descr, source.name());
  header.fortran_order = *fields.fortran_order;
  header.shape = *fields.shape;
  header.data_offset = prefix + length;
  check_length(header, source);
  return header;
}

std::string npy_header_text(PixelType type, const std::vector<std::int64_t>& shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr_of(type),
                                 fmt::join(shape, ", "));
  text.append(21 - fmt::formatted_size("{}", shape.front()),
              ' ');  // numpy leaves room for a growing first side
  text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + char(text.size() & 0xff) + char(text.size() >> 8) + text;
}

}  // namespace upfirdn
