#include "kernels/upfirdn.hpp"

namespace upfirdn::cuda {
namespace {

/// Where the arrays of an axis lie.
struct AxisOffsets {
  std::size_t first, count, offset, taps;
};

AxisOffsets add_axis(DeviceArrays& arrays, const Axis& axis) {
  return {arrays.add<std::int64_t>(axis.first), arrays.add<std::int64_t>(axis.count), arrays.add<std::int64_t>(axis.offset),
          arrays.add<float>(axis.taps)};
}

AxisView device_axis(const DeviceArrays& arrays, const Axis& axis, const AxisOffsets& at) {
  AxisView view = axis.view();
  view.first = arrays.at<std::int64_t>(at.first);
  view.count = arrays.at<std::int64_t>(at.count);
  view.offset = arrays.at<std::int64_t>(at.offset);
  view.taps = arrays.at<float>(at.taps);
  return view;
}

}  // namespace

void DeviceOperation::prepare(const Operation& op, cudaStream_t stream) {
  operation_ = &op;
  arrays_.clear();
  const AxisOffsets x = add_axis(arrays_, op.x), y = add_axis(arrays_, op.y);
  const std::size_t bias = arrays_.add<float>(op.samples.bias);
  const std::size_t decode = arrays_.add<float>(op.samples.decode_table);
  const std::size_t encode = arrays_.add<float>(op.samples.encode_thresholds);
  const std::size_t outside = arrays_.add<float>(op.outside);
  const std::size_t outside_raw = arrays_.add<std::byte>(op.outside_raw);
  std::size_t matrix_offset = 0, matrix_taps = 0;
  if (op.matrix) {
    matrix_offset = arrays_.add<std::int64_t>(op.matrix->offset);
    matrix_taps = arrays_.add<float>(op.matrix->taps);
  }
  row_program_ = op.matrix ? std::nullopt : op.vertical_first ? make_row_program(op.y) : make_output_program(op.y);
  std::size_t row_entries = 0, row_taps = 0;
  if (row_program_) {
    row_entries = arrays_.add<int>(row_program_->program);
    row_taps = arrays_.add<float>(row_program_->taps);
  }
  window_table_.reset();
  if (row_program_ && op.vertical_first && op.x.mode == AxisMode::filter)
    window_table_ = make_window_table(op.x, op.border, op.input.channels == 1 ? window_step : 1);
  std::size_t windows = 0, window_taps = 0;
  if (window_table_) {
    windows = arrays_.add<WindowEntry>(window_table_->windows);
    window_taps = arrays_.add<float>(window_table_->taps);
  }
  arrays_.upload(stream);
  x_ = device_axis(arrays_, op.x, x);
  y_ = device_axis(arrays_, op.y, y);
  row_entries_ = row_program_ ? arrays_.at<int>(row_entries) : nullptr;
  row_taps_ = row_program_ ? arrays_.at<float>(row_taps) : nullptr;
  windows_ = window_table_ ? arrays_.at<WindowEntry>(windows) : nullptr;
  window_taps_ = window_table_ ? arrays_.at<float>(window_taps) : nullptr;
  samples_ = op.samples.rule;
  samples_.bias = op.samples.bias.empty() ? nullptr : arrays_.at<float>(bias);
  samples_.decode_table = arrays_.at<float>(decode);
  samples_.encode_thresholds = arrays_.at<float>(encode);
  outside_ = arrays_.at<float>(outside);
  outside_raw_ = arrays_.at<std::byte>(outside_raw);
  matrix_offset_ = op.matrix ? arrays_.at<std::int64_t>(matrix_offset) : nullptr;
  matrix_taps_ = op.matrix ? arrays_.at<float>(matrix_taps) : nullptr;
}

}  // namespace upfirdn::cuda
