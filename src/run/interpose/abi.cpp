#include "run/interpose/abi.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <string_view>

#include "run/mpi/launcher.hpp"
#include "run/mpi/library_version.hpp"

namespace tutti::interpose {
namespace {

#if defined(OPEN_MPI)
constexpr const char* built_for = "Open MPI";
#else
constexpr const char* built_for = "MPICH";
#endif

// Whether a function is of a library for programs that are compiled for the standard's own ABI. Its
// version is told as that of the MPI behind it, but handles and constants are others.
bool is_of_standard_abi(const void* function) {
  Dl_info place{};
  if (dladdr(function, &place) == 0 || !place.dli_fname) return false;
  const char* slash = std::strrchr(place.dli_fname, '/');
  const std::string_view file = slash ? slash + 1 : place.dli_fname;
  return file.starts_with("libmpi_abi");
}

bool check() {
  // The program's own library comes first in the global scope, ours only after it. Texts of other
  // libraries may be longer than ours.
  using Version = int (*)(char*, int*);
  void* const function = dlsym(RTLD_DEFAULT, "PMPI_Get_library_version");
  const auto version = reinterpret_cast<Version>(function);
  char text[1 << 14] = "";
  int length = 0;
  if (!version || version(text, &length) != 0) return false;
  const bool standard = is_of_standard_abi(function);
  if (!standard && std::strstr(text, built_for)) return true;
  if (run::launcher::rank().value_or(0) == 0)  // one process speaks for all
    std::fprintf(stderr,
                 "tutti: this library was built for %s, but the program runs on %s%s; nothing is tuned\n",
                 built_for, run::library_version(text).c_str(),
                 standard ? " by the standard ABI of MPI (libmpi_abi)" : "");
  return false;
}

}  // namespace

bool right_mpi_slowly() {
  static const bool right = check();
  known_abi = right ? Abi::right : Abi::wrong;
  return right;
}

}  // namespace tutti::interpose
