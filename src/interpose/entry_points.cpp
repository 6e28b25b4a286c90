// The entry points that Tutti replaces. Everything else of MPI is untouched.

#include "interpose/entry_points.hpp"

#include "runtime/collectives.hpp"

using tutti::Collective;
using tutti::interpose::Word;
using namespace tutti::runtime;

TUTTI_ENTRY_POINT(barrier, Barrier, SmallCounts, (Word comm), (, comm), run<Collective::barrier>(comm, {}))

TUTTI_COLLECTIVE(bcast, Bcast, (Word buffer, Word count, Word type, Word root, Word comm),
                 (, buffer, count, type, root, comm),
                 run<Collective::bcast>(comm, {.recvbuf = buffer,
                                               .recvcount = Count::number(count),
                                               .recvtype = type,
                                               .root = root,
                                               .large = Count::large}))

TUTTI_COLLECTIVE(gather, Gather,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount, Word recvtype,
                  Word root, Word comm),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
                 run<Collective::gather>(comm, {.sendbuf = sendbuf,
                                                .sendcount = Count::number(sendcount),
                                                .sendtype = sendtype,
                                                .recvbuf = recvbuf,
                                                .recvcount = Count::number(recvcount),
                                                .recvtype = recvtype,
                                                .root = root,
                                                .large = Count::large}))

TUTTI_COLLECTIVE(gatherv, Gatherv,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcounts, Word recvdispls,
                  Word recvtype, Word root, Word comm),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcounts, recvdispls, recvtype, root, comm),
                 run<Collective::gatherv>(comm, {.sendbuf = sendbuf,
                                                 .sendcount = Count::number(sendcount),
                                                 .sendtype = sendtype,
                                                 .recvbuf = recvbuf,
                                                 .recvcounts = Count::numbers(recvcounts),
                                                 .recvdispls = Count::numbers(recvdispls),
                                                 .recvtype = recvtype,
                                                 .root = root,
                                                 .large = Count::large}))

TUTTI_COLLECTIVE(scatter, Scatter,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount, Word recvtype,
                  Word root, Word comm),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
                 run<Collective::scatter>(comm, {.sendbuf = sendbuf,
                                                 .sendcount = Count::number(sendcount),
                                                 .sendtype = sendtype,
                                                 .recvbuf = recvbuf,
                                                 .recvcount = Count::number(recvcount),
                                                 .recvtype = recvtype,
                                                 .root = root,
                                                 .large = Count::large}))

TUTTI_COLLECTIVE(scatterv, Scatterv,
                 (Word sendbuf, Word sendcounts, Word senddispls, Word sendtype, Word recvbuf, Word recvcount,
                  Word recvtype, Word root, Word comm),
                 (, sendbuf, sendcounts, senddispls, sendtype, recvbuf, recvcount, recvtype, root, comm),
                 run<Collective::scatterv>(comm, {.sendbuf = sendbuf,
                                                  .sendcounts = Count::numbers(sendcounts),
                                                  .senddispls = Count::numbers(senddispls),
                                                  .sendtype = sendtype,
                                                  .recvbuf = recvbuf,
                                                  .recvcount = Count::number(recvcount),
                                                  .recvtype = recvtype,
                                                  .root = root,
                                                  .large = Count::large}))

TUTTI_COLLECTIVE(allgather, Allgather,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount, Word recvtype,
                  Word comm),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                 run<Collective::allgather>(comm, {.sendbuf = sendbuf,
                                                   .sendcount = Count::number(sendcount),
                                                   .sendtype = sendtype,
                                                   .recvbuf = recvbuf,
                                                   .recvcount = Count::number(recvcount),
                                                   .recvtype = recvtype,
                                                   .large = Count::large}))

TUTTI_COLLECTIVE(allgatherv, Allgatherv,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcounts, Word recvdispls,
                  Word recvtype, Word comm),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcounts, recvdispls, recvtype, comm),
                 run<Collective::allgatherv>(comm, {.sendbuf = sendbuf,
                                                    .sendcount = Count::number(sendcount),
                                                    .sendtype = sendtype,
                                                    .recvbuf = recvbuf,
                                                    .recvcounts = Count::numbers(recvcounts),
                                                    .recvdispls = Count::numbers(recvdispls),
                                                    .recvtype = recvtype,
                                                    .large = Count::large}))

