#include <zlib.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <string_view>

#include "io/deflate.hpp"
#include "io/inflate.hpp"

using namespace upfirdn;

namespace {

/// `count` bytes of `kinds` values.
std::string content(std::size_t count, unsigned kinds) {
  std::mt19937 random(3);
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += char(random() % kinds);
  return bytes;
}

/// The stream of `content`, written in parts of `part` bytes.
std::string deflated(int level, const std::string& content, std::size_t part) {
  std::string stream;
  const auto deflater = make_deflater(level, content.size(), [&](std::span<const std::byte> piece) {
    CHECK(piece.size() <= 65536);
    stream.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  const auto bytes = std::as_bytes(std::span(content));
  for (std::size_t at = 0; at < bytes.size(); at += part)
    deflater->write(bytes.subspan(at, std::min(part, bytes.size() - at)));
  deflater->finish();
  return stream;
}

/// What zlib makes of a stream, which must be one whole stream with the right checksum.
std::string inflated(const std::string& stream, std::size_t size) {
  std::string bytes(size + 1, '\0');
  uLongf got = bytes.size();
  uLong used = stream.size();
  CHECK(uncompress2(reinterpret_cast<Bytef*>(bytes.data()), &got, reinterpret_cast<const Bytef*>(stream.data()),
                    &used) == Z_OK);
  CHECK(used == stream.size());
  bytes.resize(got);
  return bytes;
}

}  // namespace

TEST_CASE("deflate: zlib gets back what went in, at every level and size, however it is cut") {
  for (const unsigned kinds : {1u, 5u, 256u}) {
    for (const std::size_t size : {0, 1, 300, 65531, 65532, 65537, 131063}) {
      const std::string bytes = content(size, kinds);
      for (int level = 0; level <= 9; ++level) {
        for (const std::size_t part : {std::size_t(777), std::size_t(1) << 20}) {
          INFO(size << " bytes of " << kinds << " kinds, level " << level << ", in parts of " << part);
          CHECK(inflated(deflated(level, bytes, part), size) == bytes);
        }
      }
    }
  }
}

TEST_CASE("deflate: random bytes grow by less than a hundredth") {
  const std::string bytes = content(300000, 256);
  for (int level = 0; level <= 9; ++level) {
    INFO("level " << level);
    CHECK(deflated(level, bytes, bytes.size()).size() < 303000);
  }
}

TEST_CASE("deflate: up to level 2, and beyond 1 GiB at any, pieces leave as bytes come") {
  const std::string bytes = content(1 << 20, 256);
  const auto before_the_end = [&](int level, std::uint64_t announced) {
    std::size_t size = 0;
    const auto deflater = make_deflater(level, announced, [&](std::span<const std::byte> piece) { size += piece.size(); });
    deflater->write(std::as_bytes(std::span(bytes)));
    return size;
  };
  for (const int level : {0, 1, 2}) CHECK(before_the_end(level, bytes.size()) > bytes.size() / 2);
  CHECK(before_the_end(3, bytes.size()) == 0);
  CHECK(before_the_end(9, (std::uint64_t(1) << 30) + 1) > bytes.size() / 2);
}

TEST_CASE("inflate: gets back what went in, however input and output are cut") {
  for (const std::size_t size : {0, 1, 300, 65537, 300001}) {
    const std::string bytes = content(size, 5), stream = deflated(6, bytes, size + 1);
    const std::string_view zlib = stream, raw = zlib.substr(2, zlib.size() - 6);
    for (const auto& [wrapping, packed] : {std::pair(Inflater::Wrapping::zlib, zlib), std::pair(Inflater::Wrapping::none, raw)}) {
      for (const std::size_t in : {std::size_t(1), std::size_t(1000), packed.size()}) {
        for (const std::size_t out : {std::size_t(7), std::size_t(4096), size + 1}) {
          INFO(size << " bytes, parts of " << in << " and " << out);
          Inflater inflater(wrapping);
          std::string got, part(out, '\0');
          std::string_view rest = packed;
          while (inflater.state() == Inflater::State::going) {
            const std::size_t count = inflater.take(std::as_writable_bytes(std::span(part)));
            got.append(part, 0, count);
            if (count == part.size() || inflater.state() != Inflater::State::going) continue;
            REQUIRE(inflater.unused() == 0);
            REQUIRE(!rest.empty());
            inflater.give(std::as_bytes(std::span(rest.substr(0, in))));
            rest.remove_prefix(std::min(in, rest.size()));
          }
          CHECK(inflater.state() == Inflater::State::ended);
          CHECK((got == bytes && rest.empty() && inflater.unused() == 0));
        }
      }
    }
  }
}

TEST_CASE("inflate: tells damage and wrong checksums, and waits at the end of what is cut") {
  const std::string bytes = content(5000, 5), stream = deflated(6, bytes, 5001);
  const auto state_of = [](std::string_view packed) {
    Inflater inflater(Inflater::Wrapping::zlib);
    inflater.give(std::as_bytes(std::span(packed)));
    std::string part(6000, '\0');
    (void)inflater.take(std::as_writable_bytes(std::span(part)));
    return inflater.state();
  };
  CHECK(state_of(stream) == Inflater::State::ended);
  for (const std::size_t length : {std::size_t(1), std::size_t(100), stream.size() - 1})
    CHECK(state_of(std::string_view(stream).substr(0, length)) == Inflater::State::going);
  std::string wrong = stream;
  wrong.back() = char(wrong.back() ^ 1);
  CHECK(state_of(wrong) == Inflater::State::damaged);
  wrong = stream;
  wrong[1] = char(wrong[1] ^ 1);
  CHECK(state_of(wrong) == Inflater::State::damaged);
  CHECK(state_of(std::string_view("\x78\x01\x07", 3)) == Inflater::State::damaged);  // a block of no known kind
}
