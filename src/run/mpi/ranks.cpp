#include "run/mpi/ranks.hpp"

#include <numeric>

namespace tutti::run {

std::vector<int> ranks_in_world(MPI_Comm comm) {
  MPI_Group world = MPI_GROUP_NULL, here = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Comm_group(comm, &here);
  int size = 0;
  PMPI_Group_size(here, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), in_world(ranks);
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(here, size, ranks.data(), world, in_world.data());
  PMPI_Group_free(&here);
  PMPI_Group_free(&world);
  return in_world;
}

}  // namespace tutti::run
