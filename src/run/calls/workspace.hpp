#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "run/calls/constants.hpp"
#include "run/execution/execution.hpp"
#include "run/execution/layout.hpp"

namespace tutti::run {

/// Memory that plans work in, kept from call to call unless it is much, and grown when a call needs
/// more.
class Arena {
 public:
  /// At least that many bytes, aligned for any type. What was there before is lost.
  char* get(std::size_t bytes) {
    if (bytes > size_) {
      release();
      memory_ = std::make_unique_for_overwrite<char[]>(bytes);
      size_ = bytes;
    }
    given_ = bytes;
    return memory_.get();
  }

  /// Gives memory back that is more than what is kept. No message may still be on its way there.
  void shrink() {
    if (size_ > calls::most_kept_bytes) release();
  }

  /// What was asked for last: its bytes, and whether an address is one of theirs or just behind.
  std::size_t given() const { return given_; }
  bool holds(const char* address) const { return address >= begin() && address <= begin() + given_; }
  const char* begin() const { return memory_.get(); }

 private:
  void release() {
    memory_.reset();
    size_ = given_ = 0;
  }

  std::unique_ptr<char[]> memory_;
  std::size_t size_ = 0, given_ = 0;
};

/// What one call that is under way works in. Blocking calls of a communicator take turns in one;
/// each nonblocking one has its own.
struct Workspace {
  Execution execution;
  Arena arena;
  Layout layout;                              ///< of an irregular call
  std::vector<std::size_t> told_sizes;        ///< room for the sizes of blocks that others tell of
  std::vector<std::uint64_t> longest_blocks;  ///< of the root, or each rank: bytes of its longest
};

}  // namespace tutti::run
