// The MPI library's functions under a preloaded Tutti: those of the next library that has them.
// They are looked up as PMPI_*, because Fortran bindings may call either name and both are ours.

#include "run/mpi/loaded_mpi.hpp"
#include "run/mpi/native.hpp"

namespace tutti::run {

void* native_function(const char* name) {
  return next_function(name);
}

}  // namespace tutti::run
