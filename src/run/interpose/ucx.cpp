// UCX' progress function, in whose place ours is called: where the MPI library waits by it, what is
// under way is driven on.

#include <dlfcn.h>

#include "run/mpi/library_progress.hpp"
#include "run/mpi/loaded_mpi.hpp"
#include "run/mpi/loaded_objects.hpp"

namespace {

using Progress = unsigned(void* worker);

// A program may have opened UCX for itself alone, without an MPI library.
Progress* found_behind() {
  constexpr const char* name = "ucp_worker_progress";
  if (void* const next = tutti::run::next_function(name)) return reinterpret_cast<Progress*>(next);
  void* const library = tutti::run::loaded_library({"libucp.so.0"});
  return library ? reinterpret_cast<Progress*>(dlsym(library, name)) : nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  static Progress* const next = found_behind();
  tutti::run::ucx_progress.pass();
  return next ? next(worker) : 0;
}
