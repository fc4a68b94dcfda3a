#include "cli/job_report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/request_text.hpp"
#include "core/error.hpp"
#include "core/utf8.hpp"

namespace upfirdn::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string base64(const std::string& bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes.size() ? std::uint8_t(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? digits[group >> (18 - 6 * k) & 63u] : '=';
  }
  return text;
}

/// A path: as text, and where it is no UTF-8 also its bytes, because JSON can't hold them.
void set_path(Json& line, const std::string& key, const std::string& path) {
  if (path.empty()) return;
  line[key] = path;
  if (!is_utf8(path)) line[key + "_base64"] = base64(path);
}

Json line_of(const std::string& status, const std::string& input, const std::string& output) {
  Json line;
  line["status"] = status;
  set_path(line, "in", input);
  set_path(line, "out", output);
  return line;
}

Json image(const ImageInfo& info, std::int64_t bytes) {
  Json object{{"width", info.width}, {"height", info.height}, {"channels", info.channels}, {"type", name(info.type)}};
  if (bytes > 0) object["bytes"] = bytes;
  return object;
}

std::string text_of(SkippedFile::Reason reason) {
  switch (reason) {
    case SkippedFile::Reason::no_image: return "no image";
    case SkippedFile::Reason::output_exists: return "output exists";
    case SkippedFile::Reason::up_to_date: return "up to date";
    case SkippedFile::Reason::in_journal: return "in journal";
  }
  throw std::logic_error("reason out of range");
}

std::FILE* open_report(const std::string& path) {
  if (path == "-") return stdout;
  const auto refuse = [&](const std::string& fault) { throw Error(ExitCode::usage, fmt::format("{}: {}", path, fault)); };
  std::FILE* file = std::fopen(path.c_str(), "a+e");
  if (file == nullptr) refuse(fmt::format("the report can't be written ({}); check its place", std::generic_category().message(errno)));
  const bool seekable = std::fseek(file, 0, SEEK_SET) == 0;
  const int first = seekable ? std::fgetc(file) : EOF;
  std::fclose(file);
  if (first != EOF && first != '{') refuse("holds something that is no report; name another file");
  file = std::fopen(path.c_str(), "we");
  if (file == nullptr) refuse(fmt::format("the report can't be written ({}); check its place", std::generic_category().message(errno)));
  return file;
}

int close_unless_standard(std::FILE* file) { return file == stdout ? 0 : std::fclose(file); }

}  // namespace

JobReport::JobReport(const std::string& path, const ResampleSpec& spec)
    : name_(path == "-" ? "standard output" : path), filter_(describe_filter(spec.filter)), file_(open_report(path), close_unless_standard) {}

void JobReport::add(const JobResult& result) {
  Json line = line_of(result.error ? "failed" : "done", result.job->input, result.job->output);
  if (result.input.width > 0) line["input"] = image(result.input, result.input_bytes);
  if (result.error) {
    line["error"] = *result.error;
    line["exit_code"] = result.exit_code;
  } else {
    line["output"] = image(result.output, result.output_bytes);
    line["images"] = result.images;
    line["filter"] = filter_;
    line["device"] = result.backend;
  }
  const auto& times = result.times;
  line["ms"] = Json{{"plan", times.plan}, {"run", times.run}, {"commit", times.commit}, {"total", times.total}};
  if (!result.warnings.empty() || !result.once.empty()) {
    line["warnings"] = result.warnings;
    for (const std::string& warning : result.once) line["warnings"].push_back(warning);
  }
  write(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void JobReport::add(const SkippedFile& file) {
  Json line = line_of("skipped", file.input, file.output);
  line["reason"] = text_of(file.reason);
  write(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void JobReport::add(const RefusedJob& refused) {
  Json line = line_of("refused", refused.job().input, refused.job().output);
  line["error"] = refused.what();
  line["exit_code"] = int(refused.code());
  write(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void JobReport::write(const std::string& line) {
  const std::string whole = line + "\n";
  if (std::fwrite(whole.data(), 1, whole.size(), file_.get()) != whole.size() || std::fflush(file_.get()) != 0)
    throw Error(ExitCode::image_failed, fmt::format("{}: the report can't be written ({}); free some space or write it elsewhere", name_,
                                                    std::generic_category().message(errno)));
}

}  // namespace upfirdn::cli
