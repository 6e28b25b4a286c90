#include "run/calls/call.hpp"

namespace tutti::run {
namespace {

// A function, its nonblocking form and its persistent one, which the library may not have.
#if MPI_VERSION >= 4
#define TUTTI_FORMS(name) mpi.name, mpi.i##name, mpi.name##_init
#define TUTTI_LARGE(name) mpi.name##_c, mpi.i##name##_c, mpi.name##_init_c
#else
#define TUTTI_FORMS(name) mpi.name, mpi.i##name, nullptr
#endif

// Calls invoke(the three, all arguments but the last, which is the communicator).
template <typename Invoke>
int with_ints(Collective collective, const Call& c, Invoke&& invoke) {
  const NativeCollectives& mpi = native();
  const auto sendcount = static_cast<int>(c.sendcount), recvcount = static_cast<int>(c.recvcount);
  switch (collective) {
    case Collective::barrier:
      return invoke(TUTTI_FORMS(barrier));
    case Collective::bcast:
      return invoke(TUTTI_FORMS(bcast), c.recvbuf, recvcount, c.recvtype, c.root);
    case Collective::gather:
      return invoke(TUTTI_FORMS(gather), c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype,
                    c.root);
    case Collective::gatherv:
      return invoke(TUTTI_FORMS(gatherv), c.sendbuf, sendcount, c.sendtype, c.recvbuf, c.recvcounts.ints(),
                    c.recvdispls.ints(), c.recvtype, c.root);
    case Collective::scatter:
      return invoke(TUTTI_FORMS(scatter), c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype,
                    c.root);
    case Collective::scatterv:
      return invoke(TUTTI_FORMS(scatterv), c.sendbuf, c.sendcounts.ints(), c.senddispls.ints(), c.sendtype,
                    c.recvbuf, recvcount, c.recvtype, c.root);
    case Collective::allgather:
      return invoke(TUTTI_FORMS(allgather), c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount,
                    c.recvtype);
    case Collective::allgatherv:
      return invoke(TUTTI_FORMS(allgatherv), c.sendbuf, sendcount, c.sendtype, c.recvbuf, c.recvcounts.ints(),
                    c.recvdispls.ints(), c.recvtype);
    case Collective::alltoall:
      return invoke(TUTTI_FORMS(alltoall), c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount,
                    c.recvtype);
    case Collective::alltoallv:
      return invoke(TUTTI_FORMS(alltoallv), c.sendbuf, c.sendcounts.ints(), c.senddispls.ints(), c.sendtype,
                    c.recvbuf, c.recvcounts.ints(), c.recvdispls.ints(), c.recvtype);
    case Collective::alltoallw:
      return invoke(TUTTI_FORMS(alltoallw), c.sendbuf, c.sendcounts.ints(), c.senddispls.ints(), c.sendtypes,
                    c.recvbuf, c.recvcounts.ints(), c.recvdispls.ints(), c.recvtypes);
    case Collective::reduce:
      return invoke(TUTTI_FORMS(reduce), c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.root);
    case Collective::allreduce:
      return invoke(TUTTI_FORMS(allreduce), c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op);
    case Collective::reduce_scatter_block:
      return invoke(TUTTI_FORMS(reduce_scatter_block), c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op);
    case Collective::reduce_scatter:
      return invoke(TUTTI_FORMS(reduce_scatter), c.sendbuf, c.recvbuf, c.recvcounts.ints(), c.recvtype, c.op);
    case Collective::scan:
      return invoke(TUTTI_FORMS(scan), c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op);
    case Collective::exscan:
      return invoke(TUTTI_FORMS(exscan), c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op);
    case Collective::neighbor_allgather:
      return invoke(TUTTI_FORMS(neighbor_allgather), c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount,
                    c.recvtype);
    case Collective::neighbor_allgatherv:
      return invoke(TUTTI_FORMS(neighbor_allgatherv), c.sendbuf, sendcount, c.sendtype, c.recvbuf,
                    c.recvcounts.ints(), c.recvdispls.ints(), c.recvtype);
    case Collective::neighbor_alltoall:
      return invoke(TUTTI_FORMS(neighbor_alltoall), c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount,
                    c.recvtype);
    case Collective::neighbor_alltoallv:
      return invoke(TUTTI_FORMS(neighbor_alltoallv), c.sendbuf, c.sendcounts.ints(), c.senddispls.ints(),
                    c.sendtype, c.recvbuf, c.recvcounts.ints(), c.recvdispls.ints(), c.recvtype);
    case Collective::neighbor_alltoallw:
      return invoke(TUTTI_FORMS(neighbor_alltoallw), c.sendbuf, c.sendcounts.ints(),
                    c.senddispls.displacements(), c.sendtypes, c.recvbuf, c.recvcounts.ints(),
                    c.recvdispls.displacements(), c.recvtypes);
  }
  return MPI_ERR_INTERN;
}

#if MPI_VERSION >= 4
template <typename Invoke>
int with_large_counts(Collective collective, const Call& c, Invoke&& invoke) {
  const NativeCollectives& mpi = native();
  switch (collective) {
    case Collective::bcast:
      return invoke(TUTTI_LARGE(bcast), c.recvbuf, c.recvcount, c.recvtype, c.root);
    case Collective::gather:
      return invoke(TUTTI_LARGE(gather), c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount,
                    c.recvtype, c.root);
    case Collective::gatherv:
      return invoke(TUTTI_LARGE(gatherv), c.sendbuf, c.sendcount, c.sendtype, c.recvbuf,
                    c.recvcounts.counts(), c.recvdispls.displacements(), c.recvtype, c.root);
    case Collective::scatter:
      return invoke(TUTTI_LARGE(scatter), c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount,
                    c.recvtype, c.root);
    case Collective::scatterv:
      return invoke(TUTTI_LARGE(scatterv), c.sendbuf, c.sendcounts.counts(), c.senddispls.displacements(),
                    c.sendtype, c.recvbuf, c.recvcount, c.recvtype, c.root);
    case Collective::allgather:
      return invoke(TUTTI_LARGE(allgather), c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount,
                    c.recvtype);
    case Collective::allgatherv:
      return invoke(TUTTI_LARGE(allgatherv), c.sendbuf, c.sendcount, c.sendtype, c.recvbuf,
                    c.recvcounts.counts(), c.recvdispls.displacements(), c.recvtype);
    case Collective::alltoall:
      return invoke(TUTTI_LARGE(alltoall), c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount,
                    c.recvtype);
    case Collective::alltoallv:
      return invoke(TUTTI_LARGE(alltoallv), c.sendbuf, c.sendcounts.counts(), c.senddispls.displacements(),
                    c.sendtype, c.recvbuf, c.recvcounts.counts(), c.recvdispls.displacements(), c.recvtype);
    case Collective::alltoallw:
      return invoke(TUTTI_LARGE(alltoallw), c.sendbuf, c.sendcounts.counts(), c.senddispls.displacements(),
                    c.sendtypes, c.recvbuf, c.recvcounts.counts(), c.recvdispls.displacements(), c.recvtypes);
    case Collective::reduce:
      return invoke(TUTTI_LARGE(reduce), c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op, c.root);
    case Collective::allreduce:
      return invoke(TUTTI_LARGE(allreduce), c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op);
    case Collective::reduce_scatter_block:
      return invoke(TUTTI_LARGE(reduce_scatter_block), c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op);
    case Collective::reduce_scatter:
      return invoke(TUTTI_LARGE(reduce_scatter), c.sendbuf, c.recvbuf, c.recvcounts.counts(), c.recvtype,
                    c.op);
    case Collective::scan:
      return invoke(TUTTI_LARGE(scan), c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op);
    case Collective::exscan:
      return invoke(TUTTI_LARGE(exscan), c.sendbuf, c.recvbuf, c.recvcount, c.recvtype, c.op);
    case Collective::neighbor_allgather:
      return invoke(TUTTI_LARGE(neighbor_allgather), c.sendbuf, c.sendcount, c.sendtype, c.recvbuf,
                    c.recvcount, c.recvtype);
    case Collective::neighbor_allgatherv:
      return invoke(TUTTI_LARGE(neighbor_allgatherv), c.sendbuf, c.sendcount, c.sendtype, c.recvbuf,
                    c.recvcounts.counts(), c.recvdispls.displacements(), c.recvtype);
    case Collective::neighbor_alltoall:
      return invoke(TUTTI_LARGE(neighbor_alltoall), c.sendbuf, c.sendcount, c.sendtype, c.recvbuf,
                    c.recvcount, c.recvtype);
    case Collective::neighbor_alltoallv:
      return invoke(TUTTI_LARGE(neighbor_alltoallv), c.sendbuf, c.sendcounts.counts(),
                    c.senddispls.displacements(), c.sendtype, c.recvbuf, c.recvcounts.counts(),
                    c.recvdispls.displacements(), c.recvtype);
    case Collective::neighbor_alltoallw:
      return invoke(TUTTI_LARGE(neighbor_alltoallw), c.sendbuf, c.sendcounts.counts(),
                    c.senddispls.displacements(), c.sendtypes, c.recvbuf, c.recvcounts.counts(),
                    c.recvdispls.displacements(), c.recvtypes);
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
  return with_counts(collective, call, [comm](auto* function, auto*, auto, auto... arguments) {
    return function(arguments..., comm);
  });
}

int start_natively(Collective collective, MPI_Comm comm, const Call& call, MPI_Request* request) {
  return with_counts(collective, call, [comm, request](auto*, auto* function, auto, auto... arguments) {
    return function(arguments..., comm, request);
  });
}

#if MPI_VERSION >= 4
int init_natively(Collective collective, MPI_Comm comm, const Call& call, MPI_Info info,
                  MPI_Request* request) {
  return with_counts(collective, call,
                     [comm, info, request](auto*, auto*, auto* function, auto... arguments) {
                       return function(arguments..., comm, info, request);
                     });
}
#endif

}  // namespace tutti::run
