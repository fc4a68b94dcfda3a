#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "kernels/cuda_resources.hpp"
#include "kernels/upfirdn.hpp"
#include "resample/backend.hpp"
#include "resample/pci_place.hpp"

namespace upfirdn {
namespace {

constexpr std::size_t staging_bytes = std::size_t(2) << 20;  // of each of the two buffers: locking memory is slow, larger copies are no faster

/// Two page-locked buffers used in turn, so that the host fills or empties one while the other is copied.
class Staging {
 public:
  /// Rows of `row_bytes` that fit into a buffer.
  std::int64_t prepare(std::size_t row_bytes) {
    const std::int64_t rows = std::max<std::int64_t>(1, std::int64_t(staging_bytes / row_bytes));
    for (Slot& slot : slots_) {
      slot.memory.reserve(std::size_t(rows) * row_bytes);
      if (!slot.copied) slot.copied = cuda::make_event();
      slot.busy = false;
    }
    return rows;
  }
  /// The buffer of turn `i`, once its last copy has ended.
  std::byte* take(std::int64_t i) {
    Slot& slot = slots_[i % 2];
    if (slot.busy) cuda::check(cudaEventSynchronize(slot.copied.get()), "waiting for a copy");
    slot.busy = false;
    return slot.memory.data();
  }
  void copying(std::int64_t i, cudaStream_t stream) {
    cuda::check(cudaEventRecord(slots_[i % 2].copied.get(), stream), "recording an event");
    slots_[i % 2].busy = true;
  }

 private:
  struct Slot {
    cuda::PinnedBuffer memory;
    cuda::Event copied;
    bool busy = false;
  };
  Slot slots_[2];
};

PciPlace place_of(int ordinal) {
  char address[32] = {};
  return cudaDeviceGetPCIBusId(address, sizeof address, ordinal) == cudaSuccess ? pci_place(address) : PciPlace{};
}

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int ordinal) : ordinal_(ordinal), memory_node_(place_of(ordinal).memory_node) {
    const cuda::DeviceGuard guard(ordinal_);
    stream_ = cuda::make_stream();
    nan_samples_.reserve(sizeof(unsigned long long));
  }
  ~CudaBackend() override {
    (void)cudaSetDevice(ordinal_);
    (void)cudaStreamSynchronize(stream_.get());
  }
  [[nodiscard]] std::string name() const override { return "cuda:" + std::to_string(ordinal_); }

  RunResult run(const Operation& op, RowSource& source, RowSink& sink) override {
    const cuda::DeviceGuard guard(ordinal_);
    const NearMemory near(memory_node_);
    const std::size_t in_stride = padded(op.input.row_bytes()), out_stride = padded(op.output.row_bytes());
    check_memory(in_stride * std::size_t(op.input.height) + out_stride * std::size_t(op.output.height));
    input_.reserve(in_stride * std::size_t(op.input.height));
    output_.reserve(out_stride * std::size_t(op.output.height));
    auto* nan_samples = reinterpret_cast<unsigned long long*>(nan_samples_.data());
    cuda::check(cudaMemsetAsync(nan_samples, 0, sizeof *nan_samples, stream_.get()), "clearing a counter");
    operation_.prepare(op, stream_.get());
    upload(op.input, in_stride, source);
    RunResult result;
    result.notes.push_back(name() + ": " + cuda::launch(operation_, image(op.input, input_, in_stride), image(op.output, output_, out_stride),
                                                        nan_samples, stream_.get()));
    download(op.output, out_stride, sink);
    unsigned long long count = 0;
    cuda::check(cudaMemcpyAsync(&count, nan_samples, sizeof count, cudaMemcpyDeviceToHost, stream_.get()), "copying a counter");
    cuda::check(cudaStreamSynchronize(stream_.get()), "the kernel");
    result.nan_samples = std::int64_t(count);
    return result;
  }

 private:
  static std::size_t padded(std::size_t row_bytes) { return (row_bytes + 15) / 16 * 16; }

  static cuda::DeviceImage image(const ImageInfo& info, const cuda::DeviceBuffer& memory, std::size_t stride) {
    return {memory.data(), info.width, info.height, info.channels, info.type, stride};
  }

