#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/byte_files.hpp"
#include "io/formats.hpp"
#include "io/npy_header.hpp"

namespace upfirdn {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

bool channels_first(ArrayLayout layout) {
  return layout == ArrayLayout::chw || layout == ArrayLayout::nchw;
}
bool always_4d(ArrayLayout layout) {
  return layout == ArrayLayout::nhwc || layout == ArrayLayout::nchw;
}

/// Positions of the image number, row, column and channel among the dimensions of an array; -1: there is
/// none.
struct Dimensions {
  int n, y, x, c;
};

Dimensions dimensions(int count, ArrayLayout layout) {
  if (count == 2) return {-1, 0, 1, -1};
  const int first = count - 3;
  if (channels_first(layout)) return {first - 1, first + 1, first + 2, first};
  return {first - 1, first, first + 1, first + 2};
}

void check_dimensions(std::size_t count, ArrayLayout layout, const std::string& name) {
  if (count >= 2 && count <= 4 && (count == 4 || !always_4d(layout))) return;
  const char* needed =
      always_4d(layout) ? "--layout nhwc and nchw need 4" : "an image has 2, 3 or 4 dimensions";
  throw image_error(name, fmt::format("a {}-D array, but {}; reshape it{}", count, needed,
                                      always_4d(layout) ? " or use hwc or chw" : ""));
}

/// Distances between neighbours, in samples.
struct Strides {
  std::int64_t n = 0, y = 0, x = 0, c = 0;
};

Strides strides(const NpyHeader& header, const Dimensions& place) {
  const int count = int(header.shape.size());
  std::vector<std::int64_t> distance(header.shape.size());
  std::int64_t step = 1;
  for (int i = 0; i < count; ++i) {
    const auto dimension = std::size_t(header.fortran_order ? i : count - 1 - i);
    distance[dimension] = step;
    step *= header.shape[dimension];
  }
  const auto at = [&](int dimension) { return dimension < 0 ? 0 : distance[std::size_t(dimension)]; };
  return {at(place.n), at(place.y), at(place.x), at(place.c)};
}

void swap_bytes(std::byte* bytes, std::size_t size, std::size_t sample_bytes) {
  for (std::size_t i = 0; i < size; i += sample_bytes) std::reverse(bytes + i, bytes + i + sample_bytes);
}

/// Copies `count` samples of `sample_bytes` bytes between places that are the given bytes apart.
void copy_strided(const std::byte* from, std::size_t from_step, std::byte* to, std::size_t to_step,
                  std::size_t count, std::size_t sample_bytes) {
  switch (sample_bytes) {
    case 1:
      for (std::size_t i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
      break;
    case 2:
      for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, 2);
      break;
    case 4:
      for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, 4);
      break;
    default:
      for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, 8);
  }
}

class NpyReader final : public ImageReader {
 public:
  NpyReader(std::unique_ptr<ByteSource> source, const CodecOptions& options)
      : source_(std::move(source)), header_(read_npy_header(*source_)), reader_(*source_) {
    check_dimensions(header_.shape.size(), options.layout, source_->name());
    const Dimensions place = dimensions(int(header_.shape.size()), options.layout);
    const auto side = [&](int dimension) {
      return dimension < 0 ? 1 : header_.shape[std::size_t(dimension)];
    };
    if (side(place.c) > 65535) {
      throw image_error(source_->name(),
                        fmt::format("the array has {} channels; at most 65535 are possible: check "
                                    "--layout",
                                    side(place.c)));
    }
    info_.width = side(place.x);
    info_.height = side(place.y);
    info_.channels = int(side(place.c));
    info_.type = header_.type;
    info_.maxval = full_scale(header_.type);
    info_.array_dims = int(header_.shape.size());
    images_ = side(place.n);
    strides_ = strides(header_, place);
    if (options.array_alpha_last) set_alpha();
    reader_.seek(header_.data_offset);
  }

  [[nodiscard]] const ImageInfo& info() const override { return info_; }
  [[nodiscard]] std::int64_t images() const override { return images_; }

  [[nodiscard]] bool next_image() override {
    if (image_ + 1 >= images_) return false;
    ++image_;
    row_ = 0;
    return true;
  }

  void read_rows(std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    if (count > info_.height - row_) throw std::logic_error("rows beyond the last one asked of a .npy file");
    for (std::int64_t i = 0; i < count; ++i, ++row_) {
      std::byte* row = rows + std::size_t(i) * stride_bytes;
      const std::int64_t start = image_ * strides_.n + row_ * strides_.y;
      if (strides_.x == info_.channels && (info_.channels == 1 || strides_.c == 1)) {
        read_row(start, row);
      } else if (strides_.x == 1) {
        read_planes(start, row);
      } else {
        gather(start, row);
      }
      if (header_.big_endian) swap_bytes(row, info_.row_bytes(), size_bytes(info_.type));
    }
  }

 private:
  void set_alpha() {
    if (info_.channels != 2 && info_.channels != 4) {
      throw image_error(source_->name(),
                        fmt::format("--alpha-channel last needs 2 or 4 channels, not {}; leave it out "
                                    "or check --layout",
                                    info_.channels));
    }
    info_.alpha = Alpha::straight;
  }

  [[nodiscard]] Error cut_short() const {
    return image_error(source_->name(), fmt::format("cut short in row {}; get a complete copy", row_));
  }

  /// A row that lies in the file as in memory.
  void read_row(std::int64_t start, std::byte* row) {
    const std::uint64_t offset = header_.data_offset + std::uint64_t(start) * size_bytes(info_.type);
    if (offset != reader_.position()) reader_.seek(offset);
    if (reader_.read({row, info_.row_bytes()}) < info_.row_bytes()) throw cut_short();
  }

