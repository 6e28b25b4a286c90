#include "interpose/abi.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mpi/library_version.hpp"

namespace tutti::interpose {
namespace {

#if defined(OPEN_MPI)
constexpr const char* built_for = "Open MPI";
#else
constexpr const char* built_for = "MPICH";
#endif

// Launchers tell each process its rank; one process speaks for all.
bool is_first_process() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return std::strcmp(rank, "0") == 0;
  return true;
}

bool check() {
  // The program's own library comes first in the global scope, ours only after it. Texts of other libraries
  // may be longer than ours.
  using Version = int (*)(char*, int*);
  const auto version = reinterpret_cast<Version>(dlsym(RTLD_DEFAULT, "PMPI_Get_library_version"));
  char text[1 << 14] = "";
  int length = 0;
  if (!version || version(text, &length) != 0) return false;
  if (std::strstr(text, built_for)) return true;
  if (is_first_process())
    std::fprintf(stderr,
                 "tutti: this library was built for %s, but the program runs on %s; nothing is tuned\n",
                 built_for, runtime::library_version(text).c_str());
  return false;
}

}  // namespace

bool right_mpi_slowly() {
  static const bool right = check();
  known_abi = right ? Abi::right : Abi::wrong;
  return right;
}

}  // namespace tutti::interpose
