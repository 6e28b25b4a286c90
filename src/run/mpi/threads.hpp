#pragma once

#include "run/mpi/world.hpp"

namespace tutti::run {

/// Whether the MPI library is ready for calls of several threads at the same time. MPICH is from
/// the first session on, whatever level that asks for.
inline bool library_has_several_threads() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

/// Whether the program's threads may call MPI at the same time, as far as is known.
inline bool several_threads_call() {
  return (world::is_of_sessions && world::threads_of_sessions.perhaps) || library_has_several_threads();
}

/// Whether a thread of ours may call beside the program's.
inline bool may_call_from_thread() {
  return (world::is_of_sessions && world::threads_of_sessions.surely) || library_has_several_threads();
}

}  // namespace tutti::run
