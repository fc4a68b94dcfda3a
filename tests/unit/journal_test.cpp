#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "app/journal.hpp"
#include "core/error.hpp"
#include "support/test_folder.hpp"

namespace upfirdn {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// With two files.
struct JournalPlace : Workplace {
  JournalPlace() {
    for (const char* name : {"a", "b\nc"}) write_text(name, "old");
  }
};

std::string fault(const std::string& path, const std::string& request) {
  try {
    const Journal journal(path, request);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    return error.what();
  }
  return "no error";
}

void append(const std::string& text) { std::ofstream("journal", std::ios::app) << text; }

}  // namespace

TEST_CASE("what is done stays done, whatever its name and from wherever the run is started") {
  const JournalPlace place;
  {
    Journal journal("journal", "half");
    CHECK_FALSE(journal.is_done("a"));
    for (const char* name : {"a", "b\nc"}) {
      journal.begin(name, {1, 2});
      journal.finish(name);
    }
  }
  const Journal journal("journal", "half");
  CHECK(journal.is_done("a"));
  CHECK(journal.is_done("./a"));
  CHECK(journal.is_done(fs::absolute("b\nc")));
  fs::create_directory("sub");
  fs::current_path("sub");
  CHECK(journal.is_done("../a"));
  CHECK_FALSE(journal.is_done("a"));
}

TEST_CASE("a file that was begun is done if the new file is in its place") {
  const JournalPlace place;
  write_text("new", "newer");
  {
    Journal journal("journal", "half");
    struct stat status {};
    REQUIRE(::stat("new", &status) == 0);
    journal.begin("a", {status.st_ino, std::uint64_t(status.st_size)});
  }
  CHECK_FALSE(Journal("journal", "half").is_done("a"));
  fs::rename("new", "a");
  CHECK(Journal("journal", "half").is_done("a"));
}

TEST_CASE("a line that a kill cut off is as if it had never been begun") {
  const JournalPlace place;
  { const Journal journal("journal", "half"); }
  append("done a");
  {
    Journal journal("journal", "half");
    CHECK_FALSE(journal.is_done("a"));
    journal.finish("b\nc");
  }
  CHECK(text_of("journal") == "upfirdn journal 1: half\ndone b\\nc\n");
  write_text("journal", "upfirdn jou");
  CHECK_FALSE(Journal("journal", "half").is_done("a"));
}

TEST_CASE("a journal is of one request, and one run at a time") {
  const JournalPlace place;
  const Journal journal("journal", "half");
  CHECK_THAT(fault("journal", "half"), Contains("in use"));
  { const Journal other("other", "half"); }
  CHECK_THAT(fault("other", "third"), Contains("another request (half)"));
  CHECK_THAT(fault("a", "half"), Contains("no journal"));
  CHECK_THAT(fault("missing/journal", "half"), Contains("can't be opened"));
}

}  // namespace upfirdn
