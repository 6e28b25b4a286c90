#include "interpose/abi.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstring>

#include "mpi/launcher.hpp"
#include "mpi/library_version.hpp"

namespace tutti::interpose {
namespace {

#if defined(OPEN_MPI)
constexpr const char* built_for = "Open MPI";
#else
constexpr const char* built_for = "MPICH";
#endif

bool check() {
  // The program's own library comes first in the global scope, ours only after it. Texts of other libraries
  // may be longer than ours.
  using Version = int (*)(char*, int*);
  const auto version = reinterpret_cast<Version>(dlsym(RTLD_DEFAULT, "PMPI_Get_library_version"));
  char text[1 << 14] = "";
  int length = 0;
  if (!version || version(text, &length) != 0) return false;
  if (std::strstr(text, built_for)) return true;
  if (runtime::launcher::rank().value_or(0) == 0)  // one process speaks for all
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
