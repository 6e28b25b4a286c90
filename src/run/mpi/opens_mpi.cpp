// What programs of ours call of an MPI of MPICH's ABI, where they are linked with none: its library
// has one name in Debian and another elsewhere. It is opened before main(), for everybody. A
// function is found when it is first called, and what is preloaded comes first, as for any MPI
// program.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "run/mpi/found_functions.hpp"

namespace {

// A function that every MPI library has, and nothing else.
constexpr const char* mark = "PMPI_Get_library_version";
void* opened = nullptr;

[[gnu::constructor]] void open_mpi() {
  for (const char* name : {"libmpi.so.12", "libmpich.so.12"})
    if (!opened) opened = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
  if (opened || dlsym(RTLD_DEFAULT, mark)) return;
  std::fprintf(stderr, "tutti: no library of MPICH's ABI is found, neither libmpi.so.12 nor %s; %s\n",
               "libmpich.so.12", "the folder of your MPI's libmpi.so.12 has to stand in LD_LIBRARY_PATH");
  std::exit(127);
}

const void* object_of(const void* address) {
  Dl_info place{};
  return address && dladdr(address, &place) != 0 ? place.dli_fbase : nullptr;
}

// What comes first has the function: what is preloaded, or else an MPI, which is ours then, though
// another one may have come with what is preloaded.
void* find(const char* name) {
  void* const first = dlsym(RTLD_DEFAULT, name);
  const bool is_of_an_mpi = object_of(first) == object_of(dlsym(RTLD_DEFAULT, mark));
  return opened && is_of_an_mpi ? dlsym(opened, name) : first;
}

}  // namespace

#define TUTTI_MPI(result, name, arguments, parameters) \
  TUTTI_PASSES_ON(result, name, arguments, "MPI_" #name, "MPI_" #name, find)
#include "run/mpi/standard_abi/prototypes.inc"
