// The entry points of the collectives that Tutti serves.

#include "run/interpose/entry_points.hpp"

#include "run/mpi/datatype.hpp"
#include "run/process/collectives.hpp"
#include "run/process/function_counts.hpp"
#include "run/process/init_persistent.hpp"
#include "run/process/start_nonblocking.hpp"

using tutti::Collective;
using tutti::interpose::LargeCounts;
using tutti::interpose::Word;
using namespace tutti::run;

namespace {

// Starts a nonblocking call, which in the library for profiling is counted.
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

// A collective's entry points, blocking and nonblocking, from its arguments, those as words and the call that
// they make.
#define TUTTI_BOTH_MODES(name, mpi_name, nonblocking, suffix, counts, parameters, words, ...)              \
  TUTTI_ENTRY_POINT(name##suffix, mpi_name##suffix, counts, parameters, words,                             \
                    run<Collective::name>(comm, __VA_ARGS__))                                              \
  TUTTI_ENTRY_POINT(i##name##suffix, nonblocking##suffix, counts, (TUTTI_UNPACK parameters, Word request), \
                    (TUTTI_UNPACK words, request),                                                         \
                    counted_start<Collective::name>(comm, __VA_ARGS__, request))

// A collective's entry points; where the MPI library has them also the persistent one, and all with
// large counts.
#if MPI_VERSION >= 4
#define TUTTI_ALL_MODES(name, mpi_name, nonblocking, suffix, counts, parameters, words, ...)                 \
  TUTTI_BOTH_MODES(name, mpi_name, nonblocking, suffix, counts, parameters, words, __VA_ARGS__)              \
  TUTTI_ENTRY_POINT(name##_init##suffix, mpi_name##_init##suffix, counts,                                    \
                    (TUTTI_UNPACK parameters, Word info, Word request), (TUTTI_UNPACK words, info, request), \
                    init<Collective::name>(comm, __VA_ARGS__, info, request))
#define TUTTI_COLLECTIVE(name, mpi_name, nonblocking, parameters, words, ...)                 \
  TUTTI_ALL_MODES(name, mpi_name, nonblocking, , SmallCounts, parameters, words, __VA_ARGS__) \
  TUTTI_ALL_MODES(name, mpi_name, nonblocking, _c, LargeCounts, parameters, words, __VA_ARGS__)
#else
#define TUTTI_ALL_MODES TUTTI_BOTH_MODES
#define TUTTI_COLLECTIVE(name, mpi_name, nonblocking, parameters, words, ...) \
  TUTTI_ALL_MODES(name, mpi_name, nonblocking, , SmallCounts, parameters, words, __VA_ARGS__)
#endif

// The collectives of a name between all ranks, and between neighbours.
#define TUTTI_ALL_OR_NEIGHBORS(name, mpi_name, parameters, words, ...)      \
  TUTTI_COLLECTIVE(name, mpi_name, I##name, parameters, words, __VA_ARGS__) \
  TUTTI_COLLECTIVE(neighbor_##name, Neighbor_##name, Ineighbor_##name, parameters, words, __VA_ARGS__)

TUTTI_ALL_MODES(barrier, Barrier, Ibarrier, , SmallCounts, (Word comm), (, comm), Call{})

TUTTI_COLLECTIVE(bcast, Bcast, Ibcast, (Word buffer, Word count, Word type, Word root, Word comm),
                 (, buffer, count, type, root, comm),
                 Call{.recvbuf = buffer,
                      .recvcount = Count::number(count),
                      .recvtype = type,
                      .root = root,
                      .large = Count::large})

TUTTI_COLLECTIVE(gather, Gather, Igather,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount, Word recvtype,
                  Word root, Word comm),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
                 Call{.sendbuf = sendbuf,
                      .sendcount = Count::number(sendcount),
                      .sendtype = sendtype,
                      .recvbuf = recvbuf,
                      .recvcount = Count::number(recvcount),
                      .recvtype = recvtype,
                      .root = root,
                      .large = Count::large})

TUTTI_COLLECTIVE(gatherv, Gatherv, Igatherv,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcounts, Word recvdispls,
                  Word recvtype, Word root, Word comm),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcounts, recvdispls, recvtype, root, comm),
                 Call{.sendbuf = sendbuf,
                      .sendcount = Count::number(sendcount),
                      .sendtype = sendtype,
                      .recvbuf = recvbuf,
                      .recvcounts = Count::numbers(recvcounts),
                      .recvdispls = Count::numbers(recvdispls),
                      .recvtype = recvtype,
                      .root = root,
                      .large = Count::large})

