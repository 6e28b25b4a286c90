#pragma once

#include <mpi.h>

/// The collectives that Tutti serves: X(name in C++, name in MPI).
#define TUTTI_COLLECTIVES(X)                    \
  X(barrier, Barrier)                           \
  X(bcast, Bcast)                               \
  X(gather, Gather)                             \
  X(gatherv, Gatherv)                           \
  X(scatter, Scatter)                           \
  X(scatterv, Scatterv)                         \
  X(allgather, Allgather)                       \
  X(allgatherv, Allgatherv)                     \
  X(alltoall, Alltoall)                         \
  X(alltoallv, Alltoallv)                       \
  X(reduce, Reduce)                             \
  X(allreduce, Allreduce)                       \
  X(reduce_scatter_block, Reduce_scatter_block) \
  X(reduce_scatter, Reduce_scatter)             \
  X(scan, Scan)                                 \
  X(exscan, Exscan)

/// Their versions for large counts, where the MPI library has them.
#if MPI_VERSION >= 4
#define TUTTI_LARGE_COLLECTIVES(X)                  \
  X(bcast_c, Bcast_c)                               \
  X(gather_c, Gather_c)                             \
  X(gatherv_c, Gatherv_c)                           \
  X(scatter_c, Scatter_c)                           \
  X(scatterv_c, Scatterv_c)                         \
  X(allgather_c, Allgather_c)                       \
  X(allgatherv_c, Allgatherv_c)                     \
  X(alltoall_c, Alltoall_c)                         \
  X(alltoallv_c, Alltoallv_c)                       \
  X(reduce_c, Reduce_c)                             \
  X(allreduce_c, Allreduce_c)                       \
  X(reduce_scatter_block_c, Reduce_scatter_block_c) \
  X(reduce_scatter_c, Reduce_scatter_c)             \
  X(scan_c, Scan_c)                                 \
  X(exscan_c, Exscan_c)
#else
#define TUTTI_LARGE_COLLECTIVES(X)
#endif

/// The same that return at once.
#define TUTTI_NONBLOCKING_COLLECTIVES(X)          \
  X(ibarrier, Ibarrier)                           \
  X(ibcast, Ibcast)                               \
  X(igather, Igather)                             \
  X(igatherv, Igatherv)                           \
  X(iscatter, Iscatter)                           \
  X(iscatterv, Iscatterv)                         \
  X(iallgather, Iallgather)                       \
  X(iallgatherv, Iallgatherv)                     \
  X(ialltoall, Ialltoall)                         \
  X(ialltoallv, Ialltoallv)                       \
  X(ireduce, Ireduce)                             \
  X(iallreduce, Iallreduce)                       \
  X(ireduce_scatter_block, Ireduce_scatter_block) \
  X(ireduce_scatter, Ireduce_scatter)             \
  X(iscan, Iscan)                                 \
  X(iexscan, Iexscan)

#if MPI_VERSION >= 4
#define TUTTI_LARGE_NONBLOCKING_COLLECTIVES(X)        \
  X(ibcast_c, Ibcast_c)                               \
  X(igather_c, Igather_c)                             \
  X(igatherv_c, Igatherv_c)                           \
  X(iscatter_c, Iscatter_c)                           \
  X(iscatterv_c, Iscatterv_c)                         \
  X(iallgather_c, Iallgather_c)                       \
  X(iallgatherv_c, Iallgatherv_c)                     \
  X(ialltoall_c, Ialltoall_c)                         \
  X(ialltoallv_c, Ialltoallv_c)                       \
  X(ireduce_c, Ireduce_c)                             \
  X(iallreduce_c, Iallreduce_c)                       \
  X(ireduce_scatter_block_c, Ireduce_scatter_block_c) \
  X(ireduce_scatter_c, Ireduce_scatter_c)             \
  X(iscan_c, Iscan_c)                                 \
  X(iexscan_c, Iexscan_c)
#else
#define TUTTI_LARGE_NONBLOCKING_COLLECTIVES(X)
#endif

/// All of them.
#define TUTTI_NATIVE_COLLECTIVES(X) \
  TUTTI_COLLECTIVES(X)              \
  TUTTI_LARGE_COLLECTIVES(X)        \
  TUTTI_NONBLOCKING_COLLECTIVES(X)  \
  TUTTI_LARGE_NONBLOCKING_COLLECTIVES(X)

namespace tutti::runtime {

/// The entry points of the MPI library itself, past anything that Tutti interposes. Every way of running
/// Tutti says in one place what they are: preloaded, the next library's; linked in, the PMPI entry points.
struct NativeCollectives {
#define TUTTI_MEMBER(name, mpi_name) decltype(&PMPI_##mpi_name) name;
  TUTTI_NATIVE_COLLECTIVES(TUTTI_MEMBER)
  TUTTI_MEMBER(finalize, Finalize)
#undef TUTTI_MEMBER
};
const NativeCollectives& native();

}  // namespace tutti::runtime
