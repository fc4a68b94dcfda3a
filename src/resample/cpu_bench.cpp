#include "resample/cpu_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include "core/error.hpp"
#include "resample/arithmetic.hpp"
#include "resample/backend.hpp"
#include "resample/bench_cases.hpp"
#include "resample/plan.hpp"
#include "resample/side_by_side.hpp"
#include "resample/verify.hpp"

namespace upfirdn {
namespace {

std::vector<BenchCase> all_cases() {
  std::vector<BenchCase> cases = bench_cases();
  for (const BenchCase& gray : bench_cases()) cases.push_back(with_channels(gray, 3));
  for (const BenchCase& further : further_bench_cases()) cases.push_back(further);
  return cases;
}

ImageInfo info_of(const BenchCase& c, PixelType type, std::int64_t side) {
  ImageInfo info{.width = c.width, .height = c.height, .channels = c.channels, .type = type, .maxval = full_scale(type), .alpha = c.alpha};
  if (c.width == 0) {
    const auto& request = std::get<FilterRequest>(c.spec.operation);
    const std::int64_t larger = c.channels == 1 ? side : side / 2;
    info.width = info.height = std::max<std::int64_t>(1, larger / request.up.x);
  }
  return info;
}

/// The input of a case: noise, in which some samples are missing if the case knows such.
Image input_of(const BenchCase& c, const ImageInfo& info) {
  Image image = noise_image(info);
  const auto* request = std::get_if<ResizeRequest>(&c.spec.operation);
  if (request == nullptr || !request->nodata) return image;
  const std::vector<std::byte> missing = stored_pixel(*request->nodata, info);
  for (std::size_t i = 0; i < image.size_bytes(); i += 61 * missing.size()) std::memcpy(image.data() + i, missing.data(), missing.size());
  return image;
}

/// A case on one type of samples, and what it reads and writes. The output's memory is used again, as it is warm then.
struct Subject {
  Subject(const BenchCase& c, PixelType type, std::int64_t side)
      : input(input_of(c, info_of(c, type, side))), plan(make_plan(c.spec, input.info(), input.info())), output(plan.operation.output) {}

  void run(Backend& backend) {
    ImageSource source(input);
    ImageSink sink(output);
    backend.run(plan.operation, source, sink);
  }
  [[nodiscard]] double multiply_adds() const { return upfirdn::multiply_adds(plan.operation); }

  Image input;
  Plan plan;
  Image output;
};

/// A case with some number of threads on some instruction sets, and what takes turns with it.
class Contest {
 public:
  Contest(int threads, const std::vector<std::string>& targets, Subject& subject, Subject* plain)
      : threads_(threads), floor_(subject.input.size_bytes(), subject.output.size_bytes(), threads) {
    for (const std::string& target : targets) {
      subjects_.push_back(work_of(target, subject));
      if (plain != nullptr) plains_.push_back(work_of(target, *plain));
    }
  }
  void run(int rounds) {
    backend_ = make_cpu_backend(threads_);
    std::vector<TimedWork*> works = floor_.works();
    for (auto* list : {&subjects_, &plains_})
      for (TimedWork& work : *list) works.push_back(&work);
    time_side_by_side(works, rounds);
    backend_.reset();  // it limits the threads of the process
  }
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] double copy_ms() const { return floor_.median_ms(); }
  [[nodiscard]] const TimedWork& subject(std::size_t target) const { return subjects_[target]; }
  [[nodiscard]] const TimedWork* plain(std::size_t target) const { return plains_.empty() ? nullptr : &plains_[target]; }

 private:
  [[nodiscard]] TimedWork work_of(const std::string& target, Subject& subject) {
    return {.run = [this, &subject] { subject.run(*backend_); }, .before = [target] { force_cpu_target(target); }};
  }

  int threads_;
  std::unique_ptr<Backend> backend_;
  MemoryFloor floor_;
  std::vector<TimedWork> subjects_, plains_;
};

class CpuBench {
 public:
  explicit CpuBench(const CpuBenchOptions& options) : options_(options), cases_(all_cases()), targets_(cpu_targets()) {
    if (options_.threads.empty()) options_.threads = {1, std::max(1, int(std::thread::hardware_concurrency()))};
    if (options_.threads == std::vector<int>{1, 1}) options_.threads = {1};
    if (options_.targets.empty()) options_.targets = {targets_.front()};
  }
  ~CpuBench() { force_cpu_target(targets_.front()); }

