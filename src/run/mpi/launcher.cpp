#include "run/mpi/launcher.hpp"

#include <cstdlib>
#include <initializer_list>

namespace tutti::run::launcher {
namespace {

// The number in the first of some variables that is set.
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

// srun tells whatever it starts, mpirun among it, how many tasks and nodes there are; ranks have a
// number of PMIx's too.
std::optional<int> ranks() {
  if (const auto ranks = number({"OMPI_COMM_WORLD_SIZE"})) return ranks;
  return number({"PMIX_RANK"}) ? number({"SLURM_STEP_NUM_TASKS"}) : std::nullopt;
}

bool has_several_hosts() {
  if (const auto here = ranks_of_host()) return ranks().value_or(*here) > *here;
  return ranks() && number({"SLURM_STEP_NUM_NODES"}).value_or(1) > 1;
}

}  // namespace tutti::run::launcher
