#pragma once

#include <cstddef>
#include <utility>

#include "run/execution/device.hpp"

namespace tutti::run {

/// Host memory that a device reaches by itself, where its library can arrange that. Blocks that are
/// done with are kept for later calls, up to a bound of all of a process.
class PinnedBlock {
 public:
  /// At least that many bytes, aligned to a page. Throws std::bad_alloc if there is no memory.
  PinnedBlock(const DeviceLibrary& library, std::size_t bytes);
  PinnedBlock(PinnedBlock&& other) noexcept
      : library_(other.library_),
        memory_(std::exchange(other.memory_, nullptr)),
        bytes_(other.bytes_),
        is_pinned_(other.is_pinned_) {}
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;
  PinnedBlock& operator=(PinnedBlock&&) = delete;
  ~PinnedBlock();

  char* begin() const { return memory_; }
  std::size_t bytes() const { return bytes_; }

 private:
  friend class PinnedBlocks;

  const DeviceLibrary* library_;
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
  bool is_pinned_ = false;
};

/// Gives back the blocks that are kept: MPI is about to end.
void release_pinned_blocks();

}  // namespace tutti::run
