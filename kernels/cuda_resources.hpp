#pragma once
/// Owners of CUDA resources. Plain C++ over the runtime API; every call is checked.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace upfirdn::cuda {

/// Throws Error(device) "cuda:N: WHAT failed: reason; remedy" unless `status` is success.
void check(cudaError_t status, const char* what);

/// Selects a device and restores the caller's.
class DeviceGuard {
 public:
  explicit DeviceGuard(int ordinal);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int previous_ = 0;
};

struct StreamDeleter {
  void operator()(cudaStream_t stream) const noexcept { cudaStreamDestroy(stream); }
};
struct EventDeleter {
  void operator()(cudaEvent_t event) const noexcept { cudaEventDestroy(event); }
};
struct DeviceMemoryDeleter {
  void operator()(std::byte* memory) const noexcept { cudaFree(memory); }
};
struct PinnedMemoryDeleter {
  void operator()(std::byte* memory) const noexcept { cudaFreeHost(memory); }
};
using Stream = std::unique_ptr<CUstream_st, StreamDeleter>;
using Event = std::unique_ptr<CUevent_st, EventDeleter>;

/// A stream of the current device that does not wait for the default one.
[[nodiscard]] Stream make_stream();
/// An event without timing.
[[nodiscard]] Event make_event();

/// Memory of the current device that is kept and grown as needed. Contents are lost when it grows.
class DeviceBuffer {
 public:
  /// At least `bytes` bytes, aligned to 256. Throws Error(device) if there is not so much.
  std::byte* reserve(std::size_t bytes);
  [[nodiscard]] std::byte* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte, DeviceMemoryDeleter> memory_;
  std::size_t size_ = 0;
};

/// Page-locked host memory that is kept and grown as needed.
class PinnedBuffer {
 public:
  std::byte* reserve(std::size_t bytes);
  [[nodiscard]] std::byte* data() const { return memory_.get(); }

 private:
  std::unique_ptr<std::byte, PinnedMemoryDeleter> memory_;
  std::size_t size_ = 0;
};

/// Copies of host arrays in one block of device memory: `add` all, then `upload`, then ask for the addresses.
class DeviceArrays {
 public:
  template <class T>
  std::size_t add(std::span<const T> values) {
    return add_bytes(std::as_bytes(values));
  }
  void upload(cudaStream_t stream);
  template <class T>
  [[nodiscard]] const T* at(std::size_t offset) const {
    return reinterpret_cast<const T*>(device_.data() + offset);
  }
  void clear() { used_ = 0; }

 private:
  std::size_t add_bytes(std::span<const std::byte> bytes);
  PinnedBuffer staging_;
  std::size_t staged_ = 0, used_ = 0;
  DeviceBuffer device_;
};

}  // namespace upfirdn::cuda
