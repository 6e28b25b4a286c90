// How Open MPI watches its connections: by default with poll(2), which looks at all of them whenever a rank
// waits, so that each connection that a plan makes slows down whatever waits. With epoll(7) their number
// costs nothing.

#include <cstdlib>
#include <cstring>
#include <string>

#include "mpi/watching.hpp"
#include "settings/variables.hpp"

namespace tutti {
namespace {

int number(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : 0;
}

// As launchers tell the ranks. Not those themselves: their standard input may be a file, which epoll refuses.
bool is_rank_among_hosts() {
  return number("OMPI_COMM_WORLD_SIZE") > number("OMPI_COMM_WORLD_LOCAL_SIZE") ||
         (std::getenv("PMIX_RANK") && number("SLURM_STEP_NUM_NODES") > 1);
}

bool is_off() {
  const char* off = std::getenv(std::string(var_off.name).c_str());
  return off && std::strcmp(off, "1") == 0;
}

// Before MPI_Init reads it; what the user has set stays.
[[gnu::constructor]] void watch_by_epoll() {
  if (is_rank_among_hosts() && !is_off()) setenv(watching_parameter, "epoll", 0);
}

}  // namespace
}  // namespace tutti
