#pragma once

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// Whether several threads may call MPI at the same time.
inline bool several_threads_call() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace tutti::run
