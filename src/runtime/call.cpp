#include "runtime/call.hpp"

namespace tutti::runtime {
namespace {

int run_with_ints(Collective collective, MPI_Comm comm, const Call& c) {
  const NativeCollectives& mpi = native();
  const auto sendcount = static_cast<int>(c.sendcount), recvcount = static_cast<int>(c.recvcount);
  switch (collective) {
    case Collective::barrier:
      return mpi.barrier(comm);
    case Collective::bcast:
      return mpi.bcast(c.recvbuf, recvcount, c.recvtype, c.root, comm);
    case Collective::gather:
      return mpi.gather(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype, c.root, comm);
    case Collective::gatherv:
      return mpi.gatherv(c.sendbuf, sendcount, c.sendtype, c.recvbuf, c.recvcounts.ints(),
                         c.recvdispls.ints(), c.recvtype, c.root, comm);
    case Collective::scatter:
      return mpi.scatter(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype, c.root, comm);
    case Collective::scatterv:
      return mpi.scatterv(c.sendbuf, c.sendcounts.ints(), c.senddispls.ints(), c.sendtype, c.recvbuf,
                          recvcount, c.recvtype, c.root, comm);
    case Collective::allgather:
      return mpi.allgather(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype, comm);
    case Collective::allgatherv:
      return mpi.allgatherv(c.sendbuf, sendcount, c.sendtype, c.recvbuf, c.recvcounts.ints(),
                            c.recvdispls.ints(), c.recvtype, comm);
    case Collective::alltoall:
      return mpi.alltoall(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype, comm);
    case Collective::alltoallv:
      return mpi.alltoallv(c.sendbuf, c.sendcounts.ints(), c.senddispls.ints(), c.sendtype, c.recvbuf,
                           c.recvcounts.ints(), c.recvdispls.ints(), c.recvtype, comm);
    case Collective::reduce:
      return mpi.reduce(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.root, comm);
    case Collective::allreduce:
      return mpi.allreduce(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, comm);
    case Collective::reduce_scatter_block:
      return mpi.reduce_scatter_block(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, comm);
    case Collective::reduce_scatter:
      return mpi.reduce_scatter(c.sendbuf, c.recvbuf, c.recvcounts.ints(), c.recvtype, c.op, comm);
    case Collective::scan:
      return mpi.scan(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, comm);
    case Collective::exscan:
      return mpi.exscan(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, comm);
  }
  return MPI_ERR_INTERN;
}

#if MPI_VERSION >= 4
int run_with_large_counts(Collective collective, MPI_Comm comm, const Call& c) {
  const NativeCollectives& mpi = native();
  switch (collective) {
    case Collective::bcast:
      return mpi.bcast_c(c.recvbuf, c.recvcount, c.recvtype, c.root, comm);
    case Collective::gather:
      return mpi.gather_c(c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount, c.recvtype, c.root,
                          comm);
    case Collective::gatherv:
      return mpi.gatherv_c(c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcounts.counts(),
                           c.recvdispls.displacements(), c.recvtype, c.root, comm);
    case Collective::scatter:
      return mpi.scatter_c(c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount, c.recvtype, c.root,
                           comm);
    case Collective::scatterv:
      return mpi.scatterv_c(c.sendbuf, c.sendcounts.counts(), c.senddispls.displacements(), c.sendtype,
                            c.recvbuf, c.recvcount, c.recvtype, c.root, comm);
    case Collective::allgather:
      return mpi.allgather_c(c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount, c.recvtype, comm);
    case Collective::allgatherv:
      return mpi.allgatherv_c(c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcounts.counts(),
                              c.recvdispls.displacements(), c.recvtype, comm);
    case Collective::alltoall:
      return mpi.alltoall_c(c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount, c.recvtype, comm);
    case Collective::alltoallv:
      return mpi.alltoallv_c(c.sendbuf, c.sendcounts.counts(), c.senddispls.displacements(), c.sendtype,
                             c.recvbuf, c.recvcounts.counts(), c.recvdispls.displacements(), c.recvtype,
                             comm);
    case Collective::reduce:
      return mpi.reduce_c(c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op, c.root, comm);
    case Collective::allreduce:
      return mpi.allreduce_c(c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op, comm);
    case Collective::reduce_scatter_block:
      return mpi.reduce_scatter_block_c(c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op, comm);
    case Collective::reduce_scatter:
      return mpi.reduce_scatter_c(c.sendbuf, c.recvbuf, c.recvcounts.counts(), c.recvtype, c.op, comm);
    case Collective::scan:
      return mpi.scan_c(c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op, comm);
    case Collective::exscan:
      return mpi.exscan_c(c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op, comm);
    default:
      return MPI_ERR_INTERN;
  }
}
#endif

}  // namespace

int run_natively(Collective collective, MPI_Comm comm, const Call& call) {
#if MPI_VERSION >= 4
  if (call.large) return run_with_large_counts(collective, comm, call);
#endif
  return run_with_ints(collective, comm, call);
}

}  // namespace tutti::runtime
