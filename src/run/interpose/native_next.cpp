// The native collectives under a preloaded Tutti: those of the next library that has them. They are looked up
// as PMPI_*, because Fortran bindings may call either name and both are ours.

#include <dlfcn.h>

#include "run/mpi/native.hpp"

namespace tutti::run {

const NativeCollectives& native() {
  static const NativeCollectives next = [] {
    NativeCollectives found{};
#define TUTTI_ENTRY(name, mpi_name) \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(RTLD_NEXT, "PMPI_" #mpi_name));
    TUTTI_NATIVE_COLLECTIVES
    TUTTI_ENTRY(finalize, Finalize)
#undef TUTTI_ENTRY
    return found;
  }();
  return next;
}

}  // namespace tutti::run
