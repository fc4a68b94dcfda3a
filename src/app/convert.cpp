#include "app/convert.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <chrono>
#include <new>
#include <utility>

#include "app/backends.hpp"
#include "app/journal.hpp"
#include "app/memory_budget.hpp"
#include "app/request_text.hpp"
#include "app/row_adapters.hpp"
#include "app/sample_window.hpp"
#include "core/error.hpp"
#include "io/image_store.hpp"
#include "resample/verify.hpp"

namespace upfirdn {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

/// Size of a regular file, else 0.
std::int64_t bytes_of(const std::string& path) {
  struct stat status;
  return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? std::int64_t(status.st_size) : 0;
}

/// What the backend is given: the image, or a part of it, with one value of missing samples.
class PlannedSource final : public RowSource {
 public:
  PlannedSource(ImageReader& reader, const Plan& plan) : first_(&reader) {
    const auto metadata = reader.metadata();
    const ValueMeaning* meaning = metadata == nullptr ? nullptr : metadata->meaning();
    const auto& rule = plan.operation.samples.rule;
    if (meaning != nullptr && meaning->padding && rule.nodata && !plan.operation.raw_copy && plan.input.nodata &&
        rounded_to(plan.operation.arithmetic(), *plan.input.nodata) == rule.nodata_value)
      first_ = &padding_.emplace(reader, plan.input, *meaning->padding);
    if (plan.crop) first_ = &part_.emplace(*first_, plan.input, *plan.crop);
  }
  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override { first_->read_rows(rows, count, stride_bytes); }
  void finish() {
    if (part_) part_->finish();
  }

