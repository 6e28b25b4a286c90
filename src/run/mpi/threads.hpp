#pragma once

#include "run/mpi/world.hpp"

namespace tutti::run {

/// Whether several threads may call MPI at the same time.
inline bool several_threads_call() {
  int level = world::thread_level_of_sessions;
  if (!world::is_of_sessions) PMPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace tutti::run
