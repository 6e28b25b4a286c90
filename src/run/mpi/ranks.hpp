#pragma once

#include <vector>

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// This process' rank in a communicator.
inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

/// How many ranks a communicator has.
inline int ranks_of(MPI_Comm comm) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  return ranks;
}

/// How many ranks MPI_COMM_WORLD has.
inline int ranks_of_world() {
  return ranks_of(MPI_COMM_WORLD);
}

/// By rank of a communicator: the rank of that process in our MPI_COMM_WORLD, or MPI_UNDEFINED
/// where it is of another world.
std::vector<int> ranks_in_world(MPI_Comm comm);

}  // namespace tutti::run
