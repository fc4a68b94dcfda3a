#pragma once
/// Load, plan, run, save: one input file to one output file, and lists of them.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/plan_file.hpp"
#include "io/codec.hpp"
#include "resample/backend.hpp"
#include "resample/spec.hpp"

namespace upfirdn {

enum class Device { automatic, cpu, cuda };

struct RunOptions : FileOptions {
  Device device = Device::automatic;
  std::vector<int> cuda_ordinals;  ///< empty: device 0; images go to whichever is free
  int threads = 0;                 ///< in all; 0: all cores
  int images_in_flight = 0;        ///< 0: two a thread, with `cuda` four a device
  std::int64_t memory_bytes = 0;   ///< of the images under way, when there are several; 0: half of the machine's
  bool verify = false;
};

/// What became of one job.
struct JobResult {
  const Job* job;
  std::optional<std::string> error;  ///< one line without "upfirdn: "
  int exit_code = 0;
  ImageInfo input, output;
  std::string backend;               ///< "cpu", "cuda:0"
  std::vector<std::string> notes, warnings;
  std::vector<std::string> once;     ///< warnings that need to be said only once a run, whatever files they are about
  double milliseconds = 0;
};

/// Runs jobs, some at a time; a failed one does not stop the rest. `report` is called for each in order. Returns the exit
/// code of the whole run: 3 before 4 before 1 before 0. Throws Error(device) before any work if the device asked for can't be used.
int run_jobs(const ResampleSpec& spec, const RunOptions& options, const std::vector<Job>& jobs,
             const std::function<void(const JobResult&)>& report);

}  // namespace upfirdn
