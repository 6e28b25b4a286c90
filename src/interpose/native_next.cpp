// The native collectives under a preloaded Tutti: those of the next library that has them. They are looked up
// as PMPI_*, because Fortran bindings may call either name and both are ours.

#include <dlfcn.h>

#include "runtime/mpi.hpp"

namespace tutti::runtime {
namespace {

template <typename Function>
void look_up(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

const NativeCollectives& native() {
  static const NativeCollectives next = [] {
    NativeCollectives found{};
    look_up(found.bcast, "PMPI_Bcast");
    look_up(found.allgather, "PMPI_Allgather");
    look_up(found.allreduce, "PMPI_Allreduce");
    look_up(found.finalize, "PMPI_Finalize");
    return found;
  }();
  return next;
}

}  // namespace tutti::runtime
