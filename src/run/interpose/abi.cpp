#include "run/interpose/abi.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <string>

#include "run/mpi/launcher.hpp"
#include "run/mpi/library_version.hpp"
#include "run/mpi/loaded_mpi.hpp"

namespace tutti::interpose {
namespace {

using namespace run;

#if defined(TUTTI_STANDARD_ABI)
constexpr Handles ours = Handles::standard;
constexpr const char* built_for = "the standard ABI of MPI";
#elif defined(OPEN_MPI)
constexpr Handles ours = Handles::open_mpi;
constexpr const char* built_for = "Open MPI";
#else
constexpr Handles ours = Handles::mpich;
constexpr const char* built_for = "MPICH";
#endif

// MPICH's handles mean what they mean today since its 3.1, and others' with it.
constexpr int oldest_version = 3;

// What the library says of itself. Texts of other libraries may be longer than ours.
std::string version_of(const LoadedMpi& mpi) {
  using Version = int(char*, int*);
  auto* const version = reinterpret_cast<Version*>(mpi.function("PMPI_Get_library_version"));
  char text[1 << 14] = "";
  int length = 0;
  if (!version || version(text, &length) != 0) return "an MPI that does not tell its version";
  return library_version(text);
}

int standard_of(const LoadedMpi& mpi) {
  using Version = int(int*, int*);
  auto* const version = reinterpret_cast<Version*>(mpi.function("PMPI_Get_version"));
  int major = 0, minor = 0;
  return version && version(&major, &minor) == 0 ? major : 0;
}

// Why the program's MPI can't be served; empty if it can.
std::string refusal(const LoadedMpi& mpi) {
  const Handles handles = mpi.handles();
  if (handles != ours)
    return fmt::format("the program runs on {}{}", version_of(mpi),
                       handles == Handles::standard ? " by the standard ABI of MPI (libmpi_abi)" : "");
  if (const int standard = standard_of(mpi); standard < oldest_version)
    return fmt::format("the program's {} has MPI {} only, and not MPI {}", version_of(mpi), standard,
                       oldest_version);
  return "";
}

bool check() {
  const LoadedMpi mpi = mpi_of_program();
  if (!mpi) return false;
  const std::string why = refusal(mpi);
  if (why.empty()) return true;
  if (run::launcher::rank().value_or(0) != 0) return false;  // one process speaks for all
  std::fprintf(stderr,
               "tutti: this library was built for %s, but %s; nothing is tuned (tutti doctor -- LAUNCHER "
               "PROGRAM says what to do)\n",
               built_for, why.c_str());
  // Functions that Tutti has no entry points for are called in what comes first.
  if (const LoadedMpi other = mpi_brought_along())
    std::fprintf(
        stderr,
        "tutti: two MPI libraries are in this process, %s and %s, which was preloaded with Tutti; calls "
        "may go to either: say with --mpi which one the program needs\n",
        mpi.file, other.file);
  return false;
}

}  // namespace

bool right_mpi_slowly() {
  static const bool right = check();
  known_abi = right ? Abi::right : Abi::wrong;
  return right;
}

}  // namespace tutti::interpose
