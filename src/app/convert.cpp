#include "app/convert.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "app/memory_budget.hpp"
#include "app/request_text.hpp"
#include "app/row_adapters.hpp"
#include "core/error.hpp"
#include "io/image_store.hpp"
#include "resample/verify.hpp"

namespace upfirdn {
namespace {

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

int cpu_threads(const RunOptions& options) {
  return options.threads > 0 ? options.threads : int(std::max(1u, std::thread::hardware_concurrency()));
}

/// What all that take jobs share: the threads of the CPU, and how long it would take for what was asked so far.
struct SharedCpu {
  explicit SharedCpu(const RunOptions& options) : backend(make_cpu_backend(options.threads)) {}
  std::unique_ptr<Backend> backend;
  std::atomic<double> work_ms = 0;
};

/// Each of them needs memory on the device and page-locked memory.
constexpr std::size_t backends_for_each_device = 4;

/// The backends of one that takes jobs: the CPU's and one of CUDA, made when it is first needed. `automatic` leaves CUDA alone
/// if not `may_use_cuda`.
class Backends {
 public:
  Backends(const RunOptions& options, SharedCpu& cpu, bool may_use_cuda) : options_(options), cpu_(cpu) {
    if (options.device == Device::cuda) (void)cuda();
    if (!may_use_cuda) cuda_usable_ = false;
  }

  [[nodiscard]] Backend& cpu() { return *cpu_.backend; }
  [[nodiscard]] Backend& cuda() {
    if (!cuda_) cuda_ = make_cuda_backend(options_.cuda_ordinals.empty() ? 0 : options_.cuda_ordinals.front());
    return *cuda_;
  }
  /// The backend for a plan. `automatic` takes CUDA where the CPU would take longer than starting CUDA does; `warnings` takes
  /// why it could not.
  [[nodiscard]] Backend& choose(const Plan& plan, std::vector<std::string>& warnings) {
    if (options_.device == Device::cuda) return cuda();
    if (options_.device == Device::cpu || !worth_cuda(plan) || !cuda_works(warnings)) return cpu();
    return cuda();
  }
  /// The backend that checks the result of another; null where there is none.
  [[nodiscard]] Backend* other(const Backend& used) {
    if (&used != &cpu()) return &cpu();
    return cuda_status().devices.empty() ? nullptr : &cuda();
  }
  /// After CUDA failed under `automatic`: do not try it again.
  void give_up_cuda() { cuda_usable_ = false; }

 private:
  [[nodiscard]] bool worth_cuda(const Plan& plan) {
    // One thread did 3e6 taps a ms (61 taps, u16, Zen 5); the start of CUDA is an estimate.
    constexpr double taps_per_ms = 3e6, cuda_start_ms = 400;
    const Operation& op = plan.operation;
    const double passes = double(op.output.height) * double(op.input.width) * double(op.y.longest_phase()) +
                          double(op.output.height) * double(op.output.width) * double(op.x.longest_phase());
    cpu_.work_ms += passes * op.input.channels / taps_per_ms / cpu_threads(options_);
    return cpu_.work_ms > cuda_start_ms;
  }
  [[nodiscard]] bool cuda_works(std::vector<std::string>& warnings) {
    if (!cuda_usable_) {
      const CudaStatus status = cuda_status();
      cuda_usable_ = !status.devices.empty();
      try {
        if (*cuda_usable_) (void)cuda();
      } catch (const Error& error) {
        cuda_usable_ = false;
        warnings.push_back(fmt::format("{}; the CPU is used", error.what()));
      }
    }
    return *cuda_usable_;
  }

