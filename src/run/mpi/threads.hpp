#pragma once

#include "run/mpi/world.hpp"

namespace tutti::run {

/// Whether the program's threads may call MPI at the same time, as far as is known.
inline bool several_threads_call() {
  if (world::is_of_sessions) return world::threads_of_sessions.perhaps;
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

/// Whether a thread of ours may call beside the program's.
inline bool may_call_from_thread() {
  return world::is_of_sessions ? world::threads_of_sessions.surely : several_threads_call();
}

}  // namespace tutti::run
