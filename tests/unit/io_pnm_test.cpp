#include <catch2/catch.hpp>
#include <string>

#include "support/in_memory_files.hpp"
#include "support/images.hpp"

namespace upfirdn {

using Catch::Matchers::Contains;
using Values = std::vector<double>;
using namespace std::string_literals;

TEST_CASE("a PGM keeps its maxval and values") {
  const Image small = decode("P5 3 1 4\n\x00\x02\x04"s);
  CHECK(small.info().type == PixelType::u8);
  CHECK(small.info().maxval == 4);
  CHECK(values_of(small) == Values{0, 2, 4});
  const Image odd = decode("P5 3 1 257\n\x00\x00\x00\x80\x01\x01"s);
  CHECK(odd.info().type == PixelType::u16);
  CHECK(odd.info().maxval == 257);
  CHECK(values_of(odd) == Values{0, 128, 257});
  const std::string twelve_bits = "P5\n2 1\n4095\n\x08\x00\x0f\xff"s;
  CHECK(values_of(decode(twelve_bits)) == Values{2048, 4095});
  CHECK(encode("pgm", decode(twelve_bits)) == twelve_bits);
}

TEST_CASE("16-bit PNM samples are big-endian") {
  CHECK(values_of(decode("P5 2 1 65535\n\x01\x00\xff\xfe"s)) == Values{256, 65534});
}

TEST_CASE("a first sample that looks like white space belongs to the picture") {
  CHECK(values_of(decode("P5\n2 1\n255\n\x0a\x20")) == Values{10, 32});
  CHECK(values_of(decode("P5\n2 1\n255\n\x0d\x09")) == Values{13, 9});
  CHECK(values_of(decode("P5\n2 1\n255\n#\x20")) == Values{'#', 32});
}

TEST_CASE("an ASCII PNM may end without white space and hold comments anywhere") {
  CHECK(values_of(decode("P2 2 1 255 7 9")) == Values{7, 9});
  CHECK(values_of(decode("P3#a\n1 #b\n1#c\n255#d\n1 2#e\n 3")) == Values{1, 2, 3});
}

TEST_CASE("maxval is 1 to 65535") {
  CHECK_THAT(decoding_error("P2 2 1 0 0 0"), Contains("maxval"));
  CHECK_THAT(decoding_error("P2 2 1 65536 0 0"), Contains("maxval"));
  CHECK(values_of(decode("P2 2 1 65535 0 65535")) == Values{0, 65535});
}

TEST_CASE("junk among ASCII samples is an error") {
  CHECK(!decoding_error("P2 2 1 255 7 & 9").empty());
}

TEST_CASE("a sample above the maxval is an error") {
  CHECK_THAT(decoding_error("P5 2 1 100\n\x64\x65"), Contains("above the maxval 100"));
  CHECK_THAT(decoding_error("P5 1 1 256\n\x01\x01"), Contains("above the maxval 256"));
  CHECK_THAT(decoding_error("P2 2 1 100 100 101"), Contains("above the maxval 100"));
}

TEST_CASE("bitmaps expand to 0 for black and 255 for white") {
  const Values expected{0, 255, 0, 255, 0, 255};
  CHECK(values_of(decode("P1\n3 2\n101\n0 1 0\n")) == expected);
  CHECK(values_of(decode("P1 3 2 101010")) == Values{0, 255, 0, 255, 0, 255});
  CHECK(values_of(decode("P4\n3 2\n\xa0\x40")) == expected);
  CHECK(values_of(
            decode("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n\x00\x01"s)) ==
        Values{0, 255});
}

TEST_CASE("a PAM says whether its last channel is alpha") {
  const std::string start = "P7\nWIDTH 1\nHEIGHT 1\n", end = "ENDHDR\n";
  const auto alpha = [&](const std::string& fields, const std::string& data) {
    return decode(start + fields + end + data).info().alpha;
  };
  CHECK(alpha("DEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\n", "abcd") == Alpha::straight);
  CHECK(alpha("DEPTH 2\nMAXVAL 1023\nTUPLTYPE GRAYSCALE_ALPHA\n", "\x03\x01\x02\x01") == Alpha::straight);
  CHECK(alpha("DEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\n", "abcd") == Alpha::none);
  CHECK(alpha("# none\nDEPTH 5\nMAXVAL 255\n", "abcde") == Alpha::none);
  CHECK_THAT(decoding_error(start + "DEPTH 3\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\n" + end + "abc"),
             Contains("DEPTH 4"));
}

TEST_CASE("PNM files are read as they were written") {
  for (PixelType type : {PixelType::u8, PixelType::u16}) {
    for (int channels : {1, 2, 3, 4, 7}) {
      ImageInfo info = shape(type, 2, 3, channels);
      info.maxval = type == PixelType::u8 ? 200 : 4095;
      if (channels == 2 || channels == 4) info.alpha = Alpha::straight;
      Values values;
      for (int i = 0; i < 6 * channels; ++i) values.push_back(i * 91 % int(info.maxval + 1));
      const Image image = image_of(info, values);
      const std::string extension = channels == 1 ? "pgm" : channels == 3 ? "ppm" : "pam";
      const Image again = decode(encode(extension, image));
      CHECK(again.info() == info);
      CHECK(values_of(again) == values);
    }
  }
}

TEST_CASE("a PFM is stored bottom up, in either byte order") {
  const std::string little =
      "PF\n1 2\n-1.0\n\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40\0\0\0\0\0\0\x80\x3f\0\0\0\x40"s;
  CHECK(values_of(decode(little)) == Values{0, 1, 2, 3, 4, 5});
  CHECK(encode("pfm", decode(little)) == little);
  CHECK(values_of(decode("Pf\n1 2\n1.0\n\x3f\x80\0\0\x40\0\0\0"s)) == Values{2, 1});
  CHECK_THAT(decoding_error("Pf\n1 1\n0\nabcd"), Contains("scale"));
  CHECK_THAT(decoding_error("Pf\n1 1\n1,5\nabcd"), Contains("scale"));
}

TEST_CASE("a PNM file cut anywhere is an error") {
  for (const std::string& whole :
       {"P2 2 1 255 17 19 "s, "P5 3 1 4\n\x00\x02\x04"s, "P6 1 2 65535\nabcdefghijkl"s, "P4\n9 2\nabcd"s,
        "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\nab"s, "Pf\n1 2\n-1.0\nabcdefgh"s}) {
    CHECK(decoding_error(whole).empty());
    const std::size_t end = whole[1] == '2' ? whole.size() - 2 : whole.size();
    for (std::size_t length = 0; length < end; ++length) {
      const std::string error = decoding_error(whole.substr(0, length));
      // An ASCII number that loses its last digits is another number.
      if (whole[1] == '2' && length == end - 1) continue;
      CHECK(!error.empty());
    }
  }
}

TEST_CASE("a header that declares more than the file can hold is refused before anything is allocated") {
  for (const std::string& giant :
       {"P5 99999 99999 255\nabc"s, "P2 99999 99999 255\n1 2 3"s, "P1 99999 99999 111"s,
        "Pf\n99999 99999\n-1\nabcd"s, "P6 2147483647 2147483647 65535\nabc"s,
        "P7\nWIDTH 2147483647\nHEIGHT 2147483647\nDEPTH 65535\nMAXVAL 65535\nENDHDR\na"s}) {
    CHECK_THAT(decoding_error(giant), Contains("cut short"));
  }
  CHECK_THAT(decoding_error("P5 99999999999999999999 1 255\na"), Contains("larger"));
}

}  // namespace upfirdn
