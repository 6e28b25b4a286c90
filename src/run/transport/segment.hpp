#pragma once

#include <cstddef>

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// Memory shared by the ranks of a communicator that are on one host. It has no name that could be
/// left behind, and only what is touched takes room: it disappears with the last of its processes.
class Segment {
 public:
  Segment() = default;
  /// A segment of `bytes` bytes, all 0; collective among `comm`. Where one of the ranks can't have
  /// it, none has.
  Segment(MPI_Comm comm, std::size_t bytes);
  Segment(Segment&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Segment& operator=(Segment&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Segment();

  /// Null where there is none.
  char* memory() const { return memory_; }
  std::size_t bytes() const { return bytes_; }
  explicit operator bool() const { return memory_; }

 private:
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tutti::run
