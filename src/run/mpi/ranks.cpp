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

// By rank of a communicator: the rank of that process in a group, which goes.
std::vector<int> ranks_in_group(MPI_Group group, MPI_Comm comm) {
  MPI_Group here = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &here);
  int size = 0;
  PMPI_Group_size(here, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), in_group(ranks);
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(here, size, ranks.data(), group, in_group.data());
  PMPI_Group_free(&here);
  PMPI_Group_free(&group);
  return in_group;
}

}  // namespace

int ranks_of_world() {
  return asked(PMPI_Group_size);
}

int rank_in_world() {
  return asked(PMPI_Group_rank);
}

std::vector<int> ranks_in_world(MPI_Comm comm) {
  return ranks_in_group(world::group(), comm);
}

std::vector<int> ranks_in(MPI_Comm other, MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(other, &group);
  return ranks_in_group(group, comm);
}

}  // namespace tutti::run
