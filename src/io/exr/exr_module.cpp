#include "io/exr/exr_module.hpp"

#include <fmt/format.h>

#include "io/header_bytes.hpp"
#include "io/module_files.hpp"

namespace upfirdn::exr {
namespace {

const UpfirdnExr& module_table() {
  static const auto& table = *static_cast<const UpfirdnExr*>(load_module(exr_module, upfirdn_exr_entry, upfirdn_exr_abi));
  return table;
}

/// Channels for the C table.
struct PlainChannels {
  PlainChannels(const std::vector<std::string>& channels, PixelType type) {
    for (const std::string& name : channels) names.push_back(name.c_str());
    plain = {names.data(), std::int32_t(names.size()), std::int32_t(size_bytes(type))};
  }
  std::vector<const char*> names;
  UpfirdnExrChannels plain{};
};

/// OpenEXR names the file, which has no name for it, and ends its sentences.
std::string without_name(std::string text) {
  for (const std::string_view part : {" from image file \"\"", " image file \"\"", " file \"\""})
    if (const auto at = text.find(part); at != std::string::npos) text.erase(at, part.size());
  while (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

Decoder::Decoder(const ByteSource& source, int part, const std::vector<std::string>& channels, PixelType type)
    : source_(source), bytes_(source) {
  char error[256];
  const UpfirdnExrSource plain{this, read_at};
  const PlainChannels order(channels, type);
  check(module_table().open(&plain, part, &order.plain, &reader_, error, sizeof error), error);
}

Decoder::~Decoder() {
  if (reader_ != nullptr) module_table().close(reader_);
}

void Decoder::read(std::int64_t first, std::int64_t count, std::byte* rows, std::size_t stride_bytes) {
  char error[256];
  check(module_table().read(reader_, first, count, rows, stride_bytes, error, sizeof error), error);
}

int Decoder::read_at(void* context, std::uint64_t offset, void* bytes, std::size_t size) noexcept {
  auto& self = *static_cast<Decoder*>(context);
  try {
    self.bytes_.seek(offset);
    self.ended_ = self.bytes_.read({static_cast<std::byte*>(bytes), size}) < size;
    return self.ended_ ? 1 : 0;
  } catch (...) {
    self.fault_ = std::current_exception();
    return 1;
  }
}

void Decoder::check(int failed, const char* error) {
  if (failed == 0) return;
  if (fault_) std::rethrow_exception(fault_);
  if (ended_) throw cut_short(source_);
  throw damaged(source_, fmt::format("EXR decoding stopped ({})", without_name(error)));
}

Encoder::Encoder(ByteSink& sink, const std::vector<Attribute>& attributes, const std::vector<std::string>& channels, PixelType type)
    : sink_(sink) {
  std::vector<UpfirdnExrAttribute> plain;
  for (const Attribute& a : attributes) plain.push_back({a.name.c_str(), a.type.c_str(), a.value.data(), a.value.size()});
  char error[256];
  const UpfirdnExrSink target{this, write_at};
  const PlainChannels order(channels, type);
  check(module_table().create(&target, plain.data(), plain.size(), &order.plain, &writer_, error, sizeof error), error);
}

Encoder::~Encoder() {
  if (writer_ != nullptr) module_table().finish(writer_);
}

void Encoder::write(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) {
  char error[256];
  check(module_table().write(writer_, count, rows, stride_bytes, error, sizeof error), error);
}

void Encoder::finish() {
  module_table().finish(std::exchange(writer_, nullptr));
  if (fault_) std::rethrow_exception(fault_);
}

int Encoder::write_at(void* context, std::uint64_t offset, const void* bytes, std::size_t size) noexcept {
  auto& self = *static_cast<Encoder*>(context);
  try {
    self.sink_.write_at(offset, {static_cast<const std::byte*>(bytes), size});
    return 0;
  } catch (...) {
    self.fault_ = std::current_exception();
    return 1;
  }
}

void Encoder::check(int failed, const char* error) {
  if (failed == 0) return;
  if (fault_) std::rethrow_exception(fault_);
  throw image_error(sink_.name(), fmt::format("can't be encoded as EXR ({}); choose another format or compression", without_name(error)));
}

}  // namespace upfirdn::exr
