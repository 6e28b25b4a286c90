#include "mpi/launcher.hpp"

#include <cstdlib>
#include <initializer_list>

namespace tutti::runtime::launcher {
namespace {

// The first of them that is set.
std::optional<int> number(std::initializer_list<const char*> variables) {
  for (const char* variable : variables)
    if (const char* text = std::getenv(variable)) return std::atoi(text);
  return {};
}

}  // namespace

std::optional<int> rank() {
  return number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"});
}

std::optional<int> ranks_of_host() {
  return number({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"});
}

// srun tells whatever it starts, mpirun among it, how many nodes there are; ranks have a number of PMIx's
// too.
bool has_several_hosts() {
  if (const auto ranks = number({"OMPI_COMM_WORLD_SIZE"})) return *ranks > ranks_of_host().value_or(*ranks);
  return number({"PMIX_RANK"}) && number({"SLURM_STEP_NUM_NODES"}).value_or(1) > 1;
}

}  // namespace tutti::runtime::launcher
