#pragma once
/// From the header of an input file to its plan and the format of its output. No samples are decoded.

#include <memory>
#include <string>

#include "app/value_mapping.hpp"
#include "io/codec.hpp"
#include "resample/plan.hpp"
#include "resample/spec.hpp"

namespace upfirdn {

/// One planned file.
struct Job {
  std::string input;    ///< path, or "-"
  std::string output;   ///< path, or "-"
  std::string format;   ///< extension or name of the output format; empty: the input's own
  bool in_place = false;  ///< the output takes the place of the input, whose name it has
};

/// "-" as messages name it.
[[nodiscard]] inline std::string input_name(const Job& job) { return job.input == "-" ? "standard input" : job.input; }
[[nodiscard]] inline std::string output_name(const Job& job) { return job.output == "-" ? "standard output" : job.output; }

/// How files are read and written, beside what is computed.
struct FileOptions {
  CodecOptions codec;
  ValueRequest values;
  std::optional<std::int64_t> page;  ///< the only image to take, from 1; none: all, where the output format holds more than one
  bool every_page = false;           ///< a format that holds one image is an error, not a warning
};

struct PlannedFile {
  std::unique_ptr<ImageReader> reader;  ///< at the first row of the first image that is used
  const Format* format;                 ///< of the output
  Plan plan;                            ///< of every image in the file
  std::int64_t images = 1;              ///< to be read and written
};

/// The input at the first row of the first image that is used, and its format.
[[nodiscard]] std::unique_ptr<ImageReader> open_input(const FileOptions& options, const Job& job, const Format** format = nullptr);

/// Throws Error(image_failed) that names the file: unreadable, unfit for the plan, or its depth, channels or size for the
/// output format.
[[nodiscard]] PlannedFile plan_file(const ResampleSpec& spec, const FileOptions& options, const Job& job);

}  // namespace upfirdn
