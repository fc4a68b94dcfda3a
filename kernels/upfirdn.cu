#include "kernels/upfirdn.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/direct.cuh"
#include "kernels/fused.cuh"
#include "kernels/strips.hpp"

namespace upfirdn::cuda {
namespace {

constexpr std::int64_t most_blocks = (std::int64_t(1) << 31) - 1;

unsigned int blocks_for(std::int64_t wanted) { return unsigned(std::clamp<std::int64_t>(wanted, 1, most_blocks)); }

/// Device that owns `pointer`.
int owner_of(const void* pointer, const char* argument) {
  cudaPointerAttributes attributes{};
  const bool known = pointer != nullptr && cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess;
  if (!known) (void)cudaGetLastError();
  if (!known || attributes.type != cudaMemoryTypeDevice)
    throw std::invalid_argument(std::string(argument) + ": is not device memory");
  return attributes.device;
}

void check_image(const DeviceImage& image, const ImageInfo& planned, const char* argument) {
  const auto wrong = [&](const std::string& what) { throw std::invalid_argument(std::string(argument) + ": " + what); };
  if (image.width != planned.width || image.height != planned.height)
    wrong("is " + std::to_string(image.width) + "x" + std::to_string(image.height) + ", planned are " +
          std::to_string(planned.width) + "x" + std::to_string(planned.height));
  if (image.channels != planned.channels)
    wrong("has " + std::to_string(image.channels) + " channels, planned are " + std::to_string(planned.channels));
  if (image.type != planned.type)
    wrong("has samples of type " + std::string(name(image.type)) + ", planned is " + std::string(name(planned.type)));
  if (image.images < 1) wrong("holds no image");
  if (image.images > 1 && image.image_stride_bytes < image.stride_bytes * std::size_t(image.height))
    wrong("image_stride_bytes is less than an image");
  if (image.stride_bytes < planned.row_bytes()) wrong("stride_bytes is less than a row");
  if (image.stride_bytes % size_bytes(image.type) != 0) wrong("stride_bytes is not a multiple of a sample");
  if (reinterpret_cast<std::uintptr_t>(image.data) % size_bytes(image.type) != 0) wrong("data is not aligned to a sample");
}

template <class Real>
FusedTiles plan_tiles(const KernelOperation<Real>& op) {
  int width = 1;
  while (width < 32 && width < op.x.out) width *= 2;
  FusedTiles tiles{width, fused_threads / width, 0, 0, 0};
  tiles.across = (op.x.out + tiles.width - 1) / tiles.width;
  tiles.down = (op.y.out + tiles.height - 1) / tiles.height;
  tiles.groups = (op.samples.channels + fused_group - 1) / fused_group;
  return tiles;
}

template <bool VerticalFirst, int MaxPlanes, bool Long, class Real>
std::string launch_fused(const KernelOperation<Real>& op, cudaStream_t stream) {
  const FusedTiles tiles = plan_tiles(op);
  const unsigned blocks = blocks_for(std::min(tiles.across * tiles.down, most_blocks) * tiles.groups);
  fused_kernel<VerticalFirst, MaxPlanes, Long><<<blocks, fused_threads, fused_chunk_bytes, stream>>>(op, tiles);
  return std::string("fused, ") + (VerticalFirst ? "vertical" : "horizontal") + " first, " + std::to_string(MaxPlanes) +
         " planes" + (Long ? ", long phases" : "") + (std::is_same_v<Real, double> ? ", double" : "");
}

template <bool VerticalFirst, int MaxPlanes, class Real>
std::string launch_fused(const KernelOperation<Real>& op, bool long_phases, cudaStream_t stream) {
  return long_phases ? launch_fused<VerticalFirst, MaxPlanes, true>(op, stream)
                     : launch_fused<VerticalFirst, MaxPlanes, false>(op, stream);
}

template <bool VerticalFirst, class Real>
std::string launch_fused(const KernelOperation<Real>& op, int planes, bool long_phases, cudaStream_t stream) {
  if (planes == 1) return launch_fused<VerticalFirst, 1>(op, long_phases, stream);
  if (planes <= 4) return launch_fused<VerticalFirst, 4>(op, long_phases, stream);
  return launch_fused<VerticalFirst, 8>(op, long_phases, stream);
}

template <class Real>
std::string launch_copy(const KernelOperation<Real>& op, unsigned blocks, cudaStream_t stream) {
  switch (size_bytes(op.input.type)) {
    case 1: copy_kernel<std::uint8_t><<<blocks, direct_threads, 0, stream>>>(op); break;
    case 2: copy_kernel<std::uint16_t><<<blocks, direct_threads, 0, stream>>>(op); break;
    case 4: copy_kernel<std::uint32_t><<<blocks, direct_threads, 0, stream>>>(op); break;
    default: copy_kernel<std::uint64_t><<<blocks, direct_threads, 0, stream>>>(op); break;
  }
  return "copy";
}

DeviceImage image_number(DeviceImage images, std::int64_t i) {
  images.data = static_cast<std::byte*>(images.data) + std::size_t(i) * images.image_stride_bytes;
  images.images = 1;
  return images;
}

/// One image by a kernel that can do anything, in `Real`.
template <class Real>
std::string launch_generic(const DeviceOperation& prepared, const DeviceImage& input, const DeviceImage& output,
                           unsigned long long* nan_samples, cudaStream_t stream) {
  const Operation& op = prepared.operation();
  const DeviceNumbers<Real>& numbers = prepared.numbers<Real>();
  const KernelOperation<Real> kernel{numbers.x, numbers.y, op.border, numbers.samples, numbers.outside, prepared.outside_raw(),
                                     prepared.matrix_offset(), numbers.matrix_taps, input, output, nan_samples};
  const std::int64_t samples = op.output.width * op.output.height * op.output.channels;
  const unsigned blocks = blocks_for((samples + direct_threads - 1) / direct_threads);
  std::string kernel_name;
  if (op.raw_copy) {
    kernel_name = launch_copy(kernel, blocks, stream);
  } else if (op.matrix) {
    matrix_kernel<<<blocks, direct_threads, 0, stream>>>(kernel, std::int64_t(op.x.first.size()));
    kernel_name = "direct 2-D";
  } else {
    const auto& s = op.samples.rule;
    const int channels = std::min(s.channels, fused_group);
    const int planes = s.premultiply ? channels + 1 : s.planes > s.channels ? 2 * channels : channels;
    const bool long_phases = std::max(op.x.longest_phase(), op.y.longest_phase()) > run_length;
    kernel_name = op.vertical_first ? launch_fused<true>(kernel, planes, long_phases, stream)
                                    : launch_fused<false>(kernel, planes, long_phases, stream);
  }
  check(cudaGetLastError(), ("launching the kernel (" + kernel_name + ")").c_str());
  return kernel_name;
}

}  // namespace

std::string launch(const DeviceOperation& prepared, const DeviceImage& input, const DeviceImage& output,
                   unsigned long long* nan_samples, cudaStream_t stream) {
  const Operation& op = prepared.operation();
  check_image(input, op.input, "input");
  check_image(output, op.output, "output");
  if (output.images != input.images)
    throw std::invalid_argument("output: holds " + std::to_string(output.images) + " images, input " + std::to_string(input.images));
  const int device = owner_of(input.data, "input");
  if (owner_of(output.data, "output") != device) throw std::invalid_argument("output: is on another device than input");
  if (owner_of(nan_samples, "nan_samples") != device) throw std::invalid_argument("nan_samples: is on another device than input");
  if (owner_of(prepared.outside_raw(), "operation") != device) throw std::invalid_argument("operation: is on another device than input");
  const DeviceGuard guard(device);
  if (const auto name = launch_strips(prepared, input, output, nan_samples, stream)) {
    check(cudaGetLastError(), ("launching the kernel (" + *name + ")").c_str());
    return *name;
  }
  std::string name;
  const bool wide = op.arithmetic() == Arithmetic::float64;
  for (std::int64_t i = 0; i < input.images; ++i)
    name = (wide ? launch_generic<double> : launch_generic<float>)(prepared, image_number(input, i), image_number(output, i), nan_samples, stream);
  return name;
}

}  // namespace upfirdn::cuda
