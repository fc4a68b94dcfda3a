#include "io/imaging_module.hpp"

#include <fmt/format.h>

#include <limits>

#include "io/formats.hpp"
#include "io/imaging/abi.hpp"
#include "io/module_files.hpp"

namespace upfirdn {
namespace {

const UpfirdnImaging& imaging() {
  static const auto& table = *static_cast<const UpfirdnImaging*>(load_module(imaging_module, upfirdn_imaging_entry, upfirdn_imaging_abi));
  return table;
}

/// Bytes that come out of the module. The C face must not see an exception.
struct TakenBytes {
  std::vector<std::byte> bytes;
  bool failed = false;

  static void take(void* context, const void* from, std::size_t size) noexcept {
    auto& self = *static_cast<TakenBytes*>(context);
    try {
      const auto* first = static_cast<const std::byte*>(from);
      self.bytes.assign(first, first + size);
    } catch (...) {
      self.failed = true;
    }
  }
};

std::int32_t checked_side(std::int64_t side, const std::string& name) {
  if (side > std::numeric_limits<std::int32_t>::max())
    throw image_error(name, "a side is too large; reduce it");
  return std::int32_t(side);
}

UpfirdnPixels pixels(const Image& image, std::byte* data, const std::string& name) {
  const ImageInfo& info = image.info();
  return {data,
          info.row_bytes(),
          checked_side(info.width, name),
          checked_side(info.height, name),
          info.channels,
          std::int32_t(size_bytes(info.type))};
}

constexpr double pixels_a_unit = 2;

/// Shapes for the C table; owns what they point to.
struct PlainShapes {
  std::vector<UpfirdnShape> shapes;
  std::vector<std::vector<double>> points;

  void operator()(const Line& line) { add(UpfirdnShape::line, line.points, line.colour, line.width).flags = line.dashed; }
  void operator()(const Disc& disc) { add(UpfirdnShape::disc, {disc.centre}, disc.colour, disc.radius); }
  void operator()(const Words& words) {
    UpfirdnShape& shape = add(UpfirdnShape::words, {words.at}, words.colour, words.height);
    shape.flags = words.upright;
    shape.anchor = int(words.anchor);
    shape.text = words.text.c_str();
  }

 private:
  UpfirdnShape& add(UpfirdnShape::Kind kind, const std::vector<Point>& at, const Colour& colour, double size) {
    std::vector<double>& numbers = points.emplace_back();
    for (const Point& point : at) {
      numbers.push_back(point.x * pixels_a_unit);
      numbers.push_back(point.y * pixels_a_unit);
    }
    const auto code = std::uint32_t(colour.red << 16 | colour.green << 8 | colour.blue);
    return shapes.emplace_back(
        UpfirdnShape{kind, numbers.data(), std::int32_t(at.size()), code, size * pixels_a_unit, 0, 0, nullptr});
  }
};

}  // namespace

void imaging_decode(const std::vector<std::byte>& file, Image& image, const std::string& name) {
  char error[256];
  const UpfirdnPixels target = pixels(image, image.data(), name);
  if (imaging().decode(file.data(), file.size(), &target, error, sizeof error) != 0) {
    throw image_error(name, fmt::format("{}; the file is damaged or of an unusual kind", error));
  }
}

std::vector<std::byte> imaging_encode(const Image& image, const char* extension, int quality,
                                      const std::string& name) {
  char error[256];
  TakenBytes taken;
  const UpfirdnPixels source = pixels(image, const_cast<std::byte*>(image.data()), name);
  if (imaging().encode(extension, &source, quality, TakenBytes::take, &taken, error, sizeof error) != 0) {
    throw image_error(name, fmt::format("{}; write PNG or TIFF", error));
  }
  if (taken.failed) throw std::bad_alloc();
  return std::move(taken.bytes);
}

std::vector<std::byte> heatmap_png(const float* values, std::int64_t width, std::int64_t height,
                                   double largest) {
  char error[256];
  TakenBytes taken;
  const std::string name = "heat map";
  if (imaging().heatmap(values, checked_side(width, name), checked_side(height, name), largest,
                        TakenBytes::take, &taken, error, sizeof error) != 0) {
    throw image_error(name, fmt::format("{}; compare smaller images", error));
  }
  if (taken.failed) throw std::bad_alloc();
  return std::move(taken.bytes);
}

std::string drawing_png(const Drawing& drawing) {
  char error[256];
  TakenBytes taken;
  PlainShapes plain;
  for (const auto& shape : drawing.shapes) std::visit(plain, shape);
  if (imaging().draw(plain.shapes.data(), plain.shapes.size(), std::int32_t(drawing.width * pixels_a_unit),
                     std::int32_t(drawing.height * pixels_a_unit), TakenBytes::take, &taken, error,
                     sizeof error) != 0) {
    throw image_error("plot", fmt::format("{}; write .svg", error));
  }
  if (taken.failed) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(taken.bytes.data()), taken.bytes.size()};
}

}  // namespace upfirdn
