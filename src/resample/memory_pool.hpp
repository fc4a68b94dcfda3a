#pragma once
/// Memory that is used again: fresh pages cost more than the resampling of what they hold.

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace upfirdn {

/// Blocks of bytes, not initialised, which come back when their last owner goes. For any thread; outlives its blocks.
class MemoryPool {
 public:
  MemoryPool() = default;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  [[nodiscard]] std::shared_ptr<std::byte> take(std::size_t bytes) {
    Block block = free_block(bytes);
    std::byte* const memory = block.memory.get();
    return {memory, [this, held = std::make_shared<Block>(std::move(block))](std::byte*) { give_back(std::move(*held)); }};
  }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes = 0;
  };

  Block free_block(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = free_.size(); i-- > 0;) {
      if (free_[i].bytes < bytes) continue;
      std::swap(free_[i], free_.back());
      Block block = std::move(free_.back());
      free_.pop_back();
      return block;
    }
    if (!free_.empty()) free_.pop_back();  // too small for this work: makes room
    return {std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
  }
  void give_back(Block block) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(block));
  }

  std::mutex mutex_;
  std::vector<Block> free_;
};

}  // namespace upfirdn
