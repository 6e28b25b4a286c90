#pragma once

#include "run/mpi/native.hpp"

namespace tutti::run {

/// The least of the numbers that the ranks of a communicator say. Collective.
inline int least_said(int mine, MPI_Comm comm) {
  int least = 0;
  native().MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, comm);
  return least;
}

/// Whether all ranks of a communicator say so. Collective.
inline bool all_say(bool mine, MPI_Comm comm) {
  return least_said(mine, comm) != 0;
}

/// The largest of the numbers that the ranks of a communicator say. Collective.
inline int largest_said(int mine, MPI_Comm comm) {
  int largest = 0;
  native().MPI_Allreduce(&mine, &largest, 1, MPI_INT, MPI_MAX, comm);
  return largest;
}

}  // namespace tutti::run
