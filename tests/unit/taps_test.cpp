#include "filters/taps.hpp"

#include <unistd.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.hpp"
#include "support/random.hpp"

namespace upfirdn {
namespace {

/// A file in the temporary folder that is removed in the end.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("upfirdn-" + std::to_string(::getpid()) + "-" + name)) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Taps read(const std::string& bytes) {
  return read_taps_file(TemporaryFile("taps.txt", bytes).path());
}

std::string error_of(const std::string& bytes) {
  try {
    (void)read(bytes);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::vector<double> binomial{1, 3, 3, 1};

std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                bool fortran = false) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data;
}

template <class T>
std::string raw(std::initializer_list<double> values, bool swap = false) {
  std::string bytes;
  for (const double v : values) {
    const T value = T(v);
    char block[sizeof(T)];
    std::memcpy(block, &value, sizeof(T));
    if (swap) std::reverse(block, block + sizeof(T));
    bytes.append(block, sizeof(T));
  }
  return bytes;
}

TEST_CASE("lists of taps are read") {
  CHECK(parse_taps("1,3,3,1", "--taps") == binomial);
  CHECK(parse_taps("-.5,+1,1e-3", "--taps") == std::vector<double>{-0.5, 1, 0.001});
  CHECK(parse_taps(" 1 , 2 ", "--taps") == std::vector<double>{1, 2});
  for (const char* bad : {"", " ", "1,", ",1", "1,,2", "1;2", "1 2", "x", "1,nan", "inf", "1e39", "1e999",
                          "0x1", "1,2,x", "+-1", "1.2.3"}) {
    INFO("'" << bad << "'");
    try {
      (void)parse_taps(bad, "--taps-y");
      FAIL_CHECK("accepted");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::usage);
      CHECK(contains(error.what(), "--taps-y"));
    }
  }
}

TEST_CASE("text files of taps mean the same however they are written") {
  for (const char* text : {"1 3 3 1", "1,3,3,1\n", "1\n3\n3\n1\n", "1\r\n3\r\n3\r\n1\r\n",
                           "\xEF\xBB\xBF"
                           "1\t3\t3\t1",
                           "# taps\n1, 3, 3, 1 # end\n\n", "  1  3  3  1  \n", "1\n\n3\n3\n# x\n1"}) {
    INFO(text);
    const AxisTaps taps = std::get<AxisTaps>(read(text));
    CHECK(taps.x == binomial);
    CHECK(taps.y == binomial);
  }
  CHECK(std::get<AxisTaps>(read("\xE2\x88\x92"
                                "1 3 \xE2\x88\x92"
                                "1"))
            .x == std::vector<double>{-1, 3, -1});
}