TUTTI_COLLECTIVE(scatter, Scatter, Iscatter,
                 (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount, Word recvtype,
                  Word root, Word comm),
                 (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
                 Call{.sendbuf = sendbuf,
                      .sendcount = Count::number(sendcount),
                      .sendtype = sendtype,
                      .recvbuf = recvbuf,
                      .recvcount = Count::number(recvcount),
                      .recvtype = recvtype,
                      .root = root,
                      .large = Count::large})

TUTTI_COLLECTIVE(scatterv, Scatterv, Iscatterv,
                 (Word sendbuf, Word sendcounts, Word senddispls, Word sendtype, Word recvbuf, Word recvcount,
                  Word recvtype, Word root, Word comm),
                 (, sendbuf, sendcounts, senddispls, sendtype, recvbuf, recvcount, recvtype, root, comm),
                 Call{.sendbuf = sendbuf,
                      .sendcounts = Count::numbers(sendcounts),
                      .senddispls = Count::numbers(senddispls),
                      .sendtype = sendtype,
                      .recvbuf = recvbuf,
                      .recvcount = Count::number(recvcount),
                      .recvtype = recvtype,
                      .root = root,
                      .large = Count::large})

TUTTI_ALL_OR_NEIGHBORS(allgather, Allgather,
                       (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount,
                        Word recvtype, Word comm),
                       (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                       Call{.sendbuf = sendbuf,
                            .sendcount = Count::number(sendcount),
                            .sendtype = sendtype,
                            .recvbuf = recvbuf,
                            .recvcount = Count::number(recvcount),
                            .recvtype = recvtype,
                            .large = Count::large})

TUTTI_ALL_OR_NEIGHBORS(allgatherv, Allgatherv,
                       (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcounts,
                        Word recvdispls, Word recvtype, Word comm),
                       (, sendbuf, sendcount, sendtype, recvbuf, recvcounts, recvdispls, recvtype, comm),
                       Call{.sendbuf = sendbuf,
                            .sendcount = Count::number(sendcount),
                            .sendtype = sendtype,
                            .recvbuf = recvbuf,
                            .recvcounts = Count::numbers(recvcounts),
                            .recvdispls = Count::numbers(recvdispls),
                            .recvtype = recvtype,
                            .large = Count::large})

TUTTI_ALL_OR_NEIGHBORS(alltoall, Alltoall,
                       (Word sendbuf, Word sendcount, Word sendtype, Word recvbuf, Word recvcount,
                        Word recvtype, Word comm),
                       (, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                       Call{.sendbuf = sendbuf,
                            .sendcount = Count::number(sendcount),
                            .sendtype = sendtype,
                            .recvbuf = recvbuf,
                            .recvcount = Count::number(recvcount),
                            .recvtype = recvtype,
                            .large = Count::large})

TUTTI_ALL_OR_NEIGHBORS(alltoallv, Alltoallv,
                       (Word sendbuf, Word sendcounts, Word senddispls, Word sendtype, Word recvbuf,
                        Word recvcounts, Word recvdispls, Word recvtype, Word comm),
                       (, sendbuf, sendcounts, senddispls, sendtype, recvbuf, recvcounts, recvdispls,
                        recvtype, comm),
                       Call{.sendbuf = sendbuf,
                            .sendcounts = Count::numbers(sendcounts),
                            .senddispls = Count::numbers(senddispls),
                            .sendtype = sendtype,
                            .recvbuf = recvbuf,
                            .recvcounts = Count::numbers(recvcounts),
                            .recvdispls = Count::numbers(recvdispls),
                            .recvtype = recvtype,
                            .large = Count::large})

TUTTI_COLLECTIVE(alltoallw, Alltoallw, Ialltoallw,
                 (Word sendbuf, Word sendcounts, Word senddispls, Word sendtypes, Word recvbuf,
                  Word recvcounts, Word recvdispls, Word recvtypes, Word comm),
                 (, sendbuf, sendcounts, senddispls, sendtypes, recvbuf, recvcounts, recvdispls, recvtypes,
                  comm),
                 Call{.sendbuf = sendbuf,
                      .sendcounts = Count::numbers(sendcounts),
                      .senddispls = Count::numbers(senddispls),
                      .sendtypes = sendtypes,
                      .recvbuf = recvbuf,
                      .recvcounts = Count::numbers(recvcounts),
                      .recvdispls = Count::numbers(recvdispls),
                      .recvtypes = recvtypes,
                      .large = Count::large})

TUTTI_COLLECTIVE(reduce, Reduce, Ireduce,
                 (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word root, Word comm),
                 (, sendbuf, recvbuf, count, type, op, root, comm),
                 Call{.sendbuf = sendbuf,
                      .recvbuf = recvbuf,
                      .recvcount = Count::number(count),
                      .recvtype = type,
                      .op = op,
                      .root = root,
                      .large = Count::large})

TUTTI_COLLECTIVE(allreduce, Allreduce, Iallreduce,
                 (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word comm),
                 (, sendbuf, recvbuf, count, type, op, comm),
                 Call{.sendbuf = sendbuf,
                      .recvbuf = recvbuf,
                      .recvcount = Count::number(count),
                      .recvtype = type,
                      .op = op,
                      .large = Count::large})

TUTTI_COLLECTIVE(reduce_scatter_block, Reduce_scatter_block, Ireduce_scatter_block,
                 (Word sendbuf, Word recvbuf, Word recvcount, Word type, Word op, Word comm),
                 (, sendbuf, recvbuf, recvcount, type, op, comm),
                 Call{.sendbuf = sendbuf,
                      .recvbuf = recvbuf,
                      .recvcount = Count::number(recvcount),
                      .recvtype = type,
                      .op = op,
                      .large = Count::large})

TUTTI_COLLECTIVE(reduce_scatter, Reduce_scatter, Ireduce_scatter,
                 (Word sendbuf, Word recvbuf, Word recvcounts, Word type, Word op, Word comm),
                 (, sendbuf, recvbuf, recvcounts, type, op, comm),
                 Call{.sendbuf = sendbuf,
                      .recvbuf = recvbuf,
                      .recvcounts = Count::numbers(recvcounts),
                      .recvtype = type,
                      .op = op,
                      .large = Count::large})

TUTTI_COLLECTIVE(scan, Scan, Iscan, (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word comm),
                 (, sendbuf, recvbuf, count, type, op, comm),
                 Call{.sendbuf = sendbuf,
                      .recvbuf = recvbuf,
                      .recvcount = Count::number(count),
                      .recvtype = type,
                      .op = op,
                      .large = Count::large})

TUTTI_COLLECTIVE(exscan, Exscan, Iexscan,
                 (Word sendbuf, Word recvbuf, Word count, Word type, Word op, Word comm),
                 (, sendbuf, recvbuf, count, type, op, comm),
                 Call{.sendbuf = sendbuf,
                      .recvbuf = recvbuf,
                      .recvcount = Count::number(count),
                      .recvtype = type,
                      .op = op,
                      .large = Count::large})

// Displacements are addresses in both forms.
TUTTI_COLLECTIVE(neighbor_alltoallw, Neighbor_alltoallw, Ineighbor_alltoallw,
                 (Word sendbuf, Word sendcounts, Word senddispls, Word sendtypes, Word recvbuf,
                  Word recvcounts, Word recvdispls, Word recvtypes, Word comm),
                 (, sendbuf, sendcounts, senddispls, sendtypes, recvbuf, recvcounts, recvdispls, recvtypes,
                  comm),
                 Call{.sendbuf = sendbuf,
                      .sendcounts = Count::numbers(sendcounts),
                      .senddispls = LargeCounts::numbers(senddispls),
                      .sendtypes = sendtypes,
                      .recvbuf = recvbuf,
                      .recvcounts = Count::numbers(recvcounts),
                      .recvdispls = LargeCounts::numbers(recvdispls),
                      .recvtypes = recvtypes,
                      .large = Count::large})

TUTTI_ENTRY_POINT(finalize, Finalize, SmallCounts, (), (), finalize())
