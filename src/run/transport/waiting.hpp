#pragma once

#include <atomic>
#include <cstdint>

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// What a rank does between two looks at memory that another will change. It spins for a while,
/// then lets others have the processor where ranks outnumber them; and it drives MPI's progress:
/// what the rank waits for may itself wait for messages of the user's own that this rank has to let
/// through.
class Waiting {
 public:
  /// `crowded`: there are more ranks on this host than processors. `trouble`: an error of others,
  /// by which waiting ends, while it is not MPI_SUCCESS; null: there is none to look at.
  Waiting(MPI_Comm comm, bool crowded, const std::atomic<int>* trouble = nullptr)
      : comm_(comm), crowded_(crowded), trouble_(trouble) {}

  /// Pauses after a look in vain. Returns MPI's error code.
  int pause();

 private:
  MPI_Comm comm_;
  bool crowded_;
  const std::atomic<int>* trouble_;
  std::int64_t looks_ = 0;  // ranks may be hours late
};

}  // namespace tutti::run
