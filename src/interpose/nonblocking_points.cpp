// The entry points of the collectives that return at once.

#include "interpose/entry_points.hpp"
#include "mpi/datatype.hpp"
#include "runtime/function_counts.hpp"
#include "runtime/nonblocking.hpp"

using tutti::Collective;
using tutti::interpose::Word;
using namespace tutti::runtime;

namespace {

// In the library for profiling it is counted.
template <Collective collective>
int counted_start(MPI_Comm comm, const Call& call, MPI_Request* request) {
#ifdef TUTTI_COUNTS
  static const std::size_t number =
      number_of_function(tutti::Called{collective, tutti::Mode::nonblocking}.mpi_name());
  return counted_function(
      number,
      [&]() -> std::uint64_t {
        const bool is_vector = traits(collective).size_means == tutti::SizeMeans::vector;
        const TypeInfo* type = is_vector ? type_info(call.recvtype) : nullptr;
        return type ? static_cast<std::uint64_t>(call.recvcount) * type->size : 0;
      },
      [&] { return start<collective>(comm, call, request); });
#else
  return start<collective>(comm, call, request);
#endif
}

}  // namespace

TUTTI_ENTRY_POINT(ibarrier, Ibarrier, SmallCounts, (Word comm, Word request), (, comm, request),
                  counted_start<Collective::barrier>(comm, {}, request))

TUTTI_COLLECTIVE(ibcast, Ibcast, (Word buffer, Word count, Word type, Word root, Word comm, Word request),
                 (, buffer, count, type, root, comm, request),
                 counted_start<Collective::bcast>(comm,
                                                  {.recvbuf = buffer,
                                                   .recvcount = Count::number(count),
                                                   .recvtype = type,
                                                   .root = root,
                                                   .large = Count::large},
                                                  request))

TUTTI_COLLECTIVE(igather, Igather,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount, Word recvtype,
                  Word root, Word comm, Word request),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request),
                 counted_start<Collective::gather>(comm,
                                                   {.sendbuf = sendbuf,
                                                    .sendcount = Count::number(sendcount),
                                                    .sendtype = sendtype,
                                                    .recvbuf = recvbuf,
                                                    .recvcount = Count::number(recvcount),
                                                    .recvtype = recvtype,
                                                    .root = root,
                                                    .large = Count::large},
                                                   request))

TUTTI_COLLECTIVE(igatherv, Igatherv,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcounts, Word recvdispls,
                  Word recvtype, Word root, Word comm, Word request),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcounts, recvdispls, recvtype, root, comm,
                  request),
                 counted_start<Collective::gatherv>(comm,
                                                    {.sendbuf = sendbuf,
                                                     .sendcount = Count::number(sendcount),
                                                     .sendtype = sendtype,
                                                     .recvbuf = recvbuf,
                                                     .recvcounts = Count::numbers(recvcounts),
                                                     .recvdispls = Count::numbers(recvdispls),
                                                     .recvtype = recvtype,
                                                     .root = root,
                                                     .large = Count::large},
                                                    request))

TUTTI_COLLECTIVE(iscatter, Iscatter,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount, Word recvtype,
                  Word root, Word comm, Word request),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request),
                 counted_start<Collective::scatter>(comm,
                                                    {.sendbuf = sendbuf,
                                                     .sendcount = Count::number(sendcount),
                                                     .sendtype = sendtype,
                                                     .recvbuf = recvbuf,
                                                     .recvcount = Count::number(recvcount),
                                                     .recvtype = recvtype,
                                                     .root = root,
                                                     .large = Count::large},
                                                    request))

TUTTI_COLLECTIVE(iscatterv, Iscatterv,
                 (Word sendbuf, Word sendcounts, Word senddispls, Word sendtype, Word recvbuf, Word recvcount,
                  Word recvtype, Word root, Word comm, Word request),
                 (, sendbuf, sendcounts, senddispls, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  request),
                 counted_start<Collective::scatterv>(comm,
                                                     {.sendbuf = sendbuf,
                                                      .sendcounts = Count::numbers(sendcounts),
                                                      .senddispls = Count::numbers(senddispls),
                                                      .sendtype = sendtype,
                                                      .recvbuf = recvbuf,
                                                      .recvcount = Count::number(recvcount),
                                                      .recvtype = recvtype,
                                                      .root = root,
                                                      .large = Count::large},
                                                     request))

TUTTI_COLLECTIVE(iallgather, Iallgather,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount, Word recvtype,
                  Word comm, Word request),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request),
                 counted_start<Collective::allgather>(comm,
                                                      {.sendbuf = sendbuf,
                                                       .sendcount = Count::number(sendcount),
                                                       .sendtype = sendtype,
                                                       .recvbuf = recvbuf,
                                                       .recvcount = Count::number(recvcount),
                                                       .recvtype = recvtype,
                                                       .large = Count::large},
                                                      request))

