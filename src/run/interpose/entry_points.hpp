#pragma once

#include <mpi.h>

#include <cstdint>

#include "run/interpose/abi.hpp"

namespace tutti::interpose {

/// An argument of an entry point, a pointer or an integer, as the register that carries it.
/// Libraries differ in how wide their handles are: in a program that runs on another MPI than ours,
/// arguments have to go on bit by bit.
class Word {
 public:
  template <typename T>
  operator T*() const {
    return reinterpret_cast<T*>(bits_);
  }
  operator int() const { return static_cast<int>(bits_); }
  operator long() const { return static_cast<long>(bits_); }
  operator long long() const { return static_cast<long long>(bits_); }

 private:
  std::uintptr_t bits_;
};
static_assert(sizeof(Word) == sizeof(void*));

template <typename Function, typename... Words>
int pass_on(Function* function, Words... words) {
  return reinterpret_cast<int (*)(Words...)>(reinterpret_cast<void*>(function))(words...);
}

}  // namespace tutti::interpose

/// The arguments of entry points are called a, b, c and so on: with their type, or where it is
/// empty without.
#define TUTTI_ARGUMENTS_0(type)
#define TUTTI_ARGUMENTS_1(type) type a
#define TUTTI_ARGUMENTS_2(type) TUTTI_ARGUMENTS_1(type), type b
#define TUTTI_ARGUMENTS_3(type) TUTTI_ARGUMENTS_2(type), type c
#define TUTTI_ARGUMENTS_4(type) TUTTI_ARGUMENTS_3(type), type d
#define TUTTI_ARGUMENTS_5(type) TUTTI_ARGUMENTS_4(type), type e
#define TUTTI_ARGUMENTS_6(type) TUTTI_ARGUMENTS_5(type), type f
#define TUTTI_ARGUMENTS_7(type) TUTTI_ARGUMENTS_6(type), type g
#define TUTTI_ARGUMENTS_8(type) TUTTI_ARGUMENTS_7(type), type h
#define TUTTI_ARGUMENTS_9(type) TUTTI_ARGUMENTS_8(type), type i
#define TUTTI_ARGUMENTS_10(type) TUTTI_ARGUMENTS_9(type), type j
#define TUTTI_ARGUMENTS_11(type) TUTTI_ARGUMENTS_10(type), type k
#define TUTTI_ARGUMENTS_12(type) TUTTI_ARGUMENTS_11(type), type l
#define TUTTI_ARGUMENTS_13(type) TUTTI_ARGUMENTS_12(type), type m

/// A program that Tutti is part of has the functions that its MPI's header declares; a preloaded
/// Tutti all of the standard's, for the library that runs may be newer than the header.
#if !defined(TUTTI_LINKED_IN) || MPI_VERSION >= 4
#define TUTTI_DEFINES_MPI_4
#endif

/// Begins the definition of the entry point of such a name and, where Tutti is preloaded, of PMPI's
/// as well, because Fortran bindings call either. Where Tutti is linked into a program, the program's
/// calls are bound to it at once: SimGrid loads programs behind its own library, whose functions a
/// look-up by name finds first (since 4.1, which loads without RTLD_DEEPBIND).
#ifdef TUTTI_LINKED_IN
#define TUTTI_SEEN "protected"
#define TUTTI_SAME_AS(mpi_name, parameters)
#else
#define TUTTI_SEEN "default"
#define TUTTI_SAME_AS(mpi_name, parameters)        \
  extern "C" __attribute__((visibility("default"), \
                            alias(#mpi_name))) int tutti_P##mpi_name parameters __asm__("P" #mpi_name);
#endif
#define TUTTI_DEFINE(mpi_name, parameters)                                                               \
  extern "C" __attribute__((visibility(TUTTI_SEEN))) int tutti_##mpi_name parameters __asm__(#mpi_name); \
  TUTTI_SAME_AS(mpi_name, parameters)                                                                    \
  int tutti_##mpi_name parameters
