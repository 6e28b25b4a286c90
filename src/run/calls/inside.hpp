#pragma once

#include <cstdint>

#include "run/mpi/handles.hpp"

namespace tutti::run {

struct CommunicatorState;

/// What a thread remembers: whether it is in a call of ours, and the communicator that it used
/// last, so that the next call on it finds its state without asking MPI.
struct Memo {
  bool inside = false;  ///< in a call of ours: what comes from below passes through
  bool blocks = false;  ///< in the MPI library, which drives on what is under way meanwhile
  bool waits = false;   ///< for others, or asks for requests: the library's own progress comes there, too
  MPI_Comm comm{};
  std::uint64_t generation = 0;  ///< 0: nothing is remembered
  CommunicatorState* state = nullptr;
};
inline constinit thread_local Memo memo;

/// Marks where the thread is as long as it lives.
template <bool inside>
class ThreadPlace {
 public:
  ThreadPlace() { memo.inside = inside; }
  ThreadPlace(const ThreadPlace&) = delete;
  ThreadPlace& operator=(const ThreadPlace&) = delete;
  ~ThreadPlace() { memo.inside = before_; }

 private:
  bool before_ = memo.inside;
};

/// In a call of ours.
using Inside = ThreadPlace<true>;
/// In the program's hands: what comes from below is the program's.
using Outside = ThreadPlace<false>;

/// Waits for others, or asks for requests, as long as it lives.
class InWait {
 public:
  InWait() { memo.waits = true; }
  InWait(const InWait&) = delete;
  InWait& operator=(const InWait&) = delete;
  ~InWait() { memo.waits = before_; }

 private:
  bool before_ = memo.waits;
};

/// Whether calls are timed for the statistics.
inline constinit bool timing = false;

}  // namespace tutti::run
