#include "core/image.hpp"

#include <cstring>
#include <stdexcept>

namespace upfirdn {

void ImageSource::read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) {
  if (next_ + count > image_.info().height) throw std::logic_error("read past the last row");
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(rows + stride_bytes * std::size_t(i), image_.row(next_++), image_.info().row_bytes());
}

void ImageSink::write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) {
  if (next_ + count > image_.info().height) throw std::logic_error("write past the last row");
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(image_.row(next_++), rows + stride_bytes * std::size_t(i), image_.info().row_bytes());
}

}  // namespace upfirdn
