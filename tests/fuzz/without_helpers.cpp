/// Stands for the module `imaging` and the helper `dicom-codec`, which decode outside of the code under test: every sample is 0.

#include <cstring>

#include "io/dicom/codec_client.hpp"
#include "io/formats.hpp"
#include "io/imaging_module.hpp"

namespace upfirdn {

void imaging_decode(const std::vector<std::byte>&, Image& image, const std::string&) {
  std::memset(image.data(), 0, image.size_bytes());
}

std::vector<std::byte> imaging_encode(const Image&, const char*, int, const std::string& name) {
  throw image_error(name, "is not written here");
}

namespace dicom {

std::vector<std::byte> decode_frames(const CodecFrames& kind, const std::vector<std::vector<std::byte>>& codestreams, const std::string&) {
  return std::vector<std::byte>(kind.frame_bytes() * codestreams.size());
}

std::vector<std::vector<std::byte>> encode_frames(const CodecFrames&, std::span<const std::byte>, const std::string& name) {
  throw image_error(name, "is not compressed here");
}

}  // namespace dicom
}  // namespace upfirdn
