/// `dicom-codec`: decodes and encodes the compressed frames of DICOM files with GDCM, in memory that the program shares with
/// it. Whatever GDCM does to its process leaves the program standing.

#include <gdcmImage.h>
#include <gdcmJPEG2000Codec.h>
#include <gdcmJPEGLSCodec.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmTrace.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>

#include "io/dicom/codec_abi.hpp"

namespace {

using upfirdn::dicom::codec_abi, upfirdn::dicom::codec_descriptor, upfirdn::dicom::CodecExtent, upfirdn::dicom::CodecRequest;

struct Memory {
  std::byte* bytes;
  std::size_t size;

  [[nodiscard]] CodecRequest& request() const { return *reinterpret_cast<CodecRequest*>(bytes); }
  [[nodiscard]] CodecExtent& input(int frame) const { return reinterpret_cast<CodecExtent*>(bytes + sizeof(CodecRequest))[frame]; }
  [[nodiscard]] CodecExtent& output(int frame) const { return input(request().frames + frame); }
  [[nodiscard]] char* at(const CodecExtent& extent) const { return reinterpret_cast<char*>(bytes + extent.offset); }
};

gdcm::PixelFormat pixel_format(const CodecRequest& r) {
  const auto allocated = std::uint16_t(r.bits <= 8 ? 8 : 16);
  return gdcm::PixelFormat(std::uint16_t(r.samples), allocated, std::uint16_t(r.bits), std::uint16_t(r.bits - 1),
                           std::uint16_t(r.is_signed));
}

/// RGB makes GDCM leave the components as they are stored.
gdcm::PhotometricInterpretation photometric(const CodecRequest& r) {
  return r.samples == 1 ? gdcm::PhotometricInterpretation::MONOCHROME2 : gdcm::PhotometricInterpretation::RGB;
}

/// An image of one frame without pixels.
void describe(gdcm::Image& image, const CodecRequest& r, const gdcm::TransferSyntax& syntax) {
  image.SetNumberOfDimensions(2);
  image.SetDimension(0, unsigned(r.columns));
  image.SetDimension(1, unsigned(r.rows));
  image.SetPixelFormat(pixel_format(r));
  image.SetPhotometricInterpretation(photometric(r));
  image.SetPlanarConfiguration(0);
  image.SetTransferSyntax(syntax);
}

gdcm::DataElement fragments_of(const char* bytes, std::size_t size) {
  gdcm::SmartPointer<gdcm::SequenceOfFragments> sequence = new gdcm::SequenceOfFragments;
  gdcm::Fragment fragment;
  fragment.SetByteValue(bytes, std::uint32_t(size));
  sequence->AddFragment(fragment);
  gdcm::DataElement element(gdcm::Tag(0x7fe0, 0x0010), 0, gdcm::VR::OB);
  element.SetValue(*sequence);
  return element;
}

/// libjpeg goes on where samples are missing, with a warning on standard error, which is a file here. Only what pads the
/// end is harmless.
void check_warnings() {
  std::string text(4096, '\0');
  const ssize_t size = pread(STDERR_FILENO, text.data(), text.size(), 0);
  text.resize(std::size_t(std::max<ssize_t>(size, 0)));
  if (ftruncate(STDERR_FILENO, 0) == 0) lseek(STDERR_FILENO, 0, SEEK_SET);
  for (const char* fatal : {"Corrupt JPEG data", "Premature end of JPEG"}) {
    const std::size_t place = text.find(fatal);
    if (place == std::string::npos) continue;
    const std::string line = text.substr(place, text.find('\n', place) - place);
    if (!line.ends_with("extraneous bytes before marker 0xd9")) throw std::runtime_error(line);
  }
}

void decode(const Memory& memory, int frame, const gdcm::TransferSyntax& syntax) {
  const CodecRequest& r = memory.request();
  gdcm::Image image;
  describe(image, r, syntax);
  image.SetDataElement(fragments_of(memory.at(memory.input(frame)), memory.input(frame).size));
  if (image.GetBufferLength() != memory.output(frame).size) throw std::runtime_error("the pixels are not of the size that was announced");
  if (!image.GetBuffer(memory.at(memory.output(frame)))) throw std::runtime_error("the pixels can't be decoded");
  check_warnings();
  // Some codecs hand colours out plane by plane.
  if (r.samples == 3 && image.GetPlanarConfiguration() == 1) throw std::runtime_error("the colours come in planes");
}

/// GDCM's whole-image encoder takes even numbers of bytes only; its codecs take frames of any size.
template <class Codec>
class FrameEncoder : public Codec {
 public:
  explicit FrameEncoder(const CodecRequest& r) {
    this->SetNumberOfDimensions(2);
    this->SetDimensions({unsigned(r.columns), unsigned(r.rows), 1});
    this->SetPixelFormat(pixel_format(r));
    this->SetPhotometricInterpretation(photometric(r));
    this->SetPlanarConfiguration(0);
  }
  std::string encode(const char* cells, std::size_t size) {
    std::ostringstream out;
    if (!this->AppendFrameEncode(out, cells, size)) throw std::runtime_error("the pixels can't be encoded");
    return out.str();
  }
};

std::string encoded(const CodecRequest& r, const gdcm::TransferSyntax& syntax, const char* cells, std::size_t size) {
  if (syntax != gdcm::TransferSyntax::JPEG2000Lossless) return FrameEncoder<gdcm::JPEGLSCodec>(r).encode(cells, size);
  FrameEncoder<gdcm::JPEG2000Codec> codec(r);
  codec.SetMCT(r.samples == 3);  // luma and chroma: YBR_RCT
  codec.SetReversible(true);
  // Each resolution halves the sides; there must be something left.
  codec.SetNumberOfResolutions(std::min(6u, unsigned(std::bit_width(unsigned(std::min(r.columns, r.rows))))));
  return codec.encode(cells, size);
}

void encode(const Memory& memory, int frame, const gdcm::TransferSyntax& syntax) {
  const CodecRequest& r = memory.request();
  const std::string bytes = encoded(r, syntax, memory.at(memory.input(frame)), memory.input(frame).size);
  CodecExtent& out = memory.output(frame);
  if (bytes.empty() || bytes.size() > out.size) throw std::runtime_error("the encoded pixels are too large");
  out.size = bytes.size();
  std::memcpy(memory.at(out), bytes.data(), bytes.size());
}

void run(const Memory& memory) {
  const CodecRequest& r = memory.request();
  const gdcm::TransferSyntax syntax = gdcm::TransferSyntax::GetTSType(r.transfer_syntax);
  for (int frame = 0; frame < r.frames; ++frame) {
    if (r.encode != 0) encode(memory, frame, syntax);
    else decode(memory, frame, syntax);
  }
}

void limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  setrlimit(resource, &both);
}

