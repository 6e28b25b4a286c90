// The entry points that are only counted, in the library for profiling: messages between two ranks, what
// waits for them, and collectives that Tutti does not serve. They go on to the next library as they came.

#include <dlfcn.h>

#include "interpose/entry_points.hpp"
#include "runtime/function_counts.hpp"

using tutti::interpose::Word;

namespace {

// Bytes of so many elements; nothing where the type is none.
std::uint64_t size_of(Word count, Word type) {
  int size = 0;
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return static_cast<std::uint64_t>(static_cast<int>(count)) * static_cast<std::uint64_t>(size);
}

template <typename... Parameters>
constexpr int parameters_of(int (*)(Parameters...)) {
  return sizeof...(Parameters);
}

void* next_of(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

}  // namespace

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
#define TUTTI_PARAMETERS_12 \
  (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k, Word l)
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
#define TUTTI_WORDS_12 a, b, c, d, e, f, g, h, i, j, k, l

// An entry point of so many arguments, and what it sends.
#define TUTTI_COUNTED(mpi_name, arguments, sent)                                                   \
  static_assert(parameters_of(decltype (&PMPI_##mpi_name)(nullptr)) == arguments);                 \
  TUTTI_DEFINE(mpi_name, TUTTI_PARAMETERS_##arguments) {                                           \
    static void* const next = next_of("PMPI_" #mpi_name);                                          \
    const auto call = [&] { return tutti::interpose::pass_on(next, TUTTI_WORDS_##arguments); };    \
    if (__builtin_expect(!tutti::interpose::right_mpi(), 0)) return call();                        \
    static const std::size_t number = tutti::runtime::number_of_function("MPI_" #mpi_name);        \
    return tutti::runtime::counted_function(                                                       \
        number, [&]() -> std::uint64_t { return sent; }, call);                                    \
  }                                                                                                \
  extern "C" __attribute__((visibility("default"), alias("MPI_" #mpi_name))) int tutti_P##mpi_name \
      TUTTI_PARAMETERS_##arguments __asm__("PMPI_" #mpi_name);

TUTTI_COUNTED(Send, 6, size_of(b, c))
TUTTI_COUNTED(Bsend, 6, size_of(b, c))
TUTTI_COUNTED(Ssend, 6, size_of(b, c))
TUTTI_COUNTED(Rsend, 6, size_of(b, c))
TUTTI_COUNTED(Isend, 7, size_of(b, c))
TUTTI_COUNTED(Ibsend, 7, size_of(b, c))
TUTTI_COUNTED(Issend, 7, size_of(b, c))
TUTTI_COUNTED(Irsend, 7, size_of(b, c))
TUTTI_COUNTED(Recv, 7, 0)
TUTTI_COUNTED(Irecv, 7, 0)
TUTTI_COUNTED(Mrecv, 5, 0)
TUTTI_COUNTED(Imrecv, 5, 0)
TUTTI_COUNTED(Sendrecv, 12, size_of(b, c))
TUTTI_COUNTED(Sendrecv_replace, 9, size_of(b, c))
TUTTI_COUNTED(Probe, 4, 0)
TUTTI_COUNTED(Iprobe, 5, 0)
TUTTI_COUNTED(Mprobe, 5, 0)
TUTTI_COUNTED(Improbe, 6, 0)
TUTTI_COUNTED(Start, 1, 0)
TUTTI_COUNTED(Startall, 2, 0)
TUTTI_COUNTED(Wait, 2, 0)
TUTTI_COUNTED(Waitall, 3, 0)
TUTTI_COUNTED(Waitany, 4, 0)
TUTTI_COUNTED(Waitsome, 5, 0)
TUTTI_COUNTED(Test, 3, 0)
TUTTI_COUNTED(Testall, 4, 0)
TUTTI_COUNTED(Testany, 5, 0)
TUTTI_COUNTED(Testsome, 5, 0)
TUTTI_COUNTED(Ibarrier, 2, 0)
TUTTI_COUNTED(Ibcast, 6, size_of(b, c))
TUTTI_COUNTED(Igather, 9, 0)
TUTTI_COUNTED(Igatherv, 10, 0)
TUTTI_COUNTED(Iscatter, 9, 0)
TUTTI_COUNTED(Iscatterv, 10, 0)
TUTTI_COUNTED(Iallgather, 8, 0)
TUTTI_COUNTED(Iallgatherv, 9, 0)
TUTTI_COUNTED(Ialltoall, 8, 0)
TUTTI_COUNTED(Ialltoallv, 10, 0)
TUTTI_COUNTED(Ialltoallw, 10, 0)
TUTTI_COUNTED(Ireduce, 8, size_of(c, d))
TUTTI_COUNTED(Iallreduce, 7, size_of(c, d))
TUTTI_COUNTED(Ireduce_scatter, 7, 0)
TUTTI_COUNTED(Ireduce_scatter_block, 7, 0)
TUTTI_COUNTED(Iscan, 7, size_of(c, d))
TUTTI_COUNTED(Iexscan, 7, size_of(c, d))
TUTTI_COUNTED(Alltoallw, 9, 0)
TUTTI_COUNTED(Neighbor_allgather, 7, 0)
TUTTI_COUNTED(Neighbor_allgatherv, 8, 0)
TUTTI_COUNTED(Neighbor_alltoall, 7, 0)
TUTTI_COUNTED(Neighbor_alltoallv, 9, 0)
TUTTI_COUNTED(Neighbor_alltoallw, 9, 0)
TUTTI_COUNTED(Ineighbor_allgather, 8, 0)
TUTTI_COUNTED(Ineighbor_allgatherv, 9, 0)
TUTTI_COUNTED(Ineighbor_alltoall, 8, 0)
TUTTI_COUNTED(Ineighbor_alltoallv, 10, 0)
TUTTI_COUNTED(Ineighbor_alltoallw, 10, 0)