TEST_CASE("several lines of several numbers are a matrix") {
  const TapMatrix matrix = std::get<TapMatrix>(read("1 2 3\n4 5 6\n"));
  CHECK(matrix.rows == 2);
  CHECK(matrix.columns == 3);
  CHECK(matrix.values == std::vector<double>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("faults in a text file name the file and the line") {
  CHECK(contains(error_of("1 3\n3 x\n"), "line 2"));
  CHECK(contains(error_of("1 3\n\n3 1 4\n"), "line 3"));
  CHECK(contains(error_of("1,3,,1"), "line 1"));
  CHECK(contains(error_of("1,3,\n"), "line 1"));
  CHECK(contains(error_of("1,3\n"
                          "nan,1"),
                 "tap"));
  CHECK(contains(error_of("1e39"), "float32"));
  for (const char* bad : {"", "# nothing\n", "\n\n", "1 3 3 1;", "one", "+-3", "0x3"}) {
    INFO("'" << bad << "'");
    const std::string message = error_of(bad);
    CHECK(message != "accepted");
    CHECK(contains(message, "taps.txt"));
    CHECK(message.find('\n') == std::string::npos);
  }
  CHECK_THROWS_AS(read_taps_file("/nonexistent/taps.txt"), Error);
  CHECK_THROWS_AS(read_taps_file("/tmp"), Error);
}

TEST_CASE("arrays of taps are what their shape says") {
  CHECK(std::get<AxisTaps>(read(npy("<f8", "(4,)", raw<double>({1, 3, 3, 1})))).y == binomial);
  CHECK(std::get<AxisTaps>(read(npy("<f4", "(4,)", raw<float>({1, 3, 3, 1})))).x == binomial);
  CHECK(std::get<AxisTaps>(read(npy(">f8", "(4,)", raw<double>({1, 3, 3, 1}, true)))).x == binomial);
  CHECK(std::get<AxisTaps>(read(npy("<i4", "(4,)", raw<std::int32_t>({1, 3, 3, -1})))).x ==
        std::vector<double>{1, 3, 3, -1});
  CHECK(std::get<AxisTaps>(read(npy("|u1", "(4,)", raw<std::uint8_t>({1, 3, 3, 1})))).x == binomial);
  const AxisTaps row = std::get<AxisTaps>(read(npy("<f8", "(1, 4)", raw<double>({1, 3, 3, 1}))));
  CHECK(row.x == binomial);
  CHECK(row.y == std::vector<double>{1});
  const AxisTaps column = std::get<AxisTaps>(read(npy("<f8", "(4, 1)", raw<double>({1, 3, 3, 1}))));
  CHECK(column.x == std::vector<double>{1});
  CHECK(column.y == binomial);
  const TapMatrix matrix =
      std::get<TapMatrix>(read(npy("<f8", "(2, 3)", raw<double>({1, 4, 2, 5, 3, 6}), true)));
  CHECK(matrix.values == std::vector<double>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("damaged arrays of taps are refused, wherever they are cut") {
  const std::string whole = npy("<f8", "(2, 2)", raw<double>({1, 2, 3, 4}));
  for (std::size_t n = 1; n < whole.size(); ++n) {
    INFO("cut to " << n << " bytes");
    REQUIRE(error_of(whole.substr(0, n)) != "accepted");
  }
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = whole;
    for (std::int64_t k = random.between(1, 4); k > 0; --k)
      damaged[std::size_t(random.between(0, std::int64_t(damaged.size()) - 1))] =
          char(random.between(0, 255));
    try {
      (void)read(damaged);
    } catch (const Error&) {
    }
  }
  CHECK(error_of(npy("<c8", "(1,)", "12345678")) != "accepted");
  CHECK(error_of(npy("<f8", "(1, 1, 2)", raw<double>({1, 2}))) != "accepted");
  CHECK(error_of(npy("<f8", "(99999999999999999999,)", raw<double>({1, 2}))) != "accepted");
  CHECK(error_of(npy("<f8", "(1,)", raw<double>({NAN}))) != "accepted");
}

TEST_CASE("written taps read back the same, to the bit") {
  const std::vector<double> taps{0.1, 1.0 / 3, -2.5e-20, 1, 0, 123456.789};
  for (const char* name : {"taps.txt", "taps.npy"}) {
    const TemporaryFile file(name, taps_file_bytes(name, taps));
    CHECK(std::get<AxisTaps>(read_taps_file(file.path())).x == taps);
  }
}

TEST_CASE("a matrix of rank 1 is factored with its largest tap as pivot") {
  const TapMatrix product{2, 3, {2, 4, -6, 3, 6, -9}};
  const std::optional<AxisTaps> factors = factor_rank_one(product);
  REQUIRE(factors.has_value());
  CHECK(factors->y == std::vector<double>{-6, -9});
  CHECK(factors->x == std::vector<double>{3.0 / -9, 6.0 / -9, 1});
  TapMatrix nearly = product;
  nearly.values[0] += 0.9e-6 * 9;
  CHECK(factor_rank_one(nearly).has_value());
  nearly.values[0] += 0.2e-6 * 9;
  CHECK_FALSE(factor_rank_one(nearly).has_value());
  CHECK_FALSE(factor_rank_one(TapMatrix{2, 2, {1, 0, 0, 1}}).has_value());
}

TEST_CASE("normalised taps sum to the factor, taps that sum to 0 are refused") {
  CHECK(normalized(binomial, 2, "") == std::vector<double>{0.25, 0.75, 0.75, 0.25});
  CHECK(normalized({-1, -1}, 1, "") == std::vector<double>{0.5, 0.5});
  try {
    (void)normalized({1, 0, -1}, 1, "use --no-normalize");
    FAIL_CHECK("accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK(contains(error.what(), "--no-normalize"));
  }
  CHECK_THROWS_AS(normalized({0, 0}, 1, ""), Error);
  CHECK_THROWS_AS(normalized({1, -0.9999995}, 1, ""), Error);
}

}  // namespace
}  // namespace upfirdn
