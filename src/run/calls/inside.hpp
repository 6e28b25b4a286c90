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
  MPI_Comm comm{};
  std::uint64_t generation = 0;  ///< 0: nothing is remembered
  CommunicatorState* state = nullptr;
};
inline constinit thread_local Memo memo;

/// Marks the thread as being in a call of ours.
class Inside {
 public:
  Inside() { memo.inside = true; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { memo.inside = before_; }

 private:
  bool before_ = memo.inside;
};

/// Whether calls are timed for the statistics.
inline constinit bool timing = false;

}  // namespace tutti::run
