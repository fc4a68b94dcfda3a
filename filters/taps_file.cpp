#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>

#include "core/error.hpp"
#include "filters/taps.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t largest_file = std::size_t(1) << 26;  // bytes

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw Error(ExitCode::usage, fmt::format("{}: {}", path, problem));
}

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  char block[65536];
  while (file.read(block, sizeof block) || file.gcount() > 0) {
    bytes.append(block, std::size_t(file.gcount()));
    if (bytes.size() > largest_file) fail(path, "is larger than 64 MiB; a taps file holds a few numbers");
  }
  if (!file.eof() && bytes.empty()) fail(path, fmt::format("cannot be read ({}); name a file of taps", std::strerror(errno)));
  return bytes;
}

/// Shape and values as the file lays them out.
struct Table {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

Taps interpret(const std::string& path, Table table) {
  if (table.values.empty()) fail(path, "holds no taps; write numbers separated by white space or commas");
  for (const double v : table.values)
    if (!std::isfinite(float(v))) fail(path, fmt::format("tap {} is not finite in float32; use smaller numbers", v));
  if (table.shape.size() == 1) return AxisTaps{table.values, table.values};
  if (table.shape.size() != 2) fail(path, "is not one- or two-dimensional; store N taps or a matrix of taps");
  if (table.shape[0] == 1) return AxisTaps{table.values, {1.0}};
  if (table.shape[1] == 1) return AxisTaps{{1.0}, table.values};
  return TapMatrix{table.shape[0], table.shape[1], std::move(table.values)};
}

double parse_number(const std::string& path, std::int64_t line, std::string_view token) {
  std::string text(token);
  if (text.starts_with("\xE2\x88\x92")) text.erase(0, 2).front() = '-';  // U+2212
  double value = 0;
  const char* begin = text.data() + (text.front() == '+' && !text.starts_with("+-") ? 1 : 0);
  const auto [stop, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size())
    fail(path, fmt::format("line {}: '{}' is not a number; write numbers like -0.5 or 1e-3", line, token));
  return value;
}

std::vector<double> parse_line(const std::string& path, std::int64_t number, std::string_view line) {
  std::vector<double> values;
  if (line.find_first_not_of(" \t\r\f\v") == std::string_view::npos) return values;
  for (;;) {
    const std::size_t comma = line.find(',');
    const std::string_view item = line.substr(0, comma);
    const std::size_t before = values.size();
    for (std::size_t at = 0; (at = item.find_first_not_of(" \t\r\f\v", at)) != std::string_view::npos;) {
      const std::size_t end = std::min(item.find_first_of(" \t\r\f\v", at), item.size());
      values.push_back(parse_number(path, number, item.substr(at, end - at)));
      at = end;
    }
    if (values.size() == before) fail(path, fmt::format("line {}: an item is empty; remove the comma", number));
    if (comma == std::string_view::npos) return values;
    line.remove_prefix(comma + 1);
  }
}

Table parse_text(const std::string& path, std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::vector<double>> lines;
  Table table;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    std::vector<double> values = parse_line(path, number, line);
    if (values.empty()) continue;
    if (!lines.empty() && values.size() != lines.front().size())
      fail(path, fmt::format("line {}: has {} taps where the lines above have {}; give every line as many", number,
                             values.size(), lines.front().size()));
    table.values.insert(table.values.end(), values.begin(), values.end());
    lines.push_back(std::move(values));
  }
  const bool matrix = lines.size() > 1 && lines.front().size() > 1;
  if (matrix) table.shape = {std::int64_t(lines.size()), std::int64_t(lines.front().size())};
  else table.shape = {std::int64_t(table.values.size())};
  return table;
}

/// Value of the quoted key in the header dictionary of a `.npy` file, up to its end.
std::string_view header_value(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::size_t end = rest.starts_with('(') ? rest.find(')') + 1 : rest.find_first_of(",}");
  return rest.substr(0, end);
}

template <class T>
double element(const char* bytes, bool swap) {
  unsigned char raw[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) raw[i] = static_cast<unsigned char>(bytes[swap ? sizeof(T) - 1 - i : i]);
  T value;
  std::memcpy(&value, raw, sizeof value);
  return double(value);
}

