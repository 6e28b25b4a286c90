#include "run/calls/call_size.hpp"

#include <algorithm>

#include "choose/evidence/call_class.hpp"
#include "run/calls/mistakes.hpp"
#include "run/mpi/datatype.hpp"
#include "run/mpi/reduction.hpp"

namespace tutti::run {
namespace {

constexpr std::ptrdiff_t invalid = -1;

std::ptrdiff_t bytes(std::int64_t count, MPI_Datatype type) {
  const TypeInfo* info = count < 0 ? nullptr : type_info(type);
  return info ? static_cast<std::ptrdiff_t>(info->size) * count : invalid;
}

// Bytes of all counts together, one count for each of `ranks` ranks; they may be missing where
// there are none, as of a rank without neighbours.
std::ptrdiff_t bytes(const Numbers& counts, int ranks, MPI_Datatype type) {
  if (counts.missing() && ranks > 0) return invalid;
  std::int64_t total = 0;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (counts[rank] < 0) return invalid;
    total += counts[rank];
  }
  return bytes(total, type);
}

// Bytes of blocks that lie at displacements, which may be missing if all are empty.
std::ptrdiff_t bytes(const Numbers& counts, const Numbers& displacements, int ranks, MPI_Datatype type) {
  const std::ptrdiff_t total = bytes(counts, ranks, type);
  return displacements.missing() && total > 0 ? invalid : total;
}

// The mean of blocks that have so many bytes together, or of the larger of two sums of them.
std::ptrdiff_t mean(std::ptrdiff_t total, int blocks) {
  return total > 0 ? std::max<std::ptrdiff_t>(total / blocks, 1) : total;
}
std::ptrdiff_t larger(std::ptrdiff_t a, std::ptrdiff_t b) {
  return a < 0 || b < 0 ? invalid : std::max(a, b);
}

// `size`, if the other arguments are valid.
std::ptrdiff_t if_valid(std::ptrdiff_t other, std::ptrdiff_t size) {
  return other < 0 ? invalid : size;
}

// Bytes of blocks with types of their own; the type of an empty block is not looked at.
std::ptrdiff_t bytes(const Numbers& counts, const MPI_Datatype* types, int blocks) {
  std::ptrdiff_t total = 0;
  for (int block = 0; block < blocks; ++block) {
    if (counts[block] == 0) continue;
    const std::ptrdiff_t own = types ? bytes(counts[block], types[block]) : invalid;
    if (own < 0) return invalid;
    total += own;
  }
  return counts.missing() && blocks > 0 ? invalid : total;
}

bool has_root(const Call& call, int ranks) {
  return call.root >= 0 && call.root < ranks;
}

std::ptrdiff_t sent(const Call& call) {
  return bytes(call.sendcount, call.sendtype);
}
std::ptrdiff_t received(const Call& call) {
  return bytes(call.recvcount, call.recvtype);
}

// Size of a call between neighbours, or of this rank's mean block. In regular calls all blocks have
// one size, unless two ranks by themselves give each other different ones.
std::ptrdiff_t size_between_neighbors(Collective collective, const Neighborhood& neighbors,
                                      const Call& call) {
  const int out = neighbors.out_blocks, in = neighbors.in_blocks;
  switch (collective) {
    case Collective::neighbor_allgatherv:
      return larger(sent(call), mean(bytes(call.recvcounts, call.recvdispls, in, call.recvtype), in));
    case Collective::neighbor_alltoallv:
      return larger(mean(bytes(call.sendcounts, call.senddispls, out, call.sendtype), out),
                    mean(bytes(call.recvcounts, call.recvdispls, in, call.recvtype), in));
    case Collective::neighbor_alltoallw:
      return larger(mean(bytes(call.sendcounts, call.sendtypes, out), out),
                    mean(bytes(call.recvcounts, call.recvtypes, in), in));
    default:
      return sent(call) == received(call) ? sent(call) : invalid;
  }
}

// Size of a call in which every rank has one vector, or gives and gets a block of one size.
std::ptrdiff_t regular_size(Collective collective, const Call& call) {
  if (is_irregular(collective)) return invalid;
  if (traits(collective).size_means == SizeMeans::vector || call.sendbuf == MPI_IN_PLACE)
    return received(call);
  return if_valid(sent(call), received(call));
}

// Size of a call, or where ranks know only their own what this one's is.
std::ptrdiff_t size_of(Collective collective, const Communicator& c, const Call& call) {
  if (traits(collective).on_neighbors)
    return c.topology() ? size_between_neighbors(collective, (*c.topology())[c.rank()], call) : invalid;
  const int ranks = c.ranks();
  const bool in_place = call.sendbuf == MPI_IN_PLACE;
  if (traits(collective).rooted && !has_root(call, ranks)) return invalid;
  const bool root = c.rank() == call.root;
  switch (collective) {
    case Collective::barrier:
      return 0;
    case Collective::gather:
      if (!root) return in_place ? invalid : sent(call);
      return in_place ? received(call) : if_valid(sent(call), received(call));
    case Collective::gatherv:
      if (!root) return in_place ? invalid : mean(sent(call), ranks);
      return if_valid(in_place ? 0 : sent(call),
                      mean(bytes(call.recvcounts, call.recvdispls, ranks, call.recvtype), ranks));
    case Collective::scatter:
      if (!root) return call.recvbuf == MPI_IN_PLACE ? invalid : received(call);
      return call.recvbuf == MPI_IN_PLACE ? sent(call) : if_valid(received(call), sent(call));
    case Collective::scatterv:
      if (!root) return call.recvbuf == MPI_IN_PLACE ? invalid : mean(received(call), ranks);
      return if_valid(call.recvbuf == MPI_IN_PLACE ? 0 : received(call),
                      mean(bytes(call.sendcounts, call.senddispls, ranks, call.sendtype), ranks));
    case Collective::allgatherv: {
      const std::ptrdiff_t total = bytes(call.recvcounts, call.recvdispls, ranks, call.recvtype);
      return if_valid(in_place ? 0 : sent(call), mean(total, ranks));
    }
    case Collective::alltoallv:
      return mean(larger(in_place ? 0 : bytes(call.sendcounts, call.senddispls, ranks, call.sendtype),
                         bytes(call.recvcounts, call.recvdispls, ranks, call.recvtype)),
                  ranks);
    case Collective::alltoallw:
      return mean(larger(in_place ? 0 : bytes(call.sendcounts, call.sendtypes, ranks),
                         bytes(call.recvcounts, call.recvtypes, ranks)),
                  ranks);
    case Collective::reduce:
      if (in_place && !root) return invalid;
      return received(call);
    case Collective::reduce_scatter_block:
      return received(call) < 0 ? invalid : received(call) * ranks;
    case Collective::reduce_scatter:
      return bytes(call.recvcounts, ranks, call.recvtype);
    default:
      return regular_size(collective, call);
  }
}

}  // namespace

CallFacts facts_of(Collective collective, const Communicator& c, const Call& call) {
  const std::ptrdiff_t size = size_of(collective, c, call);
  if (size < 0 || is_reported(collective, c, call)) return {invalid};
  if (has_own_sizes(collective)) return {.size = 0, .own = static_cast<std::size_t>(size)};
  if (!traits(collective).reduces) return {size};
  const Reduction reduction = reduction_of(call.op, call.recvtype, *type_info(call.recvtype));
  return {reduction.valid ? size : invalid, reduction.commutative, reduction.exact, !reduction.predefined};
}

}  // namespace tutti::run
