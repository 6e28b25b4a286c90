#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "run/mpi/words.hpp"

namespace tutti::run {

/// What passes a call on needs the function: a program that has MPI has it, and without it there is
/// nothing that could be returned.
[[noreturn]] inline void is_missing(const char* name) {
  std::fprintf(stderr, "tutti: the MPI library of this program has no %s, which Tutti needs; %s\n", name,
               "set TUTTI_OFF=1");
  std::abort();
}

/// A function of MPI that is looked for when it is first called.
class FoundFunction {
 public:
  template <void* look_for(const char*)>
  void* get(const char* name) {
    void* found = known_.load(std::memory_order_relaxed);
    if (__builtin_expect(!found, 0)) known_ = found = look_for(name);
    if (__builtin_expect(!found, 0)) is_missing(name);
    return found;
  }

 private:
  std::atomic<void*> known_{nullptr};
};

}  // namespace tutti::run

// Handles are passed on and returned as the words that they are.
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

#define TUTTI_CALL(result, function, ...) tutti::run::pass_on<result>(function __VA_OPT__(, ) __VA_ARGS__)

/// Defines what passes the calls of a function on: `symbol` is what the linker knows it by,
/// `target` the name of the function that `look_for` finds.
#define TUTTI_PASSES_ON(result, name, arguments, symbol, target, look_for)                    \
  extern "C" [[gnu::visibility("hidden")]] result passes_on_##name(                           \
      TUTTI_ARGUMENTS_##arguments(tutti::run::Word)) __asm__(symbol);                         \
  result passes_on_##name(TUTTI_ARGUMENTS_##arguments(tutti::run::Word)) {                    \
    static constinit tutti::run::FoundFunction function;                                      \
    return TUTTI_CALL(result, function.get<look_for>(target), TUTTI_ARGUMENTS_##arguments()); \
  }
