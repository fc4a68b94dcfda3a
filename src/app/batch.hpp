#pragma once
/// Many files at a time.

#include <functional>
#include <vector>

#include "app/convert.hpp"

namespace upfirdn {

/// Runs jobs, some at a time; a failed one does not stop the rest, unless no output can be written any more (StorageError) or
/// `fail_fast` is set: then no job is begun any more, and those never begun are not reported. `report` is called for each in
/// order, one call at a time. With `cuda`, images go to whichever device is free; what a device can't do goes to the others, and a
/// device that is lost is dropped: the image that met it has a warning, and where no device is left the remaining images fail. In the
/// end the outputs' folders are synced, once. Returns the exit code of the whole run: 3 before 4 before 1 before 0. Throws
/// Error(device) before any work if the device asked for can't be used, Error(image_failed) if a folder can't be synced.
int run_jobs(const ResampleSpec& spec, const RunOptions& options, const std::vector<Job>& jobs,
             const std::function<void(const JobResult&)>& report);

}  // namespace upfirdn
