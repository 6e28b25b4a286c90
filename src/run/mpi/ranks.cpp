#include "run/mpi/ranks.hpp"

#include <numeric>

#include "run/mpi/world.hpp"

namespace tutti::run {
namespace {

// Asks something of the world's group.
template <typename Ask>
int asked(Ask* ask) {
  MPI_Group world = world::group();
  int answer = 0;
  ask(world, &answer);
  PMPI_Group_free(&world);
  return answer;
}

}  // namespace

int ranks_of_world() {
  return asked(PMPI_Group_size);
}

int rank_in_world() {
  return asked(PMPI_Group_rank);
}

std::vector<int> ranks_in_world(MPI_Comm comm) {
  MPI_Group world = world::group(), here = MPI_GROUP_NULL;
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
