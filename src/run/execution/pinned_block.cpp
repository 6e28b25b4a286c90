#include "run/execution/pinned_block.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

#include "run/execution/constants.hpp"

namespace tutti::run {

// The blocks of this process that no call uses.
class PinnedBlocks {
 public:
  static PinnedBlocks& instance() {
    static auto* const all = new PinnedBlocks;  // calls may come when statics are gone
    return *all;
  }

  // Hands a kept block over, the smallest that is large enough.
  bool take(PinnedBlock& into, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto best = kept_.end();
    for (auto block = kept_.begin(); block != kept_.end(); ++block)
      if (block->bytes >= bytes && (best == kept_.end() || block->bytes < best->bytes)) best = block;
    if (best == kept_.end()) return false;
    into.memory_ = best->memory;
    into.bytes_ = best->bytes;
    into.is_pinned_ = best->is_pinned;
    bytes_kept_ -= best->bytes;
    kept_.erase(best);
    return true;
  }

  // Keeps a block; false if there would be too much.
  bool keep(const PinnedBlock& block) {
    const std::lock_guard lock(mutex_);
    if (bytes_kept_ + block.bytes_ > execution::most_pinned_kept) return false;
    kept_.push_back({block.library_, block.memory_, block.bytes_, block.is_pinned_});
    bytes_kept_ += block.bytes_;
    return true;
  }

  // Frees all that are kept.
  void release() {
    const std::lock_guard lock(mutex_);
    for (const Kept& block : kept_) free(*block.library, block.memory, block.bytes, block.is_pinned);
    kept_.clear();
    bytes_kept_ = 0;
  }

  static void free(const DeviceLibrary& library, char* memory, std::size_t bytes, bool is_pinned) {
    // What is still pinned must not become somebody else's memory.
    if (!is_pinned || library.unpin(memory)) munmap(memory, bytes);
  }

 private:
  struct Kept {
    const DeviceLibrary* library;
    char* memory;
    std::size_t bytes;
    bool is_pinned;
  };

  std::mutex mutex_;
  std::vector<Kept> kept_;
  std::size_t bytes_kept_ = 0;
};

// The memory is this process' own, pinned and not the library's: so it is there, and can be read by
// other processes, whatever the program does to its device.
PinnedBlock::PinnedBlock(const DeviceLibrary& library, std::size_t bytes) : library_(&library) {
  if (PinnedBlocks::instance().take(*this, bytes)) return;
  bytes_ = std::max(std::bit_ceil(bytes), execution::smallest_pinned);
  void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
  is_pinned_ = library.pin(memory_, bytes_);
}

PinnedBlock::~PinnedBlock() {
  if (memory_ && !PinnedBlocks::instance().keep(*this))
    PinnedBlocks::free(*library_, memory_, bytes_, is_pinned_);
}

void release_pinned_blocks() {
  PinnedBlocks::instance().release();
}

}  // namespace tutti::run