/// A damaged file may ask for any amount of memory and time.
void limit_resources(const CodecRequest& r) {
  const auto samples = rlim_t(r.columns) * rlim_t(r.rows) * rlim_t(r.samples);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no decoding for a program that is gone
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, 1 + samples * rlim_t(r.frames) / 250'000);
#ifndef __SANITIZE_ADDRESS__
  limit(RLIMIT_DATA, 24 * samples + (rlim_t(1) << 27));  // what is shared does not count
#endif
}

}  // namespace

int main() {
  struct stat status {};
  if (fstat(codec_descriptor, &status) != 0 || status.st_size < off_t(sizeof(CodecRequest))) {
    std::fputs("dicom-codec: runs on behalf of upfirdn\n", stderr);
    return 2;
  }
  void* const place = mmap(nullptr, std::size_t(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, codec_descriptor, 0);
  if (place == MAP_FAILED) return 2;
  const Memory memory{static_cast<std::byte*>(place), std::size_t(status.st_size)};
  CodecRequest& request = memory.request();
  if (request.abi != codec_abi) return 3;
  gdcm::Trace::WarningOff();
  gdcm::Trace::ErrorOff();
  gdcm::Trace::DebugOff();
  limit_resources(request);
  try {
    run(memory);
    request.done = 1;
  } catch (const std::exception& exception) {
    std::strncpy(request.error, exception.what(), sizeof request.error - 1);
  }
  _exit(0);  // the process ends here; there is nothing to tidy up
}
