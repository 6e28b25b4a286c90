// The MPI library's functions in programs that Tutti is part of: the PMPI entry points, which
// nothing here replaces.

#include <dlfcn.h>

#include "run/mpi/native.hpp"

namespace tutti::run {

void* native_function(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

}  // namespace tutti::run
