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

/// How many ranks the world has (run/mpi/world.hpp), and this process' rank there.
int ranks_of_world();
int rank_in_world();

/// By rank of a communicator: the rank of that process in our world, or MPI_UNDEFINED where it is
/// of another.
std::vector<int> ranks_in_world(MPI_Comm comm);

/// By rank of a communicator: the rank of that process in another one, or MPI_UNDEFINED.
std::vector<int> ranks_in(MPI_Comm other, MPI_Comm comm);

}  // namespace tutti::run