  /// A row whose channels lie apart.
  void read_planes(std::int64_t start, std::byte* row) {
    const std::size_t sample = size_bytes(info_.type);
    line_.resize(std::size_t(info_.width) * sample);
    for (int c = 0; c < info_.channels; ++c) {
      const std::uint64_t offset = header_.data_offset + std::uint64_t(start + c * strides_.c) * sample;
      if (source_->read_at(offset, line_) < line_.size()) throw cut_short();
      copy_strided(line_.data(), sample, row + std::size_t(c) * sample, info_.pixel_bytes(),
                   std::size_t(info_.width), sample);
    }
  }

  /// A row whose columns lie apart: from the whole array in memory.
  void gather(std::int64_t start, std::byte* row) {
    const std::size_t sample = size_bytes(info_.type);
    if (array_.empty()) {
      array_.resize(info_.row_bytes() * std::size_t(info_.height) * std::size_t(images_));
      if (source_->read_at(header_.data_offset, array_) < array_.size()) throw cut_short();
    }
    for (int c = 0; c < info_.channels; ++c) {
      copy_strided(array_.data() + std::size_t(start + c * strides_.c) * sample,
                   std::size_t(strides_.x) * sample, row + std::size_t(c) * sample, info_.pixel_bytes(),
                   std::size_t(info_.width), sample);
    }
  }

  std::unique_ptr<ByteSource> source_;
  NpyHeader header_;
  ForwardReader reader_;
  ImageInfo info_;
  std::int64_t images_ = 1, image_ = 0, row_ = 0;
  Strides strides_;
  std::vector<std::byte> line_, array_;
};

class NpyWriter final : public ImageWriter {
 public:
  NpyWriter(std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t images, ArrayLayout layout)
      : sink_(std::move(sink)), info_(info), images_(images) {
    int count = info.array_dims;
    if (count == 0) count = info.channels == 1 ? 2 : 3;
    if (images > 1 || always_4d(layout)) count = 4;
    if (count == 2 && info.channels > 1) count = 3;
    const Dimensions place = dimensions(count, layout);
    std::vector<std::int64_t> shape(static_cast<std::size_t>(count));
    const auto set = [&](int dimension, std::int64_t side) {
      if (dimension >= 0) shape[std::size_t(dimension)] = side;
    };
    set(place.n, images);
    set(place.y, info.height);
    set(place.x, info.width);
    set(place.c, info.channels);
    planar_ = channels_first(layout) && info.channels > 1;
    const std::string header = npy_header_text(info.type, shape);
    sink_->write_at(0, std::as_bytes(std::span(header)));
    data_offset_ = header.size();
  }

  void write_rows(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) override {
    while (count > 0) {
      const std::int64_t y = written_ % info_.height;
      const std::int64_t here = std::min(count, info_.height - y);
      if (planar_) {
        write_planes(rows, here, stride_bytes);
      } else {
        write_interleaved(rows, here, stride_bytes);
      }
      written_ += here;
      rows += std::size_t(here) * stride_bytes;
      count -= here;
    }
  }

  void finish() override {
    if (written_ != info_.height * images_) throw std::logic_error(".npy: rows are missing");
  }

 private:
  void write_interleaved(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t offset = data_offset_ + std::uint64_t(written_ + i) * info_.row_bytes();
      sink_->write_at(offset, {rows + std::size_t(i) * stride_bytes, info_.row_bytes()});
    }
  }

  /// Rows of one image.
  void write_planes(const std::byte* rows, std::int64_t count, std::size_t stride_bytes) {
    const std::size_t sample = size_bytes(info_.type), line = std::size_t(info_.width) * sample;
    const std::int64_t image = written_ / info_.height, y = written_ % info_.height;
    block_.resize(std::size_t(count) * line);
    for (int c = 0; c < info_.channels; ++c) {
      for (std::int64_t i = 0; i < count; ++i) {
        copy_strided(rows + std::size_t(i) * stride_bytes + std::size_t(c) * sample, info_.pixel_bytes(),
                     block_.data() + std::size_t(i) * line, sample, std::size_t(info_.width), sample);
      }
      const std::int64_t first_line = (image * info_.channels + c) * info_.height + y;
      sink_->write_at(data_offset_ + std::uint64_t(first_line) * line, block_);
    }
  }

  std::unique_ptr<ByteSink> sink_;
  ImageInfo info_;
  std::int64_t images_, written_ = 0;
  bool planar_ = false;
  std::uint64_t data_offset_ = 0;
  std::vector<std::byte> block_;
};

}  // namespace

Format npy_format() {
  Format format;
  format.name = "NPY";
  format.extensions = {"npy"};
  format.recognises = [](std::span<const std::byte> head) {
    return head.size() >= magic.size() && std::memcmp(head.data(), magic.data(), magic.size()) == 0;
  };
  format.open = [](std::unique_ptr<ByteSource> source,
                   const CodecOptions& options) -> std::unique_ptr<ImageReader> {
    return std::make_unique<NpyReader>(std::move(source), options);
  };
  format.create = [](std::unique_ptr<ByteSink> sink, const ImageInfo& info, std::int64_t images,
                     const CodecOptions& options) -> std::unique_ptr<ImageWriter> {
    return std::make_unique<NpyWriter>(std::move(sink), info, images, options.layout);
  };
  format.types = {PixelType::u8,  PixelType::u16, PixelType::s16, PixelType::f16,
                  PixelType::f32, PixelType::u32, PixelType::s32, PixelType::f64};
  format.any_maxval = true;
  format.many_images = true;
  format.holds_premultiplied = true;
  return format;
}

}  // namespace upfirdn
