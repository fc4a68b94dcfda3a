#include "app/plan_file.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/image_store.hpp"
#include "resample/arithmetic.hpp"

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

/// Images that are used: all, where the format holds them or a stream is asked for or goes into a stream; else one. Throws Error(image_failed) where `--page all` asks for more than the format holds.
std::int64_t images_used(const FileOptions& options, const ImageReader& reader, const Format& source, const Format& format, const Job& job) {
  if (options.page) return 1;
  if (format.many_images || (format.streams && (options.every_page || source.streams))) return reader.images();
  if (options.every_page && reader.images() > 1)
    throw Error(ExitCode::image_failed, fmt::format("{}: {} holds one image, not {}; use --page N or write TIFF", output_name(job),
                                                    format.name, reader.images()));
  return 1;
}

/// What `--depth` makes of an input; a window shows signed samples on unsigned ones.
ImageInfo wanted_type(const ResampleSpec& spec, const ValueRequest& values, const ImageInfo& input) {
  ImageInfo base = input;
  if (values.display != ValueRequest::Display::none) base.type = without_sign(base.type);
  return mapped_type(values, input, with_depth(base, spec.depth));
}

/// Plans floats in the units of the input, which are mapped to `stored` afterwards with the only rounding.
Plan plan_values(const ResampleSpec& spec, const ImageInfo& input, const ImageInfo& stored) {
  ImageInfo floats = input;
  floats.type = arithmetic_of(input.type) == Arithmetic::float64 ? PixelType::f64 : PixelType::f32;
  Plan plan = make_plan(spec, input, floats);
  plan.output.type = stored.type;
  plan.output.maxval = stored.maxval;
  plan.output.values_as_stored = stored.values_as_stored;
  if (plan.letterbox) {
    const auto& target = std::get<ResizeRequest>(spec.operation).target;
    plan.letterbox->pixel = stored_pixel(std::get<ToLetterbox>(target).value, plan.output);
  }
  return plan;
}

}  // namespace

std::unique_ptr<ImageReader> open_input(const FileOptions& options, const Job& job, const Format** format) {
  auto reader = open_image(job.input, options.codec, format);
  for (std::int64_t page = 1; page < options.page.value_or(1); ++page)
    if (!reader->next_image())
      throw Error(ExitCode::image_failed, fmt::format("{}: has no image {}, only {}; choose another --page", input_name(job), *options.page, page));
  return reader;
}

PlannedFile plan_file(const ResampleSpec& spec, const FileOptions& options, const Job& job) {
  const Format* input_format = nullptr;
  PlannedFile file{open_input(options, job, &input_format), nullptr, {}};
  const Format* format = file.format = job.format.empty() ? input_format : find_format(job.format);
  if (format->own_only && format != input_format)
    throw Error(ExitCode::image_failed, fmt::format("{}: {} is written from {} files only; write PNG or TIFF", output_name(job), format->name, format->name));
  if (format->own_only && options.values.changes_values())
    throw Error(ExitCode::image_failed, fmt::format("{}: {} keeps its values and says how they are shown; leave out --window, --rescale and --invert-monochrome1",
                                                    output_name(job), format->name));
  if (format->own_only && options.codec.strip)
    throw Error(ExitCode::image_failed, fmt::format("{}: {} says with its elements what the samples mean; leave out --strip, or write PNG or TIFF",
                                                    output_name(job), format->name));
  file.images = images_used(options, *file.reader, *input_format, *format, job);
  const ImageInfo& input = file.reader->info();
  const ImageInfo wanted = about(input_name(job), [&] { return wanted_type(spec, options.values, input); });
  ImageInfo held = wanted;  // sides are checked when the plan knows them
  held.width = held.height = format->min_side;
  const ImageInfo stored = stored_as(*format, held, output_name(job), input_format);
  const bool as_floats = options.values.display != ValueRequest::Display::none || options.values.rescale;
  file.plan = about(input_name(job), [&] { return as_floats ? plan_values(spec, input, stored) : make_plan(spec, input, stored); });
  (void)stored_as(*format, file.plan.output, output_name(job), input_format);
  if (stored.maxval != wanted.maxval)
    file.plan.warnings.push_back(fmt::format("{}: {} cannot store a maximum of {}: values are rescaled to {}", output_name(job), format->name,
                                          wanted.maxval, stored.maxval));
  return file;
}

}  // namespace upfirdn
