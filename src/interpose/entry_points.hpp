#pragma once

#include <mpi.h>

#include <cstdint>

#include "interpose/abi.hpp"

namespace tutti::interpose {

/// An argument of an entry point, a pointer or an integer, as the register that carries it. Libraries differ
/// in how wide their handles are: in a program that runs on another MPI than ours, arguments have to go on
/// bit by bit.
class Word {
 public:
  template <typename T>
  operator T*() const {
    return reinterpret_cast<T*>(bits_);
  }
  operator int() const { return static_cast<int>(bits_); }

 private:
  std::uintptr_t bits_;
};
static_assert(sizeof(Word) == sizeof(void*));

template <typename Function, typename... Words>
int pass_on(Function* function, Words... words) {
  return reinterpret_cast<int (*)(Words...)>(reinterpret_cast<void*>(function))(words...);
}

}  // namespace tutti::interpose

/// Defines the entry point MPI_<name> and, where Tutti is preloaded, PMPI_<name> as well, because Fortran
/// bindings call either. With `parameters` (Words) it does `ours`, or, if the program is on another MPI,
/// passes on `arguments`: the native function and the parameters.
#ifdef TUTTI_SIMULATED
// Linked into the program: the MPI is surely ours, and the PMPI entry points are the native ones.
#define TUTTI_ENTRY_POINT(name, parameters, arguments, ours)                                           \
  extern "C" __attribute__((visibility("default"))) int tutti_##name parameters __asm__("MPI_" #name); \
  int tutti_##name parameters {                                                                        \
    return ours;                                                                                       \
  }
#else
#define TUTTI_ENTRY_POINT(name, parameters, arguments, ours)                                             \
  extern "C" __attribute__((visibility("default"))) int tutti_##name parameters __asm__("MPI_" #name);   \
  int tutti_##name parameters {                                                                          \
    if (__builtin_expect(!tutti::interpose::right_mpi(), 0)) return tutti::interpose::pass_on arguments; \
    return ours;                                                                                         \
  }                                                                                                      \
  extern "C" __attribute__((visibility("default"),                                                       \
                            alias("MPI_" #name))) int tutti_P##name parameters __asm__("PMPI_" #name);
#endif