  const RunOptions& options_;
  SharedCpu& cpu_;
  std::unique_ptr<Backend> cuda_;
  std::optional<bool> cuda_usable_;
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

/// How the samples of a file are mapped after resampling.
std::optional<ValueMapping> mapping_of(const Job& job, const RunOptions& options, const PlannedFile& file) {
  ImageInfo to = file.plan.operation.output;  // without a letterbox
  to.type = file.plan.output.type;
  to.maxval = file.plan.output.maxval;
  const auto reopen = [&] {
    if (job.input == "-")
      throw Error(ExitCode::image_failed, "--window auto and percentile read the image twice, standard input comes once; name a file");
    return open_input(options, job);
  };
  return plan_mapping(options.values, file.reader->metadata().get(), file.plan.operation.output, to, reopen, file.images);
}

/// Options for the writer of a planned file.
CodecOptions writing_options(const ResampleSpec& spec, const RunOptions& options, const PlannedFile& file) {
  CodecOptions codec = options.codec;
  codec.origin = std::make_shared<const Origin>(
      Origin{file.reader->metadata(), file.plan.input, file.plan.x, file.plan.y, options.page, describe(spec, options.values)});
  return codec;
}

/// Low values that are white go to a format in which they are black.
bool loses_white(const PlannedFile& file, const RunOptions& options) {
  const auto metadata = file.reader->metadata();
  const ValueMeaning* meaning = metadata == nullptr ? nullptr : metadata->meaning();
  return meaning != nullptr && meaning->low_is_white && !file.format->own_only && !options.values.invert_low_is_white;
}

/// What the output's format can't hold of the input's metadata; empty if it holds all or none is wanted.
std::string lost_metadata(const PlannedFile& file, const RunOptions& options) {
  const auto metadata = file.reader->metadata();
  const std::vector<std::string> kinds = metadata == nullptr ? std::vector<std::string>() : metadata->kinds();
  if (kinds.empty() || file.format->holds_metadata || options.codec.strip) return {};
  return fmt::format("{} cannot hold metadata: {} left out", file.format->name, fmt::join(kinds, ", "));
}

/// Runs all images of a planned file on one backend.
void run_file(Backends& backends, Backend& backend, const Job& job, const ResampleSpec& spec, const RunOptions& options,
              PlannedFile& file, JobResult& result) {
  if (!options.page && file.images < file.reader->images())
    result.warnings.push_back(fmt::format("{}: the first of {} images is used; {} holds one", input_name(job),
                                          file.reader->images(), file.format->name));
  if (loses_white(file, options)) result.once.emplace_back("low values are white in this file and black in the output; --invert-monochrome1 inverts them");
  if (const std::string lost = lost_metadata(file, options); !lost.empty()) result.once.push_back(lost);
  std::optional<ValueMapping> mapping = mapping_of(job, options, file);
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
    // Each image may have a window or a rescale of its own; samples are counted over all of them.
    if (i > 0 && options.values.display != ValueRequest::Display::percentiles) mapping = mapping_of(job, options, file);
    RunResult one = run_image(backends, backend, job, options, file.plan, mapping, *file.reader, pending.rows());
    nan_samples += one.nan_samples;
    if (i == 0) result.notes.insert(result.notes.end(), one.notes.begin(), one.notes.end());
  }
  const std::vector<std::string> left_out = pending.commit();
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
  PlannedFile file = plan_file(spec, options, job);
  const MemoryBudget::Share share(memory, bytes_under_way(file));
  result.input = file.plan.input;
  result.output = file.plan.output;
  result.notes = file.plan.notes;
  result.warnings = file.plan.warnings;
  Backend& backend = backends.choose(file.plan, result.warnings);
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
}

/// Runs a job and turns what goes wrong into its result.
JobResult attempt(const ResampleSpec& spec, const RunOptions& options, Backends& backends, MemoryBudget& memory, const Job& job) {
  JobResult result{.job = &job};
  const auto start = std::chrono::steady_clock::now();
  try {
    run_job(spec, options, backends, memory, job, result);
  } catch (const Error& error) {
    result.error = error.what();
    result.exit_code = int(error.code());
  } catch (const std::bad_alloc&) {
    result.error = fmt::format("{}: there is not enough memory; use a smaller part (--crop) or a larger machine", input_name(job));
    result.exit_code = int(ExitCode::image_failed);
  }
  result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

/// 3 before 4 before 1 before 0; a fault found only with the file at hand is that file's.
int worse(int a, int b) {
  const auto rank = [](int code) { return code == int(ExitCode::device) ? 3 : code == int(ExitCode::mismatch) ? 2 : code != 0 ? 1 : 0; };
  return rank(b) > rank(a) ? b : a;
}

/// Jobs that threads take in turn; their results are reported in the order of the jobs.
class JobQueue {
 public:
  JobQueue(const std::vector<Job>& jobs, std::int64_t memory_bytes, const std::function<void(const JobResult&)>& report)
      : jobs_(jobs), report_(report), results_(jobs.size()), memory_(memory_bytes) {}

  /// Takes jobs until none is left.
  void work(const ResampleSpec& spec, const RunOptions& options, Backends& backends) {
    for (std::size_t number = next_++; number < jobs_.size(); number = next_++) {
      JobResult result = attempt(spec, options, backends, memory_, jobs_[number]);
      const std::lock_guard lock(mutex_);
      results_[number] = std::move(result);
      for (; reported_ < jobs_.size() && results_[reported_]; ++reported_) {
        tell(*results_[reported_]);
        results_[reported_].reset();
      }
    }
  }
  [[nodiscard]] int exit_code() const { return code_; }

 private:
  void tell(const JobResult& result) {
    const bool usage = result.exit_code == int(ExitCode::usage);
    code_ = worse(code_, usage ? int(ExitCode::image_failed) : result.exit_code);
    report_(result);
  }

  const std::vector<Job>& jobs_;
  const std::function<void(const JobResult&)>& report_;
  std::vector<std::optional<JobResult>> results_;
  MemoryBudget memory_;
  std::atomic<std::size_t> next_ = 0;
  std::size_t reported_ = 0;
  int code_ = int(ExitCode::ok);
  std::mutex mutex_;
};

/// Images under way at once, so that some are read and written while others are resampled: two a thread; where CUDA resamples
/// or checks, some for each device.
std::size_t images_in_flight(const RunOptions& options, std::size_t jobs) {
  std::size_t wanted = std::size_t(options.images_in_flight);
  if (wanted == 0 && (options.device == Device::cuda || options.verify))
    wanted = backends_for_each_device * std::max<std::size_t>(1, options.cuda_ordinals.size());
  if (wanted == 0) wanted = 2 * std::size_t(cpu_threads(options));
  return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(jobs, 1));
}

}  // namespace

int run_jobs(const ResampleSpec& spec, const RunOptions& options, const std::vector<Job>& jobs,
             const std::function<void(const JobResult&)>& report) {
  const std::size_t workers = images_in_flight(options, jobs.size());
  std::vector<RunOptions> shares(workers, options);
  SharedCpu cpu(options);
  std::vector<std::unique_ptr<Backends>> backends;
  for (std::size_t i = 0; i < workers; ++i) {
    if (!options.cuda_ordinals.empty()) shares[i].cuda_ordinals = {options.cuda_ordinals[i % options.cuda_ordinals.size()]};
    backends.push_back(std::make_unique<Backends>(shares[i], cpu, i < backends_for_each_device));
  }
  JobQueue queue(jobs, options.memory_bytes, report);
  std::vector<std::exception_ptr> faults(workers);  // bugs: what is wrong with an image is a result
  const auto work = [&](std::size_t i) {
    try {
      queue.work(spec, shares[i], *backends[i]);
    } catch (...) {
      faults[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(work, i);
    work(0);
  }
  for (const std::exception_ptr& fault : faults)
    if (fault) std::rethrow_exception(fault);
  return queue.exit_code();
}

}  // namespace upfirdn
