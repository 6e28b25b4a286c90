#pragma once

#include "run/mpi/native.hpp"

namespace tutti::run {

/// Whether all ranks of a communicator say so. Collective.
inline bool all_say(bool mine, MPI_Comm comm) {
  int said = mine, all = 0;
  native().MPI_Allreduce(&said, &all, 1, MPI_INT, MPI_MIN, comm);
  return all != 0;
}

/// The largest of the numbers that the ranks of a communicator say. Collective.
inline int largest_said(int mine, MPI_Comm comm) {
  int largest = 0;
  native().MPI_Allreduce(&mine, &largest, 1, MPI_INT, MPI_MAX, comm);
  return largest;
}

}  // namespace tutti::run
