#include "runtime/sides.hpp"

#include "execution/staging.hpp"

namespace tutti::runtime {
namespace {

// The sides of a call as its arguments have them, for any blocks.
Side send_side(const Call& call) {
  return {.address = bytes_of(call.sendbuf), .type = call.sendtype, .each = call.sendcount};
}
Side send_side_v(const Call& call) {
  return {.address = bytes_of(call.sendbuf),
          .type = call.sendtype,
          .types = call.sendtypes,
          .irregular = true,
          .counts = call.sendcounts,
          .displacements = call.senddispls};
}
Side receive_side(const Call& call) {
  return {.address = bytes_of(call.recvbuf), .type = call.recvtype, .each = call.recvcount};
}
Side receive_side_v(const Call& call) {
  return {.address = bytes_of(call.recvbuf),
          .type = call.recvtype,
          .types = call.recvtypes,
          .irregular = true,
          .counts = call.recvcounts,
          .displacements = call.recvdispls};
}

Side blocks(Side side, int first, int count) {
  side.info = type_info(side.type);
  side.first = first;
  side.count = count;
  return side;
}

// One block of a side that has them all.
Side block_of(Side whole, int block) {
  whole.address += whole.offset(block);
  whole.each = whole.elements(block);
  whole.irregular = false;
  whole.first = block;
  whole.count = 1;
  return whole;
}

// Calls visit(address, elements, their type, what is known of it, packed bytes) for every stretch of elements
// that follow one another.
template <typename Visit>
int for_each_stretch(const Side& side, Visit&& visit) {
  if (!side.irregular && !side.edges)
    return visit(side.address, static_cast<std::size_t>(side.each * side.count), side.type, *side.info, 0);
  std::size_t packed = 0;
  for (int block = side.first; block < side.first + side.count; ++block) {
    const auto elements = static_cast<std::size_t>(side.elements(block));
    if (elements == 0) continue;
    const int error = side.is_somebodys(block) ? visit(side.address + side.offset(block), elements,
                                                       side.type_of(block), side.info_of(block), packed)
                                               : MPI_SUCCESS;
    if (error != MPI_SUCCESS) return error;
    packed += side.bytes(block);
  }
  return MPI_SUCCESS;
}

}  // namespace

std::size_t Side::bytes() const {
  if (count == 0) return 0;
  if (!irregular) return static_cast<std::size_t>(each) * static_cast<std::size_t>(count) * info->size;
  std::size_t total = 0;
  for (int block = first; block < first + count; ++block) total += bytes(block);
  return total;
}

bool Side::is_contiguous() const {
  if (!types) return info->contiguous;
  for (int block = first; block < first + count; ++block)
    if (elements(block) > 0 && !info_of(block).contiguous) return false;
  return true;
}

Sides sides_of(Collective collective, const Communicator& communicator, const Call& call) {
  const Rank rank = communicator.rank();
  const int ranks = communicator.ranks();
  const bool in_place = call.sendbuf == MPI_IN_PLACE, root = rank == call.root;
  const bool irregular = is_irregular(collective);
  const Side sends = irregular ? send_side_v(call) : send_side(call);
  const Side receives = irregular ? receive_side_v(call) : receive_side(call);
  Sides sides;
  switch (traits(collective).regular) {
    case Collective::gather:
    case Collective::allgather:
      if (root || traits(collective).regular == Collective::allgather)
        sides.output = blocks(receives, 0, ranks);
      sides.input = in_place ? block_of(sides.output, rank) : blocks(send_side(call), rank, 1);
      break;
    case Collective::scatter:
      if (root) sides.input = blocks(sends, 0, ranks);
      sides.output =
          call.recvbuf == MPI_IN_PLACE ? block_of(sides.input, rank) : blocks(receive_side(call), rank, 1);
      break;
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: {
      const Neighborhood& neighbors = (*communicator.topology())[rank];
      const bool all_get_one = traits(collective).regular == Collective::neighbor_allgather;
      sides.output = blocks(receives, 0, neighbors.in_blocks);
      sides.input = all_get_one ? blocks(send_side(call), 0, 1) : blocks(sends, 0, neighbors.out_blocks);
      if (neighbors.in.size() < static_cast<std::size_t>(neighbors.in_blocks))
        sides.output.edges = &neighbors.in;
      if (!all_get_one && neighbors.out.size() < static_cast<std::size_t>(neighbors.out_blocks))
        sides.input.edges = &neighbors.out;
      break;
    }
    default:  // alltoall
      sides.output = blocks(receives, 0, ranks);
      sides.input = in_place ? sides.output : blocks(sends, 0, ranks);
  }
  return sides;
}

int pack(const Side& side, char* bytes) {
  return for_each_stretch(
      side, [&](const char* elements, std::size_t count, MPI_Datatype type, const TypeInfo& info,
                std::size_t packed) { return pack(elements, count, type, info, bytes + packed); });
}

int unpack(const char* bytes, const Side& side) {
  return for_each_stretch(
      side, [&](char* elements, std::size_t count, MPI_Datatype type, const TypeInfo& info,
                std::size_t packed) { return unpack(bytes + packed, elements, count, type, info); });
}

}  // namespace tutti::runtime
