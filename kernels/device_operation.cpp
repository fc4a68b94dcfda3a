#include "kernels/upfirdn.hpp"

namespace upfirdn::cuda {
namespace {

/// The arrays of an operation in one arithmetic, on their way to the device.
template <class Real>
class Numbers {
 public:
  Numbers(DeviceArrays& arrays, const Operation& op)
      : arrays_(arrays), op_(op), x_(add_axis(op.x)), y_(add_axis(op.y)), bias_(arrays.add<double>(op.samples.bias)),
        decode_(arrays.add<float>(op.samples.decode_table)), encode_(arrays.add<float>(op.samples.encode_thresholds)),
        outside_(add_rounded(op.outside)), matrix_taps_(op.matrix ? add_rounded(op.matrix->taps) : 0) {}

  /// After the upload.
  [[nodiscard]] DeviceNumbers<Real> on_device() const {
    DeviceNumbers<Real> numbers{device_axis(op_.x, x_), device_axis(op_.y, y_), op_.samples.view<Real>(), arrays_.at<Real>(outside_),
                                op_.matrix ? arrays_.at<Real>(matrix_taps_) : nullptr};
    numbers.samples.bias = op_.samples.bias.empty() ? nullptr : arrays_.at<double>(bias_);
    numbers.samples.decode_table = arrays_.at<float>(decode_);
    numbers.samples.encode_thresholds = arrays_.at<float>(encode_);
    return numbers;
  }

 private:
  /// Where the arrays of an axis lie.
  struct AxisOffsets {
    std::size_t first, count, offset, taps;
  };
  std::size_t add_rounded(const std::vector<double>& values) {
    if constexpr (std::is_same_v<Real, double>) return arrays_.add<double>(values);
    else return arrays_.add<float>(std::vector<float>(values.begin(), values.end()));
  }
  AxisOffsets add_axis(const Axis& axis) {
    return {arrays_.add<std::int64_t>(axis.first), arrays_.add<std::int64_t>(axis.count), arrays_.add<std::int64_t>(axis.offset),
            add_rounded(axis.taps)};
  }
  BasicAxisView<Real> device_axis(const Axis& axis, const AxisOffsets& at) const {
    return {axis.mode, axis.in, axis.out, axis.period, axis.step, arrays_.at<std::int64_t>(at.first), arrays_.at<std::int64_t>(at.count),
            arrays_.at<std::int64_t>(at.offset), arrays_.at<Real>(at.taps)};
  }

  DeviceArrays& arrays_;
  const Operation& op_;
  AxisOffsets x_, y_;
  std::size_t bias_, decode_, encode_, outside_, matrix_taps_;
};

}  // namespace

void DeviceOperation::prepare(const Operation& op, cudaStream_t stream) {
  operation_ = &op;
  arrays_.clear();
  const bool wide = op.arithmetic() == Arithmetic::float64;
  std::optional<Numbers<float>> floats;
  std::optional<Numbers<double>> doubles;
  if (wide) doubles.emplace(arrays_, op);
  else floats.emplace(arrays_, op);
  const std::size_t outside_raw = arrays_.add<std::byte>(op.outside_raw);
  const std::size_t matrix_offset = op.matrix ? arrays_.add<std::int64_t>(op.matrix->offset) : 0;
  row_program_ = op.matrix || wide ? std::nullopt : op.vertical_first ? make_row_program(op.y) : make_output_program(op.y);
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
  floats_ = floats ? floats->on_device() : DeviceNumbers<float>{};
  doubles_ = doubles ? doubles->on_device() : DeviceNumbers<double>{};
  row_entries_ = row_program_ ? arrays_.at<int>(row_entries) : nullptr;
  row_taps_ = row_program_ ? arrays_.at<float>(row_taps) : nullptr;
  windows_ = window_table_ ? arrays_.at<WindowEntry>(windows) : nullptr;
  window_taps_ = window_table_ ? arrays_.at<float>(window_taps) : nullptr;
  outside_raw_ = arrays_.at<std::byte>(outside_raw);
  matrix_offset_ = op.matrix ? arrays_.at<std::int64_t>(matrix_offset) : nullptr;
}

}  // namespace upfirdn::cuda