TUTTI_COLLECTIVE(iallgatherv, Iallgatherv,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcounts, Word recvdispls,
                  Word recvtype, Word comm, Word request),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcounts, recvdispls, recvtype, comm, request),
                 counted_start<Collective::allgatherv>(comm,
                                                       {.sendbuf = sendbuf,
                                                        .sendcount = Count::number(sendcount),
                                                        .sendtype = sendtype,
                                                        .recvbuf = recvbuf,
                                                        .recvcounts = Count::numbers(recvcounts),
                                                        .recvdispls = Count::numbers(recvdispls),
                                                        .recvtype = recvtype,
                                                        .large = Count::large},
                                                       request))

TUTTI_COLLECTIVE(ialltoall, Ialltoall,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount, Word recvtype,
                  Word comm, Word request),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request),
                 counted_start<Collective::alltoall>(comm,
                                                     {.sendbuf = sendbuf,
                                                      .sendcount = Count::number(sendcount),
                                                      .sendtype = sendtype,
                                                      .recvbuf = recvbuf,
                                                      .recvcount = Count::number(recvcount),
                                                      .recvtype = recvtype,
                                                      .large = Count::large},
                                                     request))

TUTTI_COLLECTIVE(ialltoallv, Ialltoallv,
                 (Word sendbuf, Word sendcounts, Word senddispls, Word sendtype, Word recvbuf,
                  Word recvcounts, Word recvdispls, Word recvtype, Word comm, Word request),
                 (, sendbuf, sendcounts, senddispls, sendtype, recvbuf, recvcounts, recvdispls, recvtype,
                  comm, request),
                 counted_start<Collective::alltoallv>(comm,
                                                      {.sendbuf = sendbuf,
                                                       .sendcounts = Count::numbers(sendcounts),
                                                       .senddispls = Count::numbers(senddispls),
                                                       .sendtype = sendtype,
                                                       .recvbuf = recvbuf,
                                                       .recvcounts = Count::numbers(recvcounts),
                                                       .recvdispls = Count::numbers(recvdispls),
                                                       .recvtype = recvtype,
                                                       .large = Count::large},
                                                      request))

TUTTI_COLLECTIVE(ireduce, Ireduce,
                 (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word root, Word comm,
                  Word request),
                 (, sendbuf, recvbuf, count, type, op, root, comm, request),
                 counted_start<Collective::reduce>(comm,
                                                   {.sendbuf = sendbuf,
                                                    .recvbuf = recvbuf,
                                                    .recvcount = Count::number(count),
                                                    .recvtype = type,
                                                    .op = op,
                                                    .root = root,
                                                    .large = Count::large},
                                                   request))

TUTTI_COLLECTIVE(iallreduce, Iallreduce,
                 (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word comm, Word request),
                 (, sendbuf, recvbuf, count, type, op, comm, request),
                 counted_start<Collective::allreduce>(comm,
                                                      {.sendbuf = sendbuf,
                                                       .recvbuf = recvbuf,
                                                       .recvcount = Count::number(count),
                                                       .recvtype = type,
                                                       .op = op,
                                                       .large = Count::large},
                                                      request))

TUTTI_COLLECTIVE(ireduce_scatter_block, Ireduce_scatter_block,
                 (Word sendbuf, Word recvbuf, Word recvcount, Word type, Word op, Word comm, Word request),
                 (, sendbuf, recvbuf, recvcount, type, op, comm, request),
                 counted_start<Collective::reduce_scatter_block>(comm,
                                                                 {.sendbuf = sendbuf,
                                                                  .recvbuf = recvbuf,
                                                                  .recvcount = Count::number(recvcount),
                                                                  .recvtype = type,
                                                                  .op = op,
                                                                  .large = Count::large},
                                                                 request))

TUTTI_COLLECTIVE(ireduce_scatter, Ireduce_scatter,
                 (Word sendbuf, Word recvbuf, Word recvcounts, Word type, Word op, Word comm, Word request),
                 (, sendbuf, recvbuf, recvcounts, type, op, comm, request),
                 counted_start<Collective::reduce_scatter>(comm,
                                                           {.sendbuf = sendbuf,
                                                            .recvbuf = recvbuf,
                                                            .recvcounts = Count::numbers(recvcounts),
                                                            .recvtype = type,
                                                            .op = op,
                                                            .large = Count::large},
                                                           request))

TUTTI_COLLECTIVE(iscan, Iscan,
                 (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word comm, Word request),
                 (, sendbuf, recvbuf, count, type, op, comm, request),
                 counted_start<Collective::scan>(comm,
                                                 {.sendbuf = sendbuf,
                                                  .recvbuf = recvbuf,
                                                  .recvcount = Count::number(count),
                                                  .recvtype = type,
                                                  .op = op,
                                                  .large = Count::large},
                                                 request))

TUTTI_COLLECTIVE(iexscan, Iexscan,
                 (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word comm, Word request),
                 (, sendbuf, recvbuf, count, type, op, comm, request),
                 counted_start<Collective::exscan>(comm,
                                                   {.sendbuf = sendbuf,
                                                    .recvbuf = recvbuf,
                                                    .recvcount = Count::number(count),
                                                    .recvtype = type,
                                                    .op = op,
                                                    .large = Count::large},
                                                   request))
