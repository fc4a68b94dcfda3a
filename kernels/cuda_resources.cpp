#include "kernels/cuda_resources.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace upfirdn::cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // a failed call must not be reported again by the next one
  int ordinal = 0;
  (void)cudaGetDevice(&ordinal);
  const bool memory = status == cudaErrorMemoryAllocation;
  const std::string fault = "cuda:" + std::to_string(ordinal) + ": " + what + " failed: " + cudaGetErrorString(status);
  if (memory) throw Error(ExitCode::device, fault + "; use a smaller image or --device cpu");
  throw DeviceLost(fault + "; use --device cpu");
}

DeviceGuard::DeviceGuard(int ordinal) {
  check(cudaGetDevice(&previous_), "asking for the current device");
  check(cudaSetDevice(ordinal), "selecting the device");
}

DeviceGuard::~DeviceGuard() { (void)cudaSetDevice(previous_); }

Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return Stream(stream);
}

Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
  return Event(event);
}

std::byte* DeviceBuffer::reserve(std::size_t bytes) {
  if (bytes <= size_) return memory_.get();
  memory_.reset();
  size_ = 0;
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), ("allocating " + std::to_string(bytes) + " bytes").c_str());
  memory_.reset(static_cast<std::byte*>(memory));
  size_ = bytes;
  return memory_.get();
}

std::byte* PinnedBuffer::reserve(std::size_t bytes) {
  if (bytes <= size_) return memory_.get();
  memory_.reset();
  size_ = 0;
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), ("locking " + std::to_string(bytes) + " bytes of memory").c_str());
  memory_.reset(static_cast<std::byte*>(memory));
  size_ = bytes;
  return memory_.get();
}

std::size_t DeviceArrays::add_bytes(std::span<const std::byte> bytes) {
  constexpr std::size_t alignment = 256;
  const std::size_t offset = (used_ + alignment - 1) / alignment * alignment;
  const std::size_t needed = offset + bytes.size();
  if (needed > staged_) {
    PinnedBuffer larger;
    const std::size_t size = std::max(needed, 2 * staged_);
    larger.reserve(size);
    if (used_ > 0) std::memcpy(larger.data(), staging_.data(), used_);
    staging_ = std::move(larger);
    staged_ = size;
  }
  if (!bytes.empty()) std::memcpy(staging_.data() + offset, bytes.data(), bytes.size());
  used_ = needed;
  return offset;
}

void DeviceArrays::upload(cudaStream_t stream) {
  if (used_ == 0) return;
  device_.reserve(used_);
  check(cudaMemcpyAsync(device_.data(), staging_.data(), used_, cudaMemcpyHostToDevice, stream), "copying taps to the device");
}

}  // namespace upfirdn::cuda
