// Inputs and an output become jobs, or one line that says why not; nothing is made on disk.
#include "app/job_list.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "app/name_template.hpp"
#include "core/error.hpp"
#include "support/test_folder.hpp"

namespace upfirdn {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

void image(const std::string& path) { write_text(path, "P5\n1 1\n255\nx"); }

JobList plan(const FileRequest& request) {
  return plan_jobs(request, [](const Job&) { return Size{20, 10}; });
}

std::string fault(const FileRequest& request) {
  try {
    (void)plan(request);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return error.what();
  }
  return "no error";
}

std::vector<std::string> outputs(const JobList& list) {
  std::vector<std::string> names;
  for (const Job& job : list.jobs) names.push_back(job.output);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("one file keeps the name it is given and takes the format of its extension") {
  const Workplace place;
  image("a.pgm");
  const JobList list = plan({.inputs = {"a.pgm"}, .output = "b.png"});
  REQUIRE(list.jobs.size() == 1);
  CHECK(list.jobs[0].input == "a.pgm");
  CHECK(list.jobs[0].output == "b.png");
  CHECK(list.jobs[0].format == "png");
  CHECK(plan({.inputs = {"a.pgm"}, .output = "b"}).jobs[0].format.empty());
  CHECK(plan({.inputs = {"a.pgm"}, .output = "b.dat", .format = "tif"}).jobs[0].format == "tif");
  CHECK_THAT(fault({.inputs = {"a.pgm"}, .output = "none/b.png"}), Contains("no folder none"));
  CHECK_THAT(fault({.inputs = {"a.pgm"}, .output = "b.xyz"}), Contains("xyz") && Contains("png"));
  CHECK_THAT(fault({.inputs = {"a.pgm"}, .output = "b.png", .format = "tif"}), Contains("--format"));
  CHECK_THAT(fault({.inputs = {"a.pgm"}, .output = "b.png", .format = "xyz"}), Contains("--format"));
}

TEST_CASE("a missing input is still a job") {
  const Workplace place;
  CHECK(plan({.inputs = {"missing.png"}, .output = "b.png"}).jobs.size() == 1);
}

TEST_CASE("several inputs or a folder need a folder") {
  const Workplace place;
  image("a.pgm");
  image("in/b.pgm");
  CHECK_THAT(fault({.inputs = {"a.pgm", "in/b.pgm"}, .output = "out"}), Contains("folder"));
  CHECK_THAT(fault({.inputs = {"in"}, .output = "out.png"}), Contains("folder"));
  CHECK_THAT(fault({.inputs = {"a.pgm", "in/b.pgm"}, .output = "-", .format = "png"}), Contains("folder"));
  CHECK_THAT(fault({.inputs = {"a.pgm"}, .output = "a.pgm/"}), Contains("no folder"));
  CHECK_THAT(fault({.inputs = {"a.pgm"}, .output = "b.pgm", .name_template = "{n}"}), Contains("--name"));
  fs::create_directory("out");
  CHECK(outputs(plan({.inputs = {"a.pgm", "in/b.pgm"}, .output = "out"})) == Names{"out/a.pgm", "out/b.pgm"});
}

TEST_CASE("a folder that ends in a slash is planned and made later") {
  const Workplace place;
  image("a.pgm");
  const JobList list = plan({.inputs = {"a.pgm"}, .output = "x/y/"});
  CHECK(outputs(list) == Names{"x/y/a.pgm"});
  CHECK_FALSE(fs::exists("x"));
  prepare_folders(list);
  CHECK(fs::is_directory("x/y"));
}

TEST_CASE("names and formats are kept in a folder and changed by a format") {
  const Workplace place;
  image("a.jpg");
  image("IM0001");
  image("100%d%%.pgm");
  const Names inputs{"a.jpg", "IM0001", "100%d%%.pgm"};
  const JobList kept = plan({.inputs = inputs, .output = "out/"});
  CHECK(outputs(kept) == Names{"out/a.jpg", "out/IM0001", "out/100%d%%.pgm"});
  for (const Job& job : kept.jobs) CHECK(job.format.empty());
  const JobList changed = plan({.inputs = inputs, .output = "out/", .format = "TIF"});
  CHECK(outputs(changed) == Names{"out/a.tif", "out/IM0001.tif", "out/100%d%%.tif"});
  for (const Job& job : changed.jobs) CHECK(job.format == "TIF");
}

TEST_CASE("folders are searched in order, their trees kept, other files counted") {
  const Workplace place;
  for (const char* path : {"in/b.pgm", "in/a.pgm", "in/sub/c.pgm", "in/.hidden.pgm"}) image(path);
  write_text("in/readme.txt", "no image");
  write_text("in/sub/fake.png", "no image");
  const JobList flat = plan({.inputs = {"in"}, .output = "out/"});
  CHECK(outputs(flat) == Names{"out/a.pgm", "out/b.pgm"});
  CHECK(flat.skipped.size() == 1);
  const JobList deep = plan({.inputs = {"in/"}, .output = "out/", .recursive = true});
  CHECK(outputs(deep) == Names{"out/a.pgm", "out/b.pgm", "out/sub/c.pgm"});
  CHECK(deep.skipped.size() == 2);
  CHECK(deep.folders == Names{"out", "out/sub"});
  fs::create_directory("empty");
  CHECK_THAT(fault({.inputs = {"empty"}, .output = "out/"}), Contains("empty: "));
}

TEST_CASE("the output folder below an input folder is not searched") {
  const Workplace place;
  image("in/a.pgm");
  image("in/out/a.pgm");
  const JobList list =
      plan({.inputs = {"in"}, .output = "in/out", .recursive = true, .existing = Existing::overwrite});
  CHECK(outputs(list) == Names{"in/out/a.pgm"});
}

TEST_CASE("two jobs never share an output") {
  const Workplace place;
  for (const char* path : {"a.pgm", "a.tif", "x/a.pgm"}) image(path);
  CHECK_THAT(fault({.inputs = {"a.pgm", "a.tif"}, .output = "out/", .format = "png"}),
             Contains("a.pgm") && Contains("a.tif") && Contains("--name"));
  CHECK_THAT(fault({.inputs = {"a.pgm", "x/a.pgm"}, .output = "out/"}), Contains("out/a.pgm"));
  CHECK(outputs(
            plan({.inputs = {"a.pgm", "x/a.pgm"}, .output = "out/", .name_template = "{n}_{stem}.{ext}"})) ==
        Names{"out/1_a.pgm", "out/2_a.pgm"});
  fs::create_directory("real");
  fs::create_directory_symlink("real", "link");
  CHECK_THAT(fault({.inputs = {"a.pgm", "a.pgm"}, .output = "link"}), Contains("--name"));
}

TEST_CASE("an output that is an input is refused whatever its name") {
  const Workplace place;
  image("a.pgm");
  image("in/b.pgm");
  fs::create_symlink("a.pgm", "link.pgm");
  fs::create_hard_link("a.pgm", "hard.pgm");
  for (const char* output : {"a.pgm", "./a.pgm", "in/../a.pgm", "link.pgm", "hard.pgm"}) {
    CAPTURE(output);
    CHECK_THAT(fault({.inputs = {"a.pgm"}, .output = output, .existing = Existing::overwrite}),
               Contains("input"));
  }
  CHECK_THAT(fault({.inputs = {"in"}, .output = "in", .existing = Existing::skip}), Contains("input"));
}

TEST_CASE("an output that exists is refused, replaced or skipped") {
  const Workplace place;
  for (const char* path : {"a.pgm", "b.pgm", "out/a.pgm"}) image(path);
  FileRequest request{.inputs = {"a.pgm", "b.pgm"}, .output = "out"};
  CHECK_THAT(fault(request), Contains("1 of 2") && Contains("--overwrite"));
  request.existing = Existing::overwrite;
  CHECK(plan(request).jobs.size() == 2);
  request.existing = Existing::skip;
  const JobList rest = plan(request);
  CHECK(outputs(rest) == Names{"out/b.pgm"});
  CHECK(rest.skipped.size() == 1);
  CHECK_THAT(fault({.inputs = {"a.pgm"}, .output = "out/a.pgm"}), Contains("exists"));
  CHECK(fault({.inputs = {"a.pgm"}, .output = "/dev/null"}) == "no error");
  fs::create_directory("out/b.pgm");
  CHECK_THAT(fault({.inputs = {"b.pgm"}, .output = "out", .existing = Existing::overwrite}),
             Contains("folder"));
}

TEST_CASE("standard output needs a format and standard input comes once") {
  const Workplace place;
  CHECK_THAT(fault({.inputs = {"-"}, .output = "-"}), Contains("--format"));
  const JobList list = plan({.inputs = {"-"}, .output = "-", .format = "png"});
  CHECK((list.jobs[0].input == "-" && list.jobs[0].output == "-" && list.jobs[0].format == "png"));
  CHECK_THAT(fault({.inputs = {"-", "-"}, .output = "out/"}), Contains("twice"));
  CHECK(outputs(plan({.inputs = {"-"}, .output = "out/", .format = "png"})) == Names{"out/stdin.png"});
  CHECK_THAT(fault({.inputs = {"-"}, .output = "out/", .name_template = "{w}.{ext}"}), Contains("{w}"));
}

TEST_CASE("templates name files by their parts") {
  const NameParts parts{
      .dir = "/data/x", .stem = "scan.1", .ext = "png", .width = 20, .height = 10, .number = 7};
  CHECK(NameTemplate("").expand(parts) == "scan.1.png");
  CHECK(NameTemplate("{stem}_{w}x{h}.{ext}").expand(parts) == "scan.1_20x10.png");
  CHECK(NameTemplate("{dir}-{n}").expand(parts) == "data_x-7");
  CHECK(NameTemplate("%d%s{n}").expand(parts) == "%d%s7");
  CHECK(NameTemplate("{stem}.{ext}").expand({.stem = "IM1"}) == "IM1");
  CHECK(NameTemplate("{stem}_{w}").needs_size());
  CHECK_FALSE(NameTemplate("{stem}").needs_size());
  CHECK(NameTemplate("{stem}.jpg").literal_extension() == "jpg");
  CHECK(NameTemplate("{stem}.{ext}").literal_extension().empty());
  for (const char* bad : {"{width}", "{stem", "stem}", "{}", "a/{stem}", "{{stem}}"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(NameTemplate(bad), Error);
  }
  CHECK_THROWS_AS(NameTemplate("{dir}").expand({.dir = "."}), Error);
  CHECK_THROWS_AS(NameTemplate("{ext}.").expand({}), Error);
}

TEST_CASE("a template's own extension decides the format") {
  const Workplace place;
  image("a.pgm");
  const JobList list = plan({.inputs = {"a.pgm"}, .output = "out/", .name_template = "{stem}_{w}x{h}.png"});
  CHECK(outputs(list) == Names{"out/a_20x10.png"});
  CHECK(list.jobs[0].format == "png");
  CHECK_THAT(fault({.inputs = {"a.pgm"}, .output = "out/", .name_template = "{stem}.xyz"}), Contains("xyz"));
}

}  // namespace upfirdn