  /// Says how much is missing before an allocation fails half way.
  void check_memory(std::size_t needed) const {
    std::size_t free_bytes = 0, total = 0;
    cuda::check(cudaMemGetInfo(&free_bytes, &total), "asking for free memory");
    const std::size_t available = free_bytes + input_.size() + output_.size();
    if (needed > available)
      throw Error(ExitCode::device, name() + ": the image needs " + std::to_string(needed >> 20) + " MiB of device memory, " +
                                        std::to_string(available >> 20) + " are free; use --device cpu");
  }

  void upload(const ImageInfo& info, std::size_t stride, RowSource& source) {
    const std::int64_t at_once = staging_.prepare(info.row_bytes());
    for (std::int64_t y = 0, turn = 0; y < info.height; y += at_once, ++turn) {
      const std::int64_t rows = std::min(at_once, info.height - y);
      std::byte* host = staging_.take(turn);
      source.read_rows(host, rows, info.row_bytes());
      cuda::check(cudaMemcpy2DAsync(input_.data() + std::size_t(y) * stride, stride, host, info.row_bytes(), info.row_bytes(),
                                    std::size_t(rows), cudaMemcpyHostToDevice, stream_.get()),
                  "copying rows to the device");
      staging_.copying(turn, stream_.get());
    }
    (void)staging_.take(0), (void)staging_.take(1);
  }

  void download(const ImageInfo& info, std::size_t stride, RowSink& sink) {
    const std::int64_t at_once = staging_.prepare(info.row_bytes());
    const std::int64_t turns = (info.height + at_once - 1) / at_once;
    const auto rows_of = [&](std::int64_t turn) { return std::min(at_once, info.height - turn * at_once); };
    const auto start = [&](std::int64_t turn) {
      cuda::check(cudaMemcpy2DAsync(staging_.take(turn), info.row_bytes(), output_.data() + std::size_t(turn * at_once) * stride, stride,
                                    info.row_bytes(), std::size_t(rows_of(turn)), cudaMemcpyDeviceToHost, stream_.get()),
                  "copying rows from the device");
      staging_.copying(turn, stream_.get());
    };
    start(0);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      if (turn + 1 < turns) start(turn + 1);
      sink.write_rows(staging_.take(turn), rows_of(turn), info.row_bytes());
    }
  }

  int ordinal_, memory_node_;
  cuda::Stream stream_;
  cuda::DeviceBuffer input_, output_, nan_samples_;
  cuda::DeviceOperation operation_;
  Staging staging_;
};

std::string version_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

/// Why no device can be used.
std::string problem_text(cudaError_t status) {
  if (status == cudaErrorNoDevice) return "no NVIDIA GPU is visible";
  if (status == cudaErrorInsufficientDriver) return "there is no NVIDIA driver, or it is older than this program's CUDA";
  return cudaGetErrorString(status);
}

CudaDevice describe(int ordinal) {
  cudaDeviceProp properties{};
  cuda::check(cudaGetDeviceProperties(&properties, ordinal), "asking for a device's properties");
  const PciPlace place = place_of(ordinal);
  CudaDevice device{ordinal, properties.name, std::to_string(properties.major) + "." + std::to_string(properties.minor),
                    std::int64_t(properties.totalGlobalMem), 0, properties.multiProcessorCount, place.link, place.memory_node};
  const cuda::DeviceGuard guard(ordinal);
  std::size_t free_bytes = 0, total = 0;
  if (cudaMemGetInfo(&free_bytes, &total) == cudaSuccess) device.free_bytes = std::int64_t(free_bytes);
  return device;
}

}  // namespace

CudaStatus cuda_status() {
  CudaStatus status{.built = true, .version = version_text(CUDART_VERSION)};
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    status.problem = problem_text(error != cudaSuccess ? error : cudaErrorNoDevice);
    return status;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) status.devices.push_back(describe(ordinal));
  return status;
}

std::unique_ptr<Backend> make_cuda_backend(int ordinal) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    throw Error(ExitCode::device, "--device cuda: " + problem_text(error != cudaSuccess ? error : cudaErrorNoDevice) +
                                      "; use --device cpu or auto");
  }
  if (ordinal >= count)
    throw Error(ExitCode::device, "--device cuda:" + std::to_string(ordinal) + ": there is no such device; there are " +
                                      std::to_string(count) + ", numbered from 0");
  return std::make_unique<CudaBackend>(ordinal);
}

}  // namespace upfirdn
