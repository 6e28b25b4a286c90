#pragma once

#include <dlfcn.h>

#include <atomic>

#include "run/interpose/entry_points.hpp"
#include "run/process/function_counts.hpp"

namespace tutti::interpose {

template <typename... Parameters>
constexpr int parameters_of(int (*)(Parameters...)) {
  return sizeof...(Parameters);
}

/// Bytes of `count` elements, in a call that has succeeded.
template <typename Count = SmallCounts>
std::uint64_t size_of(Word count, Word type) {
  int size = 0;
  if (Count::number(count) == 0) return 0;  // of any type
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return static_cast<std::uint64_t>(Count::number(count)) * static_cast<std::uint64_t>(size);
}

}  // namespace tutti::interpose

// Arguments of entry points that are not looked at one by one.
#define TUTTI_PARAMETERS_0 ()
#define TUTTI_PARAMETERS_1 (Word a)
#define TUTTI_PARAMETERS_2 (Word a, Word b)
#define TUTTI_PARAMETERS_3 (Word a, Word b, Word c)
#define TUTTI_PARAMETERS_4 (Word a, Word b, Word c, Word d)
#define TUTTI_PARAMETERS_5 (Word a, Word b, Word c, Word d, Word e)
#define TUTTI_PARAMETERS_6 (Word a, Word b, Word c, Word d, Word e, Word f)
#define TUTTI_PARAMETERS_7 (Word a, Word b, Word c, Word d, Word e, Word f, Word g)
#define TUTTI_PARAMETERS_8 (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h)
#define TUTTI_PARAMETERS_9 (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i)
#define TUTTI_PARAMETERS_10 (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j)
#define TUTTI_PARAMETERS_11 \
  (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k)
#define TUTTI_PARAMETERS_12 \
  (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k, Word l)
#define TUTTI_PARAMETERS_13 \
  (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k, Word l, Word m)
#define TUTTI_WORDS_0
#define TUTTI_WORDS_1 a
#define TUTTI_WORDS_2 a, b
#define TUTTI_WORDS_3 a, b, c
#define TUTTI_WORDS_4 a, b, c, d
#define TUTTI_WORDS_5 a, b, c, d, e
#define TUTTI_WORDS_6 a, b, c, d, e, f
#define TUTTI_WORDS_7 a, b, c, d, e, f, g
#define TUTTI_WORDS_8 a, b, c, d, e, f, g, h
#define TUTTI_WORDS_9 a, b, c, d, e, f, g, h, i
#define TUTTI_WORDS_10 a, b, c, d, e, f, g, h, i, j
#define TUTTI_WORDS_11 a, b, c, d, e, f, g, h, i, j, k
#define TUTTI_WORDS_12 a, b, c, d, e, f, g, h, i, j, k, l
#define TUTTI_WORDS_13 a, b, c, d, e, f, g, h, i, j, k, l, m

/// The next library's function of such a name; in a program that Tutti is part of, the MPI
/// library's own.
#ifdef TUTTI_LINKED_IN
#define TUTTI_NEXT(mpi_name) reinterpret_cast<void*>(&PMPI_##mpi_name)
#define TUTTI_SAME_AS(mpi_name, parameters)
#else
#define TUTTI_NEXT(mpi_name) dlsym(RTLD_NEXT, "PMPI_" #mpi_name)
#define TUTTI_SAME_AS(mpi_name, parameters) \
  extern "C"                                \
      __attribute__((visibility("default"), \
                     alias("MPI_" #mpi_name))) int tutti_P##mpi_name parameters __asm__("PMPI_" #mpi_name);
#endif

/// In the library for profiling a call is counted, with the bytes that it sends; else it is only done.
#ifdef TUTTI_COUNTS
#define TUTTI_COUNT(mpi_name, sent, call)                                             \
  if (__builtin_expect(!tutti::interpose::is_ours(), 0)) return call();               \
  static const std::size_t number = tutti::run::number_of_function("MPI_" #mpi_name); \
  return tutti::run::counted_function(                                                \
      number, [&]() -> std::uint64_t { return sent; }, call)
#else
#define TUTTI_COUNT(mpi_name, sent, call) return call()
#endif

/// Calls the next library's function with the arguments that there are.
#define TUTTI_PASS(function, ...) tutti::interpose::pass_on(function __VA_OPT__(, ) __VA_ARGS__)

/// Defines the entry point of a function of `arguments` arguments, a, b, c and so on, of which
/// `sent` says how many bytes it sends. It goes on as it came to the next library, but where `ours`
/// is true, which it is on our MPI only, it does `how`. Going on costs two loads.
#define TUTTI_POINT(mpi_name, arguments, sent, ours, how)                                            \
  static_assert(tutti::interpose::parameters_of(decltype (&PMPI_##mpi_name)(nullptr)) == arguments); \
  TUTTI_DEFINE(mpi_name, TUTTI_PARAMETERS_##arguments) {                                             \
    static constinit std::atomic<void*> next{nullptr};                                               \
    void* function = next.load(std::memory_order_relaxed);                                           \
    if (__builtin_expect(!function, 0)) next = function = TUTTI_NEXT(mpi_name);                      \
    const auto pass = [&] { return TUTTI_PASS(function, TUTTI_WORDS_##arguments); };                 \
    const auto call = [&]() -> int { return __builtin_expect(ours, 0) ? how : pass(); };             \
    TUTTI_COUNT(mpi_name, sent, call);                                                               \
  }                                                                                                  \
  TUTTI_SAME_AS(mpi_name, TUTTI_PARAMETERS_##arguments)
