#pragma once

#include <mpi.h>

#include <cstdint>

#include "run/calls/call.hpp"
#include "run/interpose/abi.hpp"

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
  operator long() const { return static_cast<long>(bits_); }
  operator long long() const { return static_cast<long long>(bits_); }
  std::int64_t whole() const { return static_cast<std::int64_t>(bits_); }

 private:
  std::uintptr_t bits_;
};
static_assert(sizeof(Word) == sizeof(void*));

/// How an entry point's counts and displacements are meant: as int, or in large-count entry points as
/// MPI_Count and MPI_Aint.
struct SmallCounts {
  static constexpr bool large = false;
  static std::int64_t number(Word word) { return static_cast<int>(word); }
  static run::Numbers numbers(Word word) { return {static_cast<const void*>(word), large}; }
};
struct LargeCounts {
  static constexpr bool large = true;
  static std::int64_t number(Word word) { return word.whole(); }
  static run::Numbers numbers(Word word) { return {static_cast<const void*>(word), large}; }
};

template <typename Function, typename... Words>
int pass_on(Function* function, Words... words) {
  return reinterpret_cast<int (*)(Words...)>(reinterpret_cast<void*>(function))(words...);
}

}  // namespace tutti::interpose

#define TUTTI_UNPACK(...) __VA_ARGS__
#define TUTTI_DEFINE(name, parameters)                                                                 \
  extern "C" __attribute__((visibility("default"))) int tutti_##name parameters __asm__("MPI_" #name); \
  int tutti_##name parameters

/// Defines the entry point MPI_<mpi_name> and, where Tutti is preloaded, PMPI_<mpi_name> as well, because
/// Fortran bindings call either. With the parameters called `words` it does `ours` (an expression, in which
/// `Count` says how to read counts), or, if the program is on another MPI, passes them on.
#ifdef TUTTI_LINKED_IN
// Linked into the program: the MPI is surely ours, and the PMPI entry points are the native ones.
#define TUTTI_ENTRY_POINT(name, mpi_name, counts, parameters, words, ...) \
  TUTTI_DEFINE(mpi_name, parameters) {                                    \
    using Count [[maybe_unused]] = tutti::interpose::counts;              \
    return __VA_ARGS__;                                                   \
  }
#else
#define TUTTI_ENTRY_POINT(name, mpi_name, counts, parameters, words, ...)             \
  TUTTI_DEFINE(mpi_name, parameters) {                                                \
    using Count [[maybe_unused]] = tutti::interpose::counts;                          \
    if (__builtin_expect(!tutti::interpose::right_mpi(), 0))                          \
      return tutti::interpose::pass_on(tutti::run::native().name TUTTI_UNPACK words); \
    return __VA_ARGS__;                                                               \
  }                                                                                   \
  extern "C"                                                                          \
      __attribute__((visibility("default"),                                           \
                     alias("MPI_" #mpi_name))) int tutti_P##mpi_name parameters __asm__("PMPI_" #mpi_name);
#endif
