#pragma once

#include <mpi.h>

/// The collectives with counts that Tutti serves: X(name in C++, name in MPI, that of the nonblocking form).
#define TUTTI_COLLECTIVES_WITH_COUNTS(X)                               \
  X(bcast, Bcast, Ibcast)                                              \
  X(gather, Gather, Igather)                                           \
  X(gatherv, Gatherv, Igatherv)                                        \
  X(scatter, Scatter, Iscatter)                                        \
  X(scatterv, Scatterv, Iscatterv)                                     \
  X(allgather, Allgather, Iallgather)                                  \
  X(allgatherv, Allgatherv, Iallgatherv)                               \
  X(alltoall, Alltoall, Ialltoall)                                     \
  X(alltoallv, Alltoallv, Ialltoallv)                                  \
  X(alltoallw, Alltoallw, Ialltoallw)                                  \
  X(reduce, Reduce, Ireduce)                                           \
  X(allreduce, Allreduce, Iallreduce)                                  \
  X(reduce_scatter_block, Reduce_scatter_block, Ireduce_scatter_block) \
  X(reduce_scatter, Reduce_scatter, Ireduce_scatter)                   \
  X(scan, Scan, Iscan)                                                 \
  X(exscan, Exscan, Iexscan)                                           \
  X(neighbor_allgather, Neighbor_allgather, Ineighbor_allgather)       \
  X(neighbor_allgatherv, Neighbor_allgatherv, Ineighbor_allgatherv)    \
  X(neighbor_alltoall, Neighbor_alltoall, Ineighbor_alltoall)          \
  X(neighbor_alltoallv, Neighbor_alltoallv, Ineighbor_alltoallv)       \
  X(neighbor_alltoallw, Neighbor_alltoallw, Ineighbor_alltoallw)

/// All collectives that Tutti serves.
#define TUTTI_COLLECTIVES(X) X(barrier, Barrier, Ibarrier) TUTTI_COLLECTIVES_WITH_COUNTS(X)

/// TUTTI_ENTRY(name in C++, name in MPI) for each of their forms: blocking, nonblocking, and where the MPI
/// library has them persistent ones, all with large counts, too.
#define TUTTI_BOTH_FORMS(name, mpi_name, nonblocking) \
  TUTTI_ENTRY(name, mpi_name) TUTTI_ENTRY(i##name, nonblocking)
#if MPI_VERSION >= 4
#define TUTTI_ALL_FORMS(name, mpi_name, nonblocking) \
  TUTTI_BOTH_FORMS(name, mpi_name, nonblocking) TUTTI_ENTRY(name##_init, mpi_name##_init)
#define TUTTI_LARGE_FORMS(name, mpi_name, nonblocking) \
  TUTTI_BOTH_FORMS(name##_c, mpi_name##_c, nonblocking##_c) TUTTI_ENTRY(name##_init_c, mpi_name##_init_c)
#define TUTTI_NATIVE_COLLECTIVES \
  TUTTI_COLLECTIVES(TUTTI_ALL_FORMS) TUTTI_COLLECTIVES_WITH_COUNTS(TUTTI_LARGE_FORMS)
#else
#define TUTTI_NATIVE_COLLECTIVES TUTTI_COLLECTIVES(TUTTI_BOTH_FORMS)
#endif

namespace tutti::run {

/// The entry points of the MPI library itself, past anything that Tutti interposes. Every way of running
/// Tutti says in one place what they are: preloaded, the next library's; linked in, the PMPI entry points.
struct NativeCollectives {
#define TUTTI_ENTRY(name, mpi_name) decltype(&PMPI_##mpi_name) name;
  TUTTI_NATIVE_COLLECTIVES
  TUTTI_ENTRY(finalize, Finalize)
#undef TUTTI_ENTRY
};
const NativeCollectives& native();

}  // namespace tutti::run
