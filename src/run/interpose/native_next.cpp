// The native collectives under a preloaded Tutti: those of the next library that has them. They are
// looked up as PMPI_*, because Fortran bindings may call either name and both are ours.

#include "run/mpi/loaded_mpi.hpp"
#include "run/mpi/native.hpp"

namespace tutti::run {

const NativeCollectives& native() {
  static const NativeCollectives next = [] {
    NativeCollectives found{};
#define TUTTI_ENTRY(collective, mode, large, mpi_name, arguments) \
  found.mpi_name = reinterpret_cast<decltype(found.mpi_name)>(next_function("P" #mpi_name));
    TUTTI_NATIVE_COLLECTIVES
#undef TUTTI_ENTRY
    return found;
  }();
  return next;
}

}  // namespace tutti::run
