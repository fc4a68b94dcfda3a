/// The module `exr`: everything that needs OpenEXR.

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfOpaqueAttribute.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfVersion.h>

#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/exr/abi.hpp"
#include "io/module_guard.hpp"

namespace {

constexpr int own_thread_only = 0;  // the program has its own threads

class Source final : public Imf::IStream {
 public:
  explicit Source(const UpfirdnExrSource& source) : Imf::IStream(""), source_(source) {}
  bool read(char bytes[], int count) override {
    if (count < 0 || source_.read_at(source_.context, position_, bytes, size_t(count)) != 0)
      throw std::runtime_error("it ends early");
    position_ += uint64_t(count);
    return true;
  }
  uint64_t tellg() override { return position_; }
  void seekg(uint64_t position) override { position_ = position; }

 private:
  UpfirdnExrSource source_;
  uint64_t position_ = 0;
};

class Sink final : public Imf::OStream {
 public:
  explicit Sink(const UpfirdnExrSink& sink) : Imf::OStream(""), sink_(sink) {}
  void write(const char bytes[], int count) override {
    if (count < 0 || sink_.write_at(sink_.context, position_, bytes, size_t(count)) != 0)
      throw std::runtime_error("it can't be written");
    position_ += uint64_t(count);
  }
  uint64_t tellp() override { return position_; }
  void seekp(uint64_t position) override { position_ = position; }

 private:
  UpfirdnExrSink sink_;
  uint64_t position_ = 0;
};

/// The stored value of an attribute.
int read_value(void* context, uint64_t offset, void* bytes, size_t size) {
  const auto& attribute = *static_cast<const UpfirdnExrAttribute*>(context);
  if (offset > attribute.size || size > attribute.size - offset) return 1;
  std::memcpy(bytes, static_cast<const char*>(attribute.bytes) + offset, size);
  return 0;
}

void insert(Imf::Header& header, UpfirdnExrAttribute attribute) {
  const bool known = Imf::Attribute::knownType(attribute.type);
  const std::unique_ptr<Imf::Attribute> value(known ? Imf::Attribute::newAttribute(attribute.type)
                                                    : new Imf::OpaqueAttribute(attribute.type));
  Source bytes({&attribute, read_value});
  value->readValueFrom(bytes, int(attribute.size), Imf::EXR_VERSION);
  header.insert(attribute.name, *value);
}

/// Interleaved rows as OpenEXR wants to be told of them.
class Layout {
 public:
  explicit Layout(const UpfirdnExrChannels& channels)
      : names_(channels.names, channels.names + channels.count), sample_bytes_(size_t(channels.sample_bytes)) {}

  [[nodiscard]] Imf::PixelType type() const { return sample_bytes_ == 2 ? Imf::HALF : Imf::FLOAT; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// `count` rows of the window, the first of which is `y`, are at `rows`.
  [[nodiscard]] Imf::FrameBuffer frame(const Imath::Box2i& window, int64_t y, int64_t count, const void* rows, size_t stride_bytes) const {
    Imf::FrameBuffer frame;
    const auto* first = static_cast<const char*>(rows);
    const int64_t width = int64_t(window.max.x) - window.min.x + 1;
    for (const std::string& name : names_) {
      frame.insert(name, Imf::Slice::Make(type(), first, {window.min.x, int(y)}, width, count, sample_bytes_ * names_.size(), stride_bytes));
      first += sample_bytes_;
    }
    return frame;
  }

 private:
  std::vector<std::string> names_;
  size_t sample_bytes_;
};

}  // namespace

struct UpfirdnExrReader {
  UpfirdnExrReader(const UpfirdnExrSource& bytes, int part_number, const UpfirdnExrChannels& channels)
      : source(bytes), file(source, own_thread_only, false), part(file, part_number), layout(channels) {}

  Source source;
  Imf::MultiPartInputFile file;
  Imf::InputPart part;
  Layout layout;
};

struct UpfirdnExrWriter {
  UpfirdnExrWriter(const UpfirdnExrSink& bytes, const Imf::Header& header, const Layout& rows)
      : sink(bytes), layout(rows), file(sink, header, own_thread_only) {}

  Sink sink;
  Layout layout;
  Imf::OutputFile file;
};

namespace {

int open(const UpfirdnExrSource* source, int32_t part, const UpfirdnExrChannels* channels, UpfirdnExrReader** reader, char* error,
         size_t error_size) {
  return guarded(error, error_size, [&] { *reader = new UpfirdnExrReader(*source, part, *channels); });
}

int read(UpfirdnExrReader* reader, int64_t first, int64_t count, void* rows, size_t stride_bytes, char* error, size_t error_size) {
  return guarded(error, error_size, [&] {
    const Imath::Box2i& window = reader->part.header().dataWindow();
    const int64_t y = window.min.y + first;
    reader->part.setFrameBuffer(reader->layout.frame(window, y, count, rows, stride_bytes));
    reader->part.readPixels(int(y), int(y + count - 1));
  });
}

void close(UpfirdnExrReader* reader) { delete reader; }

int create(const UpfirdnExrSink* sink, const UpfirdnExrAttribute* attributes, size_t attribute_count, const UpfirdnExrChannels* channels,
           UpfirdnExrWriter** writer, char* error, size_t error_size) {
  return guarded(error, error_size, [&] {
    Imf::Header header;
    for (size_t i = 0; i < attribute_count; ++i) insert(header, attributes[i]);
    const Layout layout(*channels);
    for (const std::string& name : layout.names()) header.channels().insert(name, Imf::Channel(layout.type()));
    *writer = new UpfirdnExrWriter(*sink, header, layout);
  });
}

int write(UpfirdnExrWriter* writer, int64_t count, const void* rows, size_t stride_bytes, char* error, size_t error_size) {
  return guarded(error, error_size, [&] {
    Imf::OutputFile& file = writer->file;
    file.setFrameBuffer(writer->layout.frame(file.header().dataWindow(), file.currentScanLine(), count, rows, stride_bytes));
    file.writePixels(int(count));
  });
}

void finish(UpfirdnExrWriter* writer) { delete writer; }

}  // namespace

extern "C" __attribute__((visibility("default"))) const UpfirdnExr* upfirdn_exr() {
  static const UpfirdnExr table = [] {
    Imf::staticInitialize();
    return UpfirdnExr{upfirdn_exr_abi, open, read, close, create, write, finish};
  }();
  return &table;
}
