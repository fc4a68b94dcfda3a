#include "resample/cuda_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "kernels/probes.hpp"
#include "kernels/upfirdn.hpp"
#include "resample/backend.hpp"
#include "resample/bench_cases.hpp"
#include "resample/plan.hpp"

namespace upfirdn {
namespace {

/// Comparisons: what one launch does in two, with the same bytes.
enum class Split {
  none,
  axes,      ///< the vertical axis, then the horizontal one, by the same kernels
  epilogue,  ///< the filter, then bias and leaky ReLU in place, as fast as a copy
};

struct Case : BenchCase {
  Split split = Split::none;  ///< f32 only
};

struct Shape {
  std::string name;
  std::int64_t images, side;
};

ResampleSpec without_epilogue(ResampleSpec spec) {
  spec.epilogue = {};
  return spec;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const BenchCase& gray : bench_cases()) cases.push_back({gray});
  for (const int taps : {4, 12}) {
    cases.push_back({{fmt::format("down 2, {} taps, an axis a launch", taps), operator_spec(1, 2, taps)}, Split::axes});
    cases.push_back({{fmt::format("down 2, {} taps, then bias + lrelu", taps), operator_spec(1, 2, taps, true)}, Split::epilogue});
  }
  for (const BenchCase& gray : bench_cases()) cases.push_back({with_channels(gray, 3)});
  return cases;
}

/// Images of a case for a shape: a case of its own size gets as many images as fill as many bytes.
ImageInfo info_of(const Case& c, const Shape& shape, PixelType type) {
  return {.width = c.width != 0 ? c.width : shape.side, .height = c.height != 0 ? c.height : shape.side, .channels = c.channels,
          .type = type, .maxval = full_scale(type)};
}
std::int64_t images_of(const Case& c, const Shape& shape, const ImageInfo& info) {
  const double pixels = double(shape.images) * double(shape.side) * double(shape.side) / c.channels;
  return std::max<std::int64_t>(1, std::int64_t(pixels / (double(info.width) * double(info.height)) + 0.5));
}

/// A set of device memory for one case.
struct Buffers {
  cuda::DeviceBuffer input, between, output;
};

/// The part of a reduction by the operator that works along one axis.
ResampleSpec one_axis(ResampleSpec spec, bool horizontal) {
  auto& request = std::get<FilterRequest>(spec.operation);
  auto& taps = std::get<AxisTaps>(spec.filter);
  if (horizontal) request.up.y = request.down.y = 1, taps.y = {1.0};
  else request.up.x = request.down.x = 1, taps.x = {1.0};
  return spec;
}

std::size_t padded(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

cuda::DeviceImage device_images(const ImageInfo& info, std::byte* data, std::int64_t images) {
  const std::size_t stride = padded(info.row_bytes());
  return {data, info.width, info.height, info.channels, info.type, stride, images, stride * std::size_t(info.height)};
}

class Bench {
 public:
  explicit Bench(const KernelBenchOptions& options) : options_(options), rates_(cuda::measure_arithmetic()) {
    constexpr std::size_t large = std::size_t(1) << 30;
    from_.reserve(large), to_.reserve(large);
    peak_bytes_per_us_ = 2.0 * double(large) / copy_us(large);
  }
  [[nodiscard]] std::string probes() const {
    return fmt::format("{:.1f} multiply-adds and {:.1f} conversions a clock and multiprocessor at {:.2f} GHz, {} multiprocessors; copies at {:.2f} TB/s",
                       rates_.fma, rates_.convert, rates_.clock_ghz, rates_.multiprocessors, peak_bytes_per_us_ * 1e-6);
  }
  [[nodiscard]] KernelTime run(const Case& c, const Shape& shape, PixelType type) {
    const ImageInfo info = info_of(c, shape, type);
    const std::int64_t images = images_of(c, shape, info);
    check_spec(c.spec);
    const Plan plan = make_plan(c.spec, info, info);
    const Operation& op = plan.operation;
    const std::size_t in_bytes = padded(info.row_bytes()) * std::size_t(info.height * images);
    const std::size_t out_bytes = padded(op.output.row_bytes()) * std::size_t(op.output.height * images);
    const std::size_t bytes = in_bytes + out_bytes;
    const int sets = std::max(2, int((std::size_t(256) << 20) / bytes));
    std::vector<Buffers> buffers(static_cast<std::size_t>(sets));
    const Image image = noise_image(info);
    for (Buffers& set : buffers) fill(set, image, images, in_bytes, out_bytes);
    cuda::DeviceBuffer counter;
    auto* nans = reinterpret_cast<unsigned long long*>(counter.reserve(8));
    cuda::check(cudaMemset(nans, 0, 8), "clearing a counter");
    const cuda::Stream stream = cuda::make_stream();
    std::vector<Plan> parts;
    if (c.split == Split::axes) parts.push_back(make_plan(one_axis(c.spec, false), info, info));
    if (c.split == Split::axes) parts.push_back(make_plan(one_axis(c.spec, true), parts[0].operation.output, parts[0].operation.output));
    if (c.split == Split::epilogue) parts.push_back(make_plan(without_epilogue(c.spec), info, info));
    if (c.split == Split::none) parts.push_back(plan);
    std::vector<cuda::DeviceOperation> prepared(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) prepared[i].prepare(parts[i].operation, stream.get());
    cuda::check(cudaStreamSynchronize(stream.get()), "copying taps");
    KernelTime time{.name = c.name, .type = std::string(name(type)), .shape = fmt::format("[{},{},{}]", images, info.height, info.width), .equal = true};
    std::size_t between_bytes = 0;
    std::string kernel_note;
    if (c.split == Split::axes) between_bytes = padded(parts[0].operation.output.row_bytes()) * std::size_t(parts[0].operation.output.height * images);
    for (Buffers& set : buffers) set.between.reserve(between_bytes);
    const auto launch = [&](int round, cudaStream_t on) {
      Buffers& set = buffers[std::size_t(round % sets)];
      std::byte* from = set.input.data();
      for (std::size_t i = 0; i < parts.size(); ++i) {
        std::byte* to = i + 1 < parts.size() ? set.between.data() : set.output.data();
        time.kernel = cuda::launch(prepared[i], device_images(parts[i].operation.input, from, images), device_images(parts[i].operation.output, to, images), nans, on);
        from = to;
      }
      if (c.split == Split::epilogue)
        cuda::add_bias_lrelu(reinterpret_cast<float*>(set.output.data()), out_bytes / sizeof(float), float(op.samples.bias.front()), float(op.samples.rule.slope),
                             float(op.samples.rule.activation_gain), on);
    };
    if (between_bytes > 0) kernel_note = fmt::format("; {} MB more memory, {} MB moved again", between_bytes / 1000000, 2 * between_bytes / 1000000);
    if (c.split == Split::epilogue) kernel_note = fmt::format("; {} MB moved again", 2 * out_bytes / 1000000);
    if (options_.check_bytes) {
      launch(0, stream.get());
      cuda::check(cudaStreamSynchronize(stream.get()), "the kernel");
      time.equal = equal_to_cpu(c, plan, image, buffers[0], images);
    }
    time.us = cuda::median_us(options_.rounds, launch);
    time.kernel += kernel_note;
    time.copy_us = copy_us(bytes / 2);
    time.peak_copy_us = double(bytes) / peak_bytes_per_us_;
    time.arithmetic_us = double(images) * arithmetic_us(op);
    return time;
  }

 private:
  void fill(Buffers& set, const Image& image, std::int64_t images, std::size_t in_bytes, std::size_t out_bytes) {
    const ImageInfo& info = image.info();
    const std::size_t stride = padded(info.row_bytes());
    set.input.reserve(in_bytes), set.output.reserve(out_bytes);
    cuda::check(cudaMemset(set.output.data(), 0xA5, out_bytes), "poisoning the output");
    cuda::check(cudaMemset(set.input.data(), 0xA5, in_bytes), "poisoning the input");
    for (std::int64_t i = 0; i < images; ++i) {
      std::byte* to = set.input.data() + std::size_t(i) * stride * std::size_t(info.height);
      if (i == 0)
        cuda::check(cudaMemcpy2D(to, stride, image.data(), info.row_bytes(), info.row_bytes(), std::size_t(info.height), cudaMemcpyHostToDevice),
                    "copying the input");
      else
        cuda::check(cudaMemcpy(to, set.input.data(), stride * std::size_t(info.height), cudaMemcpyDeviceToDevice), "copying the input");
    }
  }

  /// Multiply-adds, or one conversion for each integer sample in and out where that takes longer. 0 where the probe did not
  /// reach the rate that is expected of it: then the copy alone counts.
  double arithmetic_us(const Operation& op) const {
    constexpr double least_rate = 110;
    if (rates_.fma < least_rate) return 0;
    const auto samples = [](const ImageInfo& info) {
      return is_float(info.type) ? 0.0 : double(info.width) * double(info.height) * info.channels;
    };
    const double clocks = std::max(multiply_adds(op) / rates_.fma, (samples(op.input) + samples(op.output)) / rates_.convert);
    return clocks / (rates_.clock_ghz * 1000 * rates_.multiprocessors);
  }

  bool equal_to_cpu(const Case& c, const Plan& plan, const Image& image, Buffers& set, std::int64_t images) {
    const ImageInfo& info = plan.operation.output;
    const std::string key = fmt::format("{} {} {}x{}", c.name, name(info.type), image.info().width, image.info().height);
    auto expected = expected_.find(key);
    if (expected == expected_.end()) {
      Image out(info);
      ImageSource source(image);
      ImageSink sink(out);
      make_cpu_backend(0)->run(plan.operation, source, sink);
      if (expected_.size() > 40) expected_.clear();
      expected = expected_.emplace(key, std::move(out)).first;
    }
    Image actual(info);
    const std::size_t stride = padded(info.row_bytes());
    bool equal = true;
    for (const std::int64_t i : {std::int64_t(0), images - 1}) {
      cuda::check(cudaMemcpy2D(actual.data(), info.row_bytes(), set.output.data() + std::size_t(i) * stride * std::size_t(info.height), stride,
                               info.row_bytes(), std::size_t(info.height), cudaMemcpyDeviceToHost),
                  "copying the output");
      equal = equal && std::memcmp(actual.data(), expected->second.data(), actual.size_bytes()) == 0;
    }
    return equal;
  }

  /// Of a copy of `bytes` bytes, which moves twice as many.
  double copy_us(std::size_t bytes) {
    from_.reserve(bytes), to_.reserve(bytes);
    const std::size_t offsets = std::max<std::size_t>(1, std::min<std::size_t>(from_.size() / std::max<std::size_t>(bytes, 1), 8));
    return cuda::median_us(options_.rounds, [&](int round, cudaStream_t stream) {
      const std::size_t at = std::size_t(round) % offsets * bytes / 256 * 256;
      cuda::check(cudaMemcpyAsync(to_.data() + at, from_.data() + at, bytes, cudaMemcpyDeviceToDevice, stream), "copying");
    });
  }

  const KernelBenchOptions& options_;
  cuda::ArithmeticRates rates_;
  cuda::DeviceBuffer from_, to_;
  double peak_bytes_per_us_ = 1;
  std::map<std::string, Image> expected_;
};

}  // namespace

std::string bench_kernels(const KernelBenchOptions& options, const std::function<void(const KernelTime&)>& report) {
  (void)make_cuda_backend(0);  // throws where there is none
  Bench bench(options);
  const std::vector<Shape> shapes{{"[4,4096,4096]", 4, 4096}, {"[48,1024,1024]", 48, 1024}, {"[24,4096,4096]", 24, 4096}, {"[1,512,512]", 1, 512}, {"[1,4096,4096]", 1, 4096}};
  for (const Case& c : all_cases()) {
    if (c.name.find(options.only) == std::string::npos || (options.gray_only && c.channels != 1)) continue;
    for (const PixelType type : {PixelType::f32, PixelType::u16, PixelType::f16, PixelType::u8}) {
      if (c.split != Split::none && type != PixelType::f32) continue;
      if (!options.only_type.empty() && options.only_type != name(type)) continue;
      for (const Shape& shape : shapes) {
        if (shape.name.find(options.only_shape) == std::string::npos) continue;
        if (c.width != 0 && (shape.side == 1024 || shape.images == 1)) continue;  // of a size of their own: two amounts
        report(bench.run(c, shape, type));
      }
    }
  }
  return bench.probes();
}

}  // namespace upfirdn
