#pragma once
/// Shapes drawn by OpenCV, smoothed.

#include <opencv2/core.hpp>

#include "io/imaging/abi.hpp"

void draw_shape(cv::Mat& canvas, const UpfirdnShape& shape);
