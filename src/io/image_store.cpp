#include "io/image_store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/byte_files.hpp"
#include "io/formats.hpp"
#include "io/straight_alpha.hpp"
#include "io/upright.hpp"

namespace upfirdn {
namespace {

std::string known_formats() {
  std::vector<std::string> names;
  for (const Format& format : formats()) {
    if (format.open) names.push_back(format.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::unique_ptr<ImageReader> open_image(const std::string& path, const CodecOptions& options,
                                        const Format** format_out) {
  const Format* format = nullptr;
  auto source = open_source(path, [&](const std::string& name, std::span<const std::byte> head) {
    format = recognise_format(head);
    if (format == nullptr) {
      throw image_error(name, fmt::format("not an image in a known format; known are {}", known_formats()));
    }
  });
  if (format_out != nullptr) *format_out = format;
  return upright(format->open(std::move(source), options));
}

struct PendingImage::State {
  explicit State(const std::string& path) : file(path) {}

  PendingFile file;
  std::unique_ptr<ImageWriter> writer;  // writes to `file`, so it goes first
};

PendingImage::PendingImage(const std::string& path, const Format& format, const ImageInfo& info,
                           std::int64_t images, const CodecOptions& options)
    : state_(std::make_unique<State>(path)) {
  const bool divide = info.alpha == Alpha::associated && !format.holds_premultiplied;
  const bool multiply = info.alpha == Alpha::straight && !format.holds_straight;
  ImageInfo held = info;
  if (divide) held.alpha = Alpha::straight;
  if (multiply) held.alpha = Alpha::associated;
  state_->writer = format.create(state_->file.sink(), held, images, options);
  if (divide) state_->writer = with_straight_alpha(std::move(state_->writer), info);
  if (multiply) state_->writer = with_premultiplied_alpha(std::move(state_->writer), info);
}

PendingImage::~PendingImage() = default;
PendingImage::PendingImage(PendingImage&&) noexcept = default;
PendingImage& PendingImage::operator=(PendingImage&&) noexcept = default;

RowSink& PendingImage::rows() {
  return *state_->writer;
}

void PendingImage::next_image(const std::shared_ptr<const Metadata>& metadata) {
  state_->writer->next_image(metadata);
}

std::vector<std::string> PendingImage::commit(const CommitOptions& options) {
  state_->writer->finish();
  std::vector<std::string> notes = state_->writer->notes();
  state_->writer.reset();
  state_->file.commit(options);
  return notes;
}

void write_file_atomically(const std::string& path, std::span<const std::byte> bytes) {
  PendingFile file(path);
  file.sink()->write_at(0, bytes);
  file.commit();
}

}  // namespace upfirdn
