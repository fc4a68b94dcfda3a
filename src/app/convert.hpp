#pragma once
/// Load, plan, run, save: one input file to one output file.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/plan_file.hpp"
#include "core/error.hpp"
#include "io/codec.hpp"
#include "resample/backend.hpp"
#include "resample/spec.hpp"

namespace upfirdn {

class Backends;
class Journal;
class MemoryBudget;
class UnsyncedFolders;

enum class Device { automatic, cpu, cuda };

struct RunOptions : FileOptions {
  Device device = Device::automatic;
  std::vector<int> cuda_ordinals;  ///< empty: device 0; images go to whichever is free
  int threads = 0;                 ///< in all; 0: all cores
  int images_in_flight = 0;        ///< 0: two a thread, with `cuda` one, but four a device at least
  std::int64_t memory_bytes = 0;   ///< of the images under way, when there are several; 0: half of the machine's
  /// Makes the backend of a device; tests give devices of their own.
  std::function<std::unique_ptr<Backend>(int ordinal)> make_cuda = make_cuda_backend;
  bool verify = false;
  bool fail_fast = false;          ///< no image is begun after one failed
  bool keep_times = false;         ///< outputs take the modification time of their input
  Journal* journal = nullptr;      ///< of the files replaced in place; not owned
  UnsyncedFolders* unsynced = nullptr;  ///< folders of outputs, for one sync in the end; null: synced at once; not owned
};

/// What became of one job.
struct JobResult {
  const Job* job;
  std::optional<std::string> error;  ///< one line without "upfirdn: "
  int exit_code = 0;
  bool storage_failed = false;       ///< no further output can be written either
  bool device_lost = false;          ///< the device can't be used any more
  bool not_tried = false;            ///< failed because no device was left
  ImageInfo input, output;
  std::int64_t images = 0;           ///< in the file
  std::int64_t input_bytes = 0, output_bytes = 0;  ///< of regular files
  std::string backend;               ///< "cpu", "cuda:0"
  std::vector<std::string> notes, warnings;
  std::vector<std::string> once;     ///< warnings that need to be said only once a run, whatever files they are about
  struct Times {
    double plan = 0;    ///< open, read the header, plan
    double run = 0;     ///< decode, resample and encode, which overlap
    double commit = 0;  ///< finish, sync and rename
    double total = 0;
  } times;              ///< milliseconds

  void fail(const Error& fault) {
    error = fault.what();
    exit_code = int(fault.code());
  }
};

/// Converts one file. Whatever is wrong with it is told by the result; only bugs are thrown.
[[nodiscard]] JobResult convert_image(const ResampleSpec& spec, const RunOptions& options, Backends& backends, MemoryBudget& memory,
                                      const Job& job);

}  // namespace upfirdn
