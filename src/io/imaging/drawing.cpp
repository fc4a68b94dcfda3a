#include "io/imaging/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <string>

namespace {

constexpr int fraction_bits = 4;  // OpenCV takes coordinates in 16ths of a pixel

cv::Point fixed(double x, double y) {
  const double scale = 1 << fraction_bits;
  return {int(std::lround(x * scale)), int(std::lround(y * scale))};
}

cv::Scalar colour_of(const UpfirdnShape& shape) {
  return {double(shape.colour & 255), double(shape.colour >> 8 & 255), double(shape.colour >> 16 & 255)};
}

void draw_segment(cv::Mat& canvas, const UpfirdnShape& shape, cv::Point2d a, cv::Point2d b) {
  cv::line(canvas, fixed(a.x, a.y), fixed(b.x, b.y), colour_of(shape), std::max(1, int(std::lround(shape.size))), cv::LINE_AA,
           fraction_bits);
}

void draw_line(cv::Mat& canvas, const UpfirdnShape& shape) {
  const double dash = 12, period = 20;
  for (int i = 0; i + 1 < shape.point_count; ++i) {
    const cv::Point2d a(shape.points[2 * i], shape.points[2 * i + 1]), b(shape.points[2 * i + 2], shape.points[2 * i + 3]);
    if ((shape.flags & 1) == 0) {
      draw_segment(canvas, shape, a, b);
      continue;
    }
    const double length = cv::norm(b - a);
    for (double from = 0; from < length; from += period)
      draw_segment(canvas, shape, a + (b - a) * (from / length), a + (b - a) * (std::min(from + dash, length) / length));
  }
}

/// Words are drawn on a sheet of their own, large and then reduced, so that the strokes get their right width.
void draw_words(cv::Mat& canvas, const UpfirdnShape& shape) {
  constexpr int font = cv::FONT_HERSHEY_SIMPLEX, enlarged = 3;
  constexpr double capital_share = 0.74;  // height of a capital in a font of this height
  const double scale = cv::getFontScaleFromHeight(font, int(std::lround(shape.size * capital_share * enlarged)), 1);
  const int thickness = std::max(1, int(std::lround(shape.size * enlarged / 11)));
  int below = 0;
  const cv::Size size = cv::getTextSize(shape.text, font, scale, thickness, &below);
  const int margin = (thickness + below) / enlarged * enlarged + enlarged;
  cv::Mat sheet(size.height + 2 * margin, size.width + 2 * margin, CV_8U, cv::Scalar(0));
  cv::putText(sheet, shape.text, {margin, margin + size.height}, font, scale, 255, thickness, cv::LINE_AA);
  cv::Mat ink;
  cv::resize(sheet, ink, {sheet.cols / enlarged, sheet.rows / enlarged}, 0, 0, cv::INTER_AREA);
  const double along = margin / double(enlarged) + shape.anchor * size.width / (2.0 * enlarged);
  const double base = (margin + size.height) / double(enlarged);
  cv::Point corner(int(std::lround(shape.points[0] - along)), int(std::lround(shape.points[1] - base)));
  if ((shape.flags & 1) != 0) {
    cv::rotate(ink, ink, cv::ROTATE_90_COUNTERCLOCKWISE);
    corner = {int(std::lround(shape.points[0] - base)), int(std::lround(shape.points[1] - (ink.rows - along)))};
  }
  const cv::Rect place = cv::Rect(corner, ink.size()) & cv::Rect({0, 0}, canvas.size());
  const cv::Scalar colour = colour_of(shape);
  for (int y = place.y; y < place.br().y; ++y)
    for (int x = place.x; x < place.br().x; ++x) {
      const double cover = ink.at<unsigned char>(y - corner.y, x - corner.x) / 255.0;
      auto& pixel = canvas.at<cv::Vec3b>(y, x);
      for (int c = 0; c < 3; ++c) pixel[c] = cv::saturate_cast<unsigned char>(pixel[c] + (colour[c] - pixel[c]) * cover);
    }
}

}  // namespace

void draw_shape(cv::Mat& canvas, const UpfirdnShape& shape) {
  switch (shape.kind) {
    case UpfirdnShape::line: return draw_line(canvas, shape);
    case UpfirdnShape::disc:
      return cv::circle(canvas, fixed(shape.points[0], shape.points[1]), int(std::lround(shape.size * (1 << fraction_bits))),
                        colour_of(shape), cv::FILLED, cv::LINE_AA, fraction_bits);
    case UpfirdnShape::words: return draw_words(canvas, shape);
  }
}
