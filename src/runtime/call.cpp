#include "runtime/call.hpp"

namespace tutti::runtime {
namespace {

// Calls invoke(function, its nonblocking form, all arguments but the last, which is the communicator).
template <typename Invoke>
int with_ints(Collective collective, const Call& c, Invoke&& invoke) {
  const NativeCollectives& mpi = native();
  const auto sendcount = static_cast<int>(c.sendcount), recvcount = static_cast<int>(c.recvcount);
  switch (collective) {
    case Collective::barrier:
      return invoke(mpi.barrier, mpi.ibarrier);
    case Collective::bcast:
      return invoke(mpi.bcast, mpi.ibcast, c.recvbuf, recvcount, c.recvtype, c.root);
    case Collective::gather:
      return invoke(mpi.gather, mpi.igather, c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount,
                    c.recvtype, c.root);
    case Collective::gatherv:
      return invoke(mpi.gatherv, mpi.igatherv, c.sendbuf, sendcount, c.sendtype, c.recvbuf,
                    c.recvcounts.ints(), c.recvdispls.ints(), c.recvtype, c.root);
    case Collective::scatter:
      return invoke(mpi.scatter, mpi.iscatter, c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount,
                    c.recvtype, c.root);
    case Collective::scatterv:
      return invoke(mpi.scatterv, mpi.iscatterv, c.sendbuf, c.sendcounts.ints(), c.senddispls.ints(),
                    c.sendtype, c.recvbuf, recvcount, c.recvtype, c.root);
    case Collective::allgather:
      return invoke(mpi.allgather, mpi.iallgather, c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount,
                    c.recvtype);
    case Collective::allgatherv:
      return invoke(mpi.allgatherv, mpi.iallgatherv, c.sendbuf, sendcount, c.sendtype, c.recvbuf,
                    c.recvcounts.ints(), c.recvdispls.ints(), c.recvtype);
    case Collective::alltoall:
      return invoke(mpi.alltoall, mpi.ialltoall, c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount,
                    c.recvtype);
    case Collective::alltoallv:
      return invoke(mpi.alltoallv, mpi.ialltoallv, c.sendbuf, c.sendcounts.ints(), c.senddispls.ints(),
                    c.sendtype, c.recvbuf, c.recvcounts.ints(), c.recvdispls.ints(), c.recvtype);
    case Collective::reduce:
      return invoke(mpi.reduce, mpi.ireduce, c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.root);
    case Collective::allreduce:
      return invoke(mpi.allreduce, mpi.iallreduce, c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op);
    case Collective::reduce_scatter_block:
      return invoke(mpi.reduce_scatter_block, mpi.ireduce_scatter_block, c.sendbuf, c.recvbuf, recvcount,
                    c.recvtype, c.op);
    case Collective::reduce_scatter:
      return invoke(mpi.reduce_scatter, mpi.ireduce_scatter, c.sendbuf, c.recvbuf, c.recvcounts.ints(),
                    c.recvtype, c.op);
    case Collective::scan:
      return invoke(mpi.scan, mpi.iscan, c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op);
    case Collective::exscan:
      return invoke(mpi.exscan, mpi.iexscan, c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op);
  }
  return MPI_ERR_INTERN;
}

#if MPI_VERSION >= 4
template <typename Invoke>
int with_large_counts(Collective collective, const Call& c, Invoke&& invoke) {
  const NativeCollectives& mpi = native();
  switch (collective) {
    case Collective::bcast:
      return invoke(mpi.bcast_c, mpi.ibcast_c, c.recvbuf, c.recvcount, c.recvtype, c.root);
    case Collective::gather:
      return invoke(mpi.gather_c, mpi.igather_c, c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount,
                    c.recvtype, c.root);
    case Collective::gatherv:
      return invoke(mpi.gatherv_c, mpi.igatherv_c, c.sendbuf, c.sendcount, c.sendtype, c.recvbuf,
                    c.recvcounts.counts(), c.recvdispls.displacements(), c.recvtype, c.root);
    case Collective::scatter:
      return invoke(mpi.scatter_c, mpi.iscatter_c, c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount,
                    c.recvtype, c.root);
    case Collective::scatterv:
      return invoke(mpi.scatterv_c, mpi.iscatterv_c, c.sendbuf, c.sendcounts.counts(),
                    c.senddispls.displacements(), c.sendtype, c.recvbuf, c.recvcount, c.recvtype, c.root);
    case Collective::allgather:
      return invoke(mpi.allgather_c, mpi.iallgather_c, c.sendbuf, c.sendcount, c.sendtype, c.recvbuf,
                    c.recvcount, c.recvtype);
    case Collective::allgatherv:
      return invoke(mpi.allgatherv_c, mpi.iallgatherv_c, c.sendbuf, c.sendcount, c.sendtype, c.recvbuf,
                    c.recvcounts.counts(), c.recvdispls.displacements(), c.recvtype);
    case Collective::alltoall:
      return invoke(mpi.alltoall_c, mpi.ialltoall_c, c.sendbuf, c.sendcount, c.sendtype, c.recvbuf,
                    c.recvcount, c.recvtype);
    case Collective::alltoallv:
      return invoke(mpi.alltoallv_c, mpi.ialltoallv_c, c.sendbuf, c.sendcounts.counts(),
                    c.senddispls.displacements(), c.sendtype, c.recvbuf, c.recvcounts.counts(),
                    c.recvdispls.displacements(), c.recvtype);
    case Collective::reduce:
      return invoke(mpi.reduce_c, mpi.ireduce_c, c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op, c.root);
    case Collective::allreduce:
      return invoke(mpi.allreduce_c, mpi.iallreduce_c, c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op);
    case Collective::reduce_scatter_block:
      return invoke(mpi.reduce_scatter_block_c, mpi.ireduce_scatter_block_c, c.sendbuf, c.recvbuf,
                    c.recvcount, c.recvtype, c.op);
    case Collective::reduce_scatter:
      return invoke(mpi.reduce_scatter_c, mpi.ireduce_scatter_c, c.sendbuf, c.recvbuf, c.recvcounts.counts(),
                    c.recvtype, c.op);
    case Collective::scan:
      return invoke(mpi.scan_c, mpi.iscan_c, c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op);
    case Collective::exscan:
      return invoke(mpi.exscan_c, mpi.iexscan_c, c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op);
    default:
      return MPI_ERR_INTERN;
  }
}
#endif

template <typename Invoke>
int with_counts(Collective collective, const Call& call, Invoke&& invoke) {
#if MPI_VERSION >= 4
  if (call.large) return with_large_counts(collective, call, invoke);
#endif
  return with_ints(collective, call, invoke);
}

}  // namespace

int run_natively(Collective collective, MPI_Comm comm, const Call& call) {
  return with_counts(collective, call, [comm](auto* function, auto*, auto... arguments) {
    return function(arguments..., comm);
  });
}

int start_natively(Collective collective, MPI_Comm comm, const Call& call, MPI_Request* request) {
  return with_counts(collective, call, [comm, request](auto*, auto* function, auto... arguments) {
    return function(arguments..., comm, request);
  });
}

}  // namespace tutti::runtime
