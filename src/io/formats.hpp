#pragma once
/// One function per file that implements formats. The registry (codec.cpp) collects them.

#include <vector>

#include "core/error.hpp"
#include "io/codec.hpp"

namespace upfirdn {

[[nodiscard]] Format png_format();
[[nodiscard]] Format tiff_format();
[[nodiscard]] Format jpeg_format();
[[nodiscard]] Format npy_format();
[[nodiscard]] std::vector<Format> pnm_formats();  ///< PGM, PPM, PNM, PAM, and PBM to read
[[nodiscard]] Format pfm_format();
[[nodiscard]] Format dicom_format();
[[nodiscard]] Format exr_format();  ///< decoded by the module `exr`
[[nodiscard]] std::vector<Format>
imaging_formats();  ///< BMP, WebP, JPEG 2000: decoded by the module `imaging`

/// "NAME: WHAT" as the failure of one file.
[[nodiscard]] inline Error image_error(const std::string& name, const std::string& what) {
  return {ExitCode::image_failed, name + ": " + what};
}

}  // namespace upfirdn
