// The functions of the MPI behind this library, which is linked with none: each is found when it is
// first called. mpi.h gives PMPI's functions the names that are defined here.

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "run/mpi/loaded_mpi.hpp"
#include "run/mpi/words.hpp"

namespace {

using tutti::run::Word;

// Without the function there is nothing that could be returned: a program that has MPI has it.
[[noreturn]] void is_missing(const char* name) {
  std::fprintf(stderr, "tutti: the MPI library of this program has no %s, which Tutti needs; %s\n", name,
               "set TUTTI_OFF=1");
  std::abort();
}

void* find(const char* name) {
  void* const found = tutti::run::next_function(name);
  if (!found) is_missing(name);
  return found;
}

}  // namespace

#define TUTTI_CALL(result, function, ...) tutti::run::pass_on<result>(function __VA_OPT__(, ) __VA_ARGS__)
#define TUTTI_MPI(result, name, arguments, parameters)                                           \
  extern "C" result next_##name(TUTTI_ARGUMENTS_##arguments(Word)) __asm__("tutti_next_" #name); \
  result next_##name(TUTTI_ARGUMENTS_##arguments(Word)) {                                        \
    static constinit std::atomic<void*> known{nullptr};                                          \
    void* function = known.load(std::memory_order_relaxed);                                      \
    if (__builtin_expect(!function, 0)) known = function = find("PMPI_" #name);                  \
    return TUTTI_CALL(result, function, TUTTI_ARGUMENTS_##arguments());                          \
  }
// Handles are returned as the pointers that they are.
using MPI_Aint = std::intptr_t;
using MPI_Fint = int;
using MPI_Comm = void*;
using MPI_Datatype = void*;
using MPI_Errhandler = void*;
using MPI_File = void*;
using MPI_Group = void*;
using MPI_Info = void*;
using MPI_Message = void*;
using MPI_Op = void*;
using MPI_Request = void*;
using MPI_Session = void*;
using MPI_Win = void*;
#include "run/mpi/standard_abi/prototypes.inc"