 private:
  RowSource* first_;
  std::optional<PaddingSource> padding_;
  std::optional<CropSource> part_;
};

/// Where a difference lies, in pixels of the output.
[[noreturn]] void fail_mismatch(const Job& job, const Difference& d, const std::string& against) {
  throw Error(ExitCode::mismatch, fmt::format("{}: the sample at {},{} channel {} {} ({}); nothing is written, please report this",
                                              input_name(job), d.x, d.y, d.channel, d.text, against));
}

/// Runs one image twice, on the backend and on another (or by the definition), and compares before anything is written.
RunResult run_verified(Backends& backends, Backend& backend, const Job& job, const Plan& plan, RowSource& source, RowSink& sink) {
  const Operation& op = plan.operation;
  Image input(op.input), output(op.output);
  source.read_rows(input.data(), op.input.height, op.input.row_bytes());
  const auto run_on = [&](Backend& one, Image& to) {
    ImageSource from(input);
    ImageSink into(to);
    return one.run(op, from, into);
  };
  RunResult result = run_on(backend, output);
  if (Backend* second = backends.other(backend)) {
    Image check(op.output);
    (void)run_on(*second, check);
    if (const auto difference = compare_bytes(check, output))
      fail_mismatch(job, *difference, fmt::format("{} against {}", backend.name(), second->name()));
    result.notes.push_back(fmt::format("{} and {} gave the same bytes", backend.name(), second->name()));
  } else {
    if (const auto difference = compare_with_definition(op, input, output))
      fail_mismatch(job, *difference, fmt::format("{} against the definition", backend.name()));
    result.notes.push_back(fmt::format("{} agrees with the definition", backend.name()));
  }
  sink.write_rows(output.data(), op.output.height, op.output.row_bytes());
  return result;
}

RunResult run_image(Backends& backends, Backend& backend, const Job& job, const RunOptions& options, const Plan& plan,
                    const std::optional<ValueMapping>& mapping, ImageReader& reader, RowSink& rows) {
  PlannedSource source(reader, plan);
  ImageInfo picture = plan.operation.output;
  if (mapping) picture.type = mapping->to.type;
  std::optional<LetterboxSink> framed;
  if (plan.letterbox) framed.emplace(rows, picture, plan.output, *plan.letterbox);
  RowSink& stored = framed ? static_cast<RowSink&>(*framed) : rows;
  std::optional<MappingSink> mapped;
  if (mapping) mapped.emplace(stored, *mapping);
  RowSink& sink = mapped ? static_cast<RowSink&>(*mapped) : stored;
  RunResult result = options.verify ? run_verified(backends, backend, job, plan, source, sink)
                                    : backend.run(plan.operation, source, sink);
  source.finish();
  return result;
}

/// What is wanted of the values, with the window of the samples where that is asked for: it takes a reader of its own.
ValueRequest settled_values(const Job& job, const RunOptions& options, std::int64_t images) {
  if (options.values.display != ValueRequest::Display::percentiles) return options.values;
  if (job.input == "-")
    throw Error(ExitCode::image_failed, "--window auto and percentile read the image twice, standard input comes once; name a file");
  return with_window_of_samples(options.values, *open_input(options, job), images);
}

/// How the samples of the reader's image are mapped after resampling.
std::optional<ValueMapping> mapping_of(const ValueRequest& values, const PlannedFile& file) {
  ImageInfo to = file.plan.operation.output;  // without a letterbox
  to.type = file.plan.output.type;
  to.maxval = file.plan.output.maxval;
  return plan_mapping(values, file.reader->metadata().get(), file.plan.operation.output, to);
}

/// Low samples of the output are white.
bool low_is_white(const PlannedFile& file, const RunOptions& options) {
  const auto metadata = file.reader->metadata();
  const ValueMeaning* meaning = metadata == nullptr ? nullptr : metadata->meaning();
  return meaning != nullptr && meaning->low_is_white && !options.values.invert_low_is_white;
}

/// They are black to whoever reads it.
bool loses_white(const PlannedFile& file, const RunOptions& options) {
  const PixelType type = file.plan.output.type;
  const bool told = file.format->own_only || (file.format->holds_low_is_white && !is_float(type) && !is_signed_integer(type));
  return low_is_white(file, options) && !told;
}

/// Options for the writer of a planned file.
CodecOptions writing_options(const ResampleSpec& spec, const RunOptions& options, const PlannedFile& file) {
  CodecOptions codec = options.codec;
  codec.origin = std::make_shared<const Origin>(Origin{file.reader->metadata(), file.plan.input, file.plan.x, file.plan.y, options.page,
                                                       describe(spec, options.values), low_is_white(file, options)});
  return codec;
}

/// What the output's format can't hold of the input's metadata; empty if it holds all or none is wanted.
std::string lost_metadata(const PlannedFile& file, const RunOptions& options) {
  const auto metadata = file.reader->metadata();
  const std::vector<std::string> kinds = metadata == nullptr ? std::vector<std::string>() : metadata->kinds();
  if (kinds.empty() || file.format->holds_metadata || options.codec.strip) return {};
  return fmt::format("{} cannot hold metadata: {} left out", file.format->name, fmt::join(kinds, ", "));
}

/// The output takes the place of its input; a name that shares the file with others would be parted from them.
void refuse_shared_file(const Job& job) {
  struct stat status;
  if (::stat(job.input.c_str(), &status) == 0 && status.st_nlink > 1)
    throw Error(ExitCode::image_failed, fmt::format("{}: has {} names (hard links), replacing it would part them; write it elsewhere (-o)",
                                                    job.input, status.st_nlink));
}

/// When an output gets its name: what is to be written down before, and the times of its input if they are wanted.
CommitOptions commit_options(const Job& job, const RunOptions& options) {
  CommitOptions commit;
  if (options.keep_times && job.input != "-") commit.times_of = job.input;
  if (options.journal != nullptr) commit.before = [&](const FileMark& whole) { options.journal->begin(job.output, whole); };
  else commit.unsynced = options.unsynced;  // a journal says only of files on the disk that they are done
  return commit;
}

/// Runs all images of a planned file on one backend.
void run_file(Backends& backends, Backend& backend, const Job& job, const ResampleSpec& spec, const RunOptions& options,
              PlannedFile& file, JobResult& result) {
  if (!options.page && file.images < file.reader->images())
    result.warnings.push_back(fmt::format("{}: the first of {} images is used; {} holds one", input_name(job),
                                          file.reader->images(), file.format->name));
  if (loses_white(file, options)) result.once.emplace_back("low values are white in this file and black in the output; --invert-monochrome1 inverts them");
  if (const std::string lost = lost_metadata(file, options); !lost.empty()) result.once.push_back(lost);
  const ValueRequest values = settled_values(job, options, file.images);
  std::optional<ValueMapping> mapping = mapping_of(values, file);
  PendingImage pending(job.output, *file.format, file.plan.output, file.images, writing_options(spec, options, file));
  std::int64_t nan_samples = 0;
  for (std::int64_t i = 0; i < file.images; ++i) {
    if (i > 0) {
      if (!file.reader->next_image()) throw std::logic_error("fewer images than announced");
      pending.next_image(file.reader->metadata());
    }
    if (file.reader->info() != file.plan.input)
      throw Error(ExitCode::image_failed, fmt::format("{}: image {} differs from the first in size or type; take the images one by one (--page N)",
                                                      input_name(job), i + 1));
    if (i > 0) mapping = mapping_of(values, file);  // each may have a window or a rescale of its own
    RunResult one = run_image(backends, backend, job, options, file.plan, mapping, *file.reader, pending.rows());
    nan_samples += one.nan_samples;
    if (i == 0) result.notes.insert(result.notes.end(), one.notes.begin(), one.notes.end());
  }
  const auto committing = Clock::now();
  const std::vector<std::string> left_out = pending.commit(commit_options(job, options));
  if (options.journal != nullptr) options.journal->finish(job.output);
  result.times.commit = ms_since(committing);
  result.once.insert(result.once.end(), left_out.begin(), left_out.end());
  result.backend = backend.name();
  if (nan_samples > 0)
    result.warnings.push_back(fmt::format("{}: {} NaN sample{} became 0", output_name(job), nan_samples, nan_samples == 1 ? "" : "s"));
}

/// An image as it is read and as it is written. Most formats are read and written row by row and need less.
std::int64_t bytes_under_way(const PlannedFile& file) {
  const auto bytes = [](const ImageInfo& info) { return std::int64_t(info.row_bytes()) * info.height; };
  return bytes(file.plan.input) + bytes(file.plan.output);
}

void run_job(const ResampleSpec& spec, const RunOptions& options, Backends& backends, MemoryBudget& memory, const Job& job, JobResult& result) {
  const auto start = Clock::now();
  if (job.in_place) refuse_shared_file(job);
  PlannedFile file = plan_file(spec, options, job);
  result.times.plan = ms_since(start);
  const MemoryBudget::Share share(memory, bytes_under_way(file));
  result.input = file.plan.input;
  result.output = file.plan.output;
  result.notes = file.plan.notes;
  result.warnings = file.plan.warnings;
  result.images = file.images;
  Backend& backend = backends.choose(file.plan, result.warnings);
  const auto running = Clock::now();
  try {
    run_file(backends, backend, job, spec, options, file, result);
  } catch (const Error& error) {
    if (error.code() != ExitCode::device || options.device != Device::automatic || job.input == "-") throw;
    backends.give_up_cuda();
    file = plan_file(spec, options, job);
    result.warnings = file.plan.warnings;
    result.warnings.push_back(fmt::format("{}; the CPU is used", error.what()));
    run_file(backends, backends.cpu(), job, spec, options, file, result);
  }
  result.times.run = ms_since(running) - result.times.commit;
}

}  // namespace

JobResult convert_image(const ResampleSpec& spec, const RunOptions& options, Backends& backends, MemoryBudget& memory, const Job& job) {
  JobResult result{.job = &job};
  const auto start = Clock::now();
  try {
    run_job(spec, options, backends, memory, job, result);
    result.output_bytes = bytes_of(job.output);
  } catch (const StorageError& error) {
    result.fail(error);
    result.storage_failed = true;
  } catch (const DeviceLost& error) {
    result.fail(error);
    result.device_lost = true;
  } catch (const Error& error) {
    result.fail(error);
  } catch (const std::bad_alloc&) {
    result.fail(Error(ExitCode::image_failed,
                      fmt::format("{}: there is not enough memory; use a smaller part (--crop) or a larger machine", input_name(job))));
  }
  result.input_bytes = bytes_of(job.input);
  result.times.total = ms_since(start);
  return result;
}

}  // namespace upfirdn
