#include "app/plan_file.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/image_store.hpp"

namespace upfirdn {
namespace {

/// Calls `f`; what it says is wrong is said of `file`.
template <class F>
auto about(const std::string& file, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace

PlannedFile plan_file(const ResampleSpec& spec, const CodecOptions& codec, const Job& job) {
  const Format* format = nullptr;
  PlannedFile file{open_image(job.input, codec, &format), nullptr, {}};
  if (!job.format.empty()) format = find_format(job.format);
  file.format = format;
  const ImageInfo& input = file.reader->info();
  const ImageInfo wanted = about(input_name(job), [&] { return with_depth(input, spec.depth); });
  ImageInfo held = wanted;  // sides are checked when the plan knows them
  held.width = held.height = format->min_side;
  const ImageInfo stored = stored_as(*format, held, output_name(job));
  file.plan = about(input_name(job), [&] { return make_plan(spec, input, stored); });
  (void)stored_as(*format, file.plan.output, output_name(job));
  if (stored.maxval != wanted.maxval)
    file.plan.warnings.push_back(fmt::format("{}: {} cannot store a maximum of {}: values are rescaled to {}", output_name(job), format->name,
                                          wanted.maxval, stored.maxval));
  return file;
}

}  // namespace upfirdn
