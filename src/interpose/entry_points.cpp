// The entry points that Tutti replaces. Everything else of MPI is untouched.

#include "interpose/entry_points.hpp"

#include "runtime/collectives.hpp"

using tutti::interpose::Word;
using namespace tutti::runtime;

TUTTI_ENTRY_POINT(Bcast, (Word buffer, Word count, Word type, Word root, Word comm),
                  (native().bcast, buffer, count, type, root, comm), bcast(comm, {buffer, count, type, root}))

TUTTI_ENTRY_POINT(Allgather,
                  (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount, Word recvtype,
                   Word comm),
                  (native().allgather, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                  allgather(comm, {sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype}))

TUTTI_ENTRY_POINT(Allreduce, (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word comm),
                  (native().allreduce, sendbuf, recvbuf, count, type, op, comm),
                  allreduce(comm, {sendbuf, recvbuf, count, type, op}))

TUTTI_ENTRY_POINT(Finalize, (), (native().finalize), finalize())