using ElementReader = double (*)(const char*, bool);

ElementReader element_reader(std::string_view kind) {
  if (kind == "f8") return element<double>;
  if (kind == "f4") return element<float>;
  if (kind == "i8") return element<std::int64_t>;
  if (kind == "i4") return element<std::int32_t>;
  if (kind == "i2") return element<std::int16_t>;
  if (kind == "i1") return element<std::int8_t>;
  if (kind == "u8") return element<std::uint64_t>;
  if (kind == "u4") return element<std::uint32_t>;
  if (kind == "u2") return element<std::uint16_t>;
  if (kind == "u1") return element<std::uint8_t>;
  return nullptr;
}

std::vector<std::int64_t> parse_shape(const std::string& path, std::string_view text) {
  std::vector<std::int64_t> shape;
  std::int64_t elements = 1;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    std::int64_t n = 0;
    const auto [stop, error] = std::from_chars(at, text.data() + text.size(), n);
    if (error == std::errc()) {
      if (n < 1 || n > std::int64_t(largest_file) / elements) fail(path, "has an impossible shape; store it again with numpy.save");
      elements *= n;
      shape.push_back(n);
      at = stop;
    } else {
      ++at;
    }
  }
  if (shape.empty()) shape.push_back(1);
  return shape;
}

Table parse_npy(const std::string& path, std::string_view bytes) {
  const std::string damaged = "is a damaged .npy file; store it again with numpy.save";
  if (bytes.size() < 12) fail(path, damaged);
  const auto byte = [&](std::size_t i) { return std::size_t(static_cast<unsigned char>(bytes[i])); };
  const std::size_t begin = byte(6) == 1 ? 10 : 12;
  const std::size_t length = byte(6) == 1 ? byte(8) + 256 * byte(9) : byte(8) + 256 * byte(9) + 65536 * byte(10);
  if (begin + length > bytes.size()) fail(path, damaged);
  const std::string_view header = bytes.substr(begin, length);
  std::string_view type = header_value(header, "descr");
  if (type.size() < 5) fail(path, damaged);
  type = type.substr(1, type.size() - 2);
  const ElementReader read = element_reader(type.substr(1));
  if (read == nullptr) fail(path, fmt::format("holds taps of type {}; store float32, float64 or integers", type));
  const bool swap = (type.front() == '>') == (std::endian::native == std::endian::little) && type.front() != '|';
  Table table{parse_shape(path, header_value(header, "shape")), {}};
  std::size_t elements = 1;
  for (const std::int64_t n : table.shape) elements *= std::size_t(n);
  const std::size_t size = std::size_t(type[2] - '0');
  if (bytes.size() - begin - length < elements * size) fail(path, damaged);
  const bool columns_first = header_value(header, "fortran_order") == "True" && table.shape.size() == 2;
  const char* data = bytes.data() + begin + length;
  for (std::size_t i = 0; i < elements; ++i) {
    const std::size_t rows = std::size_t(table.shape.front()), columns = elements / rows;
    const std::size_t at = columns_first ? (i % columns) * rows + i / columns : i;
    table.values.push_back(read(data + at * size, swap));
  }
  return table;
}

}  // namespace

Taps read_taps_file(const std::string& path) {
  const std::string bytes = read_all(path);
  return interpret(path, bytes.starts_with("\x93NUMPY") ? parse_npy(path, bytes) : parse_text(path, bytes));
}

std::string taps_file_bytes(const std::string& path, const std::vector<double>& taps) {
  std::string bytes;
  if (!path.ends_with(".npy")) {
    for (const double tap : taps) bytes += fmt::format("{}\n", tap);
    return bytes;
  }
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", taps.size());
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  bytes = std::string("\x93NUMPY\x01\x00", 8);
  bytes += char(header.size() & 255);
  bytes += char(header.size() >> 8);
  bytes += header;
  for (const double tap : taps) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(tap);
    for (int i = 0; i < 8; ++i) bytes += char((bits >> (8 * i)) & 255);
  }
  return bytes;
}

}  // namespace upfirdn