TUTTI_COLLECTIVE(alltoall, Alltoall,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount, Word recvtype,
                  Word comm),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                 run<Collective::alltoall>(comm, {.sendbuf = sendbuf,
                                                  .sendcount = Count::number(sendcount),
                                                  .sendtype = sendtype,
                                                  .recvbuf = recvbuf,
                                                  .recvcount = Count::number(recvcount),
                                                  .recvtype = recvtype,
                                                  .large = Count::large}))

TUTTI_COLLECTIVE(alltoallv, Alltoallv,
                 (Word sendbuf, Word sendcounts, Word senddispls, Word sendtype, Word recvbuf,
                  Word recvcounts, Word recvdispls, Word recvtype, Word comm),
                 (, sendbuf, sendcounts, senddispls, sendtype, recvbuf, recvcounts, recvdispls, recvtype,
                  comm),
                 run<Collective::alltoallv>(comm, {.sendbuf = sendbuf,
                                                   .sendcounts = Count::numbers(sendcounts),
                                                   .senddispls = Count::numbers(senddispls),
                                                   .sendtype = sendtype,
                                                   .recvbuf = recvbuf,
                                                   .recvcounts = Count::numbers(recvcounts),
                                                   .recvdispls = Count::numbers(recvdispls),
                                                   .recvtype = recvtype,
                                                   .large = Count::large}))

TUTTI_COLLECTIVE(reduce, Reduce,
                 (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word root, Word comm),
                 (, sendbuf, recvbuf, count, type, op, root, comm),
                 run<Collective::reduce>(comm, {.sendbuf = sendbuf,
                                                .recvbuf = recvbuf,
                                                .recvcount = Count::number(count),
                                                .recvtype = type,
                                                .op = op,
                                                .root = root,
                                                .large = Count::large}))

TUTTI_COLLECTIVE(allreduce, Allreduce,
                 (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word comm),
                 (, sendbuf, recvbuf, count, type, op, comm),
                 run<Collective::allreduce>(comm, {.sendbuf = sendbuf,
                                                   .recvbuf = recvbuf,
                                                   .recvcount = Count::number(count),
                                                   .recvtype = type,
                                                   .op = op,
                                                   .large = Count::large}))

TUTTI_COLLECTIVE(reduce_scatter_block, Reduce_scatter_block,
                 (Word sendbuf, Word recvbuf, Word recvcount, Word type, Word op, Word comm),
                 (, sendbuf, recvbuf, recvcount, type, op, comm),
                 run<Collective::reduce_scatter_block>(comm, {.sendbuf = sendbuf,
                                                              .recvbuf = recvbuf,
                                                              .recvcount = Count::number(recvcount),
                                                              .recvtype = type,
                                                              .op = op,
                                                              .large = Count::large}))

TUTTI_COLLECTIVE(reduce_scatter, Reduce_scatter,
                 (Word sendbuf, Word recvbuf, Word recvcounts, Word type, Word op, Word comm),
                 (, sendbuf, recvbuf, recvcounts, type, op, comm),
                 run<Collective::reduce_scatter>(comm, {.sendbuf = sendbuf,
                                                        .recvbuf = recvbuf,
                                                        .recvcounts = Count::numbers(recvcounts),
                                                        .recvtype = type,
                                                        .op = op,
                                                        .large = Count::large}))

TUTTI_COLLECTIVE(scan, Scan, (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word comm),
                 (, sendbuf, recvbuf, count, type, op, comm),
                 run<Collective::scan>(comm, {.sendbuf = sendbuf,
                                              .recvbuf = recvbuf,
                                              .recvcount = Count::number(count),
                                              .recvtype = type,
                                              .op = op,
                                              .large = Count::large}))

TUTTI_COLLECTIVE(exscan, Exscan, (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word comm),
                 (, sendbuf, recvbuf, count, type, op, comm),
                 run<Collective::exscan>(comm, {.sendbuf = sendbuf,
                                                .recvbuf = recvbuf,
                                                .recvcount = Count::number(count),
                                                .recvtype = type,
                                                .op = op,
                                                .large = Count::large}))

TUTTI_ENTRY_POINT(finalize, Finalize, SmallCounts, (), (), finalize())