  /// Cases whose names hold `only`.
  [[nodiscard]] std::vector<BenchCase> chosen() const {
    std::vector<BenchCase> some;
    for (const BenchCase& c : cases_)
      if (c.name.find(options_.only) != std::string::npos) some.push_back(c);
    return some;
  }
  void run(const BenchCase& c, PixelType type, const std::function<void(const CpuTime&)>& report) {
    Subject subject(c, type, options_.side);
    const bool equal = check_bytes(subject);
    std::optional<Subject> plain;
    if (const BenchCase* without = plain_of(c)) plain.emplace(*without, type, options_.side);
    std::vector<std::unique_ptr<Contest>> contests;
    for (const int threads : options_.threads) contests.push_back(std::make_unique<Contest>(threads, options_.targets, subject, plain ? &*plain : nullptr));
    constexpr int heats = 3;  // so that all numbers of threads see the same weather
    for (int i = 0; i < heats; ++i)
      for (const auto& contest : contests) contest->run((options_.rounds + heats - 1) / heats);
    for (std::size_t target = 0; target < options_.targets.size(); ++target)
      for (const auto& contest : contests) {
        CpuTime time = result(subject, *contest, target);
        time.name = c.name;
        time.equal = equal;
        if (const TimedWork* other = contest->plain(target))
          time.over_plain = time.ms / subject.multiply_adds() / (other->median_ms() / plain->multiply_adds());
        report(time);
      }
  }

 private:
  [[nodiscard]] const BenchCase* plain_of(const BenchCase& c) const {
    const auto found = std::find_if(cases_.begin(), cases_.end(), [&](const BenchCase& other) { return other.name == c.plain; });
    return found == cases_.end() ? nullptr : &*found;
  }
  [[nodiscard]] CpuTime result(const Subject& subject, const Contest& contest, std::size_t target) const {
    const ImageInfo &in = subject.input.info(), &out = subject.output.info();
    const TimedWork& work = contest.subject(target);
    return {.type = std::string(name(in.type)),
            .shape = fmt::format("{}x{}x{} -> {}x{}", in.width, in.height, in.channels, out.width, out.height),
            .target = options_.targets[target],
            .threads = contest.threads(),
            .ms = work.median_ms(),
            .copy_ms = contest.copy_ms(),
            .megapixels = double(std::max(in.width * in.height, out.width * out.height)) * 1e-6,
            .multiply_adds = subject.multiply_adds(),
            .page_faults = work.median_page_faults()};
  }
  /// All that is timed gives the bytes of one thread on another instruction set; where that is cheap, of every set, and the
  /// definition agrees.
  [[nodiscard]] bool check_bytes(Subject& subject) const {
    const bool cheap = subject.multiply_adds() < 2e7;
    const std::size_t others = cheap ? targets_.size() : std::min<std::size_t>(2, targets_.size());
    force_cpu_target(targets_[others - 1]);
    subject.run(*make_cpu_backend(1));
    Image expected(subject.output.info());
    std::memcpy(expected.data(), subject.output.data(), expected.size_bytes());
    bool equal = !cheap || !compare_with_definition(subject.plan.operation, subject.input, expected);
    std::vector<std::string> checked(targets_.begin(), targets_.begin() + std::ptrdiff_t(others));
    checked.insert(checked.end(), options_.targets.begin(), options_.targets.end());
    for (const int threads : options_.threads) {
      const std::unique_ptr<Backend> backend = make_cpu_backend(threads);
      for (const std::string& target : checked) {
        force_cpu_target(target);
        std::memset(subject.output.data(), 0xA5, subject.output.size_bytes());
        subject.run(*backend);
        equal = equal && !compare_bytes(expected, subject.output);
      }
    }
    return equal;
  }

  CpuBenchOptions options_;
  std::vector<BenchCase> cases_;
  std::vector<std::string> targets_;
};

bool fits(const BenchCase& c, PixelType type) {
  const auto* request = std::get_if<ResizeRequest>(&c.spec.operation);
  return request == nullptr || !request->linear || !is_float(type);
}

}  // namespace

std::string cpu_time_heading() {
  return fmt::format("{:44} {:>4} {:>24} {:>7} {:>7} {:>9} {:>9} {:>9} {:>7} {:>8} {:>7} {:>7}", "case", "type", "shape", "set", "threads", "ms",
                     "Mpixel/s", "copy ms", "/floor", "G taps/s", "/plain", "faults");
}

std::string cpu_time_line(const CpuTime& t) {
  return fmt::format("{:44} {:>4} {:>24} {:>7} {:>7} {:9.3f} {:9.0f} {:9.3f} {:7.2f} {:8.1f} {:>7} {:7.0f}{}", t.name, t.type, t.shape, t.target, t.threads,
                     t.ms, t.megapixels / t.ms * 1000, t.copy_ms, t.ratio(), t.multiply_adds / t.ms * 1e-6,
                     t.over_plain ? fmt::format("{:.2f}", *t.over_plain) : "-", t.page_faults, t.equal ? "" : "  WRONG BYTES");
}

void bench_cpu(const CpuBenchOptions& options, const std::function<void(const CpuTime&)>& report) {
  CpuBench bench(options);
  const std::vector<BenchCase> chosen = bench.chosen();
  if (chosen.empty()) throw Error(ExitCode::usage, fmt::format("--only: no case's name holds '{}'; without --only all cases are shown", options.only));
  for (const BenchCase& c : chosen)
    for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f16, PixelType::f32}) {
      if (!fits(c, type) || (!options.only_type.empty() && options.only_type != name(type))) continue;
      bench.run(c, type, report);
    }
}

}  // namespace upfirdn
