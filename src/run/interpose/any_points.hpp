#pragma once

#include <mpi.h>

#include "arguments.inc"
#include "run/interpose/entry_points.hpp"
#include "run/interpose/lacking.hpp"
#include "run/mpi/native.hpp"
#include "run/process/function_counts.hpp"

namespace tutti::interpose {

/// Bytes of `count` elements, in a call that has succeeded. `Count` is the type of the function's
/// counts.
template <typename Count = int>
std::uint64_t size_of(run::Word count, run::Word type) {
  const auto elements = static_cast<Count>(count);
  int size = 0;
  if (elements == 0) return 0;  // of any type
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return static_cast<std::uint64_t>(elements) * static_cast<std::uint64_t>(size);
}

/// Bytes of one element, in a call that has succeeded.
inline std::uint64_t size_of_one(run::Word type) {
  int size = 0;
  return PMPI_Type_size(type, &size) == MPI_SUCCESS && size > 0 ? static_cast<std::uint64_t>(size) : 0;
}

}  // namespace tutti::interpose

/// In the library for profiling a call is counted, with the bytes that it sends, or moves from or
/// to a window or a file; else it is only done.
#ifdef TUTTI_COUNTS
#define TUTTI_COUNT(mpi_name, sent, call)                                      \
  if (__builtin_expect(!tutti::interpose::is_ours(), 0)) return call();        \
  static const std::size_t number = tutti::run::number_of_function(#mpi_name); \
  return tutti::run::counted_function(                                         \
      number, [&]() -> std::uint64_t { return sent; }, call)
#else
#define TUTTI_COUNT(mpi_name, sent, call) return call()
#endif

/// Calls the next library's function with the arguments that there are.
#define TUTTI_PASS(function, ...) tutti::run::pass_on(function __VA_OPT__(, ) __VA_ARGS__)

/// Defines the entry point of a function of `arguments` arguments, a, b, c and so on, of which
/// `sent` says how many bytes it sends. It goes on as it came to the next library, but where `ours`
/// is true, which it is on our MPI only, it does `how`. Going on costs two loads. Where the library
/// that runs has no such function, a call of it is a mistake.
#define TUTTI_POINT(mpi_name, arguments, sent, ours, how)                                  \
  static_assert(tutti::interpose::arguments_of_##mpi_name == arguments);                   \
  TUTTI_DEFINE(mpi_name, (TUTTI_ARGUMENTS_##arguments(Word))) {                            \
    static constinit const tutti::run::NextNative<void*> next{"P" #mpi_name};              \
    void* function = next.get();                                                           \
    if (__builtin_expect(!function, 0)) return tutti::interpose::lacking(#mpi_name);       \
    const auto pass = [&] { return TUTTI_PASS(function, TUTTI_ARGUMENTS_##arguments()); }; \
    const auto call = [&]() -> int { return __builtin_expect(ours, 0) ? how : pass(); };   \
    TUTTI_COUNT(mpi_name, sent, call);                                                     \
  }
