#pragma once

#include "run/mpi/call.hpp"

namespace tutti::run {

/// The arguments of a collective in MPI's order, as members of a call. The communicator comes after
/// them.
template <auto... members>
struct Signature {
  static constexpr std::size_t size = sizeof...(members);
};

template <auto... first, auto... then>
constexpr Signature<first..., then...> operator+(Signature<first...>, Signature<then...>) {
  return {};
}

/// The parts that signatures consist of, by MPI's endings: with `v` each block has a count and a
/// displacement, with `w` a type as well. `reduce` is what those that combine values have.
namespace arguments {
inline constexpr Signature<> none;
inline constexpr Signature<&Call::root> root;
inline constexpr Signature<&Call::sendbuf, &Call::sendcount, &Call::sendtype> send;
inline constexpr Signature<&Call::sendbuf, &Call::sendcounts, &Call::senddispls, &Call::sendtype> sendv;
inline constexpr Signature<&Call::sendbuf, &Call::sendcounts, &Call::senddispls, &Call::sendtypes> sendw;
inline constexpr Signature<&Call::recvbuf, &Call::recvcount, &Call::recvtype> recv;
inline constexpr Signature<&Call::recvbuf, &Call::recvcounts, &Call::recvdispls, &Call::recvtype> recvv;
inline constexpr Signature<&Call::recvbuf, &Call::recvcounts, &Call::recvdispls, &Call::recvtypes> recvw;
inline constexpr Signature<&Call::sendbuf, &Call::recvbuf, &Call::recvcount, &Call::recvtype, &Call::op>
    reduce;
inline constexpr Signature<&Call::sendbuf, &Call::recvbuf, &Call::recvcounts, &Call::recvtype, &Call::op>
    reducev;
}  // namespace arguments

// The columns are the name in C++, the blocking function, the nonblocking one, how many arguments
// the blocking one has, and what stands before the communicator. The persistent function is named
// as the blocking one with _init at the end. The functions with large counts have _c at the end of
// their names.
// clang-format off
#define TUTTI_COLLECTIVES_WITH_COUNTS(X)                                                          \
  X(bcast, MPI_Bcast, MPI_Ibcast, 5, recv + root)                                                 \
  X(gather, MPI_Gather, MPI_Igather, 8, send + recv + root)                                       \
  X(gatherv, MPI_Gatherv, MPI_Igatherv, 9, send + recvv + root)                                   \
  X(scatter, MPI_Scatter, MPI_Iscatter, 8, send + recv + root)                                    \
  X(scatterv, MPI_Scatterv, MPI_Iscatterv, 9, sendv + recv + root)                                \
  X(allgather, MPI_Allgather, MPI_Iallgather, 7, send + recv)                                     \
  X(allgatherv, MPI_Allgatherv, MPI_Iallgatherv, 8, send + recvv)                                 \
  X(alltoall, MPI_Alltoall, MPI_Ialltoall, 7, send + recv)                                        \
  X(alltoallv, MPI_Alltoallv, MPI_Ialltoallv, 9, sendv + recvv)                                   \
  X(alltoallw, MPI_Alltoallw, MPI_Ialltoallw, 9, sendw + recvw)                                   \
  X(reduce, MPI_Reduce, MPI_Ireduce, 7, reduce + root)                                              \
  X(allreduce, MPI_Allreduce, MPI_Iallreduce, 6, reduce)                                            \
  X(reduce_scatter_block, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, 6, reduce)           \
  X(reduce_scatter, MPI_Reduce_scatter, MPI_Ireduce_scatter, 6, reducev)                            \
  X(scan, MPI_Scan, MPI_Iscan, 6, reduce)                                                           \
  X(exscan, MPI_Exscan, MPI_Iexscan, 6, reduce)                                                     \
  X(neighbor_allgather, MPI_Neighbor_allgather, MPI_Ineighbor_allgather, 7, send + recv)          \
  X(neighbor_allgatherv, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, 8, send + recvv)      \
  X(neighbor_alltoall, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, 7, send + recv)             \
  X(neighbor_alltoallv, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, 9, sendv + recvv)        \
  X(neighbor_alltoallw, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, 9, sendw + recvw)
// clang-format on

/// All collectives that Tutti serves. A barrier has no counts, so it has no functions with large
/// ones.
#define TUTTI_COLLECTIVES(X) X(barrier, MPI_Barrier, MPI_Ibarrier, 1, none) TUTTI_COLLECTIVES_WITH_COUNTS(X)

/// The signature of a collective.
template <Collective>
inline constexpr auto signature = arguments::none;
#define TUTTI_SIGNATURE(name, mpi_name, nonblocking, arguments_in_all, parts) \
  template <>                                                                 \
  inline constexpr auto signature<Collective::name> = [] {                    \
    using namespace arguments;                                                \
    static_assert(arguments_in_all == (parts).size + 1);                      \
    return parts;                                                             \
  }();
TUTTI_COLLECTIVES(TUTTI_SIGNATURE)
#undef TUTTI_SIGNATURE

}  // namespace tutti::run
