#include "run/calls/block_buffers.hpp"

#include "run/execution/staging.hpp"

namespace tutti::run {
namespace {

// The buffers of a call as its arguments have them, for any blocks.
BlockBuffer send_side(const Call& call) {
  return {.address = bytes_of(call.sendbuf), .type = call.sendtype, .each = call.sendcount};
}
BlockBuffer send_side_v(const Call& call) {
  return {.address = bytes_of(call.sendbuf),
          .type = call.sendtype,
          .types = call.sendtypes,
          .irregular = true,
          .counts = call.sendcounts,
          .displacements = call.senddispls};
}
BlockBuffer receive_side(const Call& call) {
  return {.address = bytes_of(call.recvbuf), .type = call.recvtype, .each = call.recvcount};
}
BlockBuffer receive_side_v(const Call& call) {
  return {.address = bytes_of(call.recvbuf),
          .type = call.recvtype,
          .types = call.recvtypes,
          .irregular = true,
          .counts = call.recvcounts,
          .displacements = call.recvdispls};
}

BlockBuffer blocks(BlockBuffer buffer, int first, int count) {
  buffer.info = type_info(buffer.type);
  buffer.first = first;
  buffer.count = count;
  return buffer;
}

// One block of a buffer that has them all.
BlockBuffer block_of(BlockBuffer whole, int block) {
  whole.address += whole.offset(block);
  whole.each = whole.elements(block);
  whole.irregular = false;
  whole.first = block;
  whole.count = 1;
  return whole;
}

// Calls visit(address, elements, their type, what is known of it, packed bytes) for every stretch
// of elements that follow one another.
template <typename Visit>
int for_each_stretch(const BlockBuffer& buffer, Visit&& visit) {
  if (!buffer.irregular && !buffer.edges)
    return visit(buffer.address, static_cast<std::size_t>(buffer.each * buffer.count), buffer.type,
                 *buffer.info, 0);
  std::size_t packed = 0;
  for (int block = buffer.first; block < buffer.first + buffer.count; ++block) {
    const auto elements = static_cast<std::size_t>(buffer.elements(block));
    if (elements == 0) continue;
    const int error = buffer.is_somebodys(block) ? visit(buffer.address + buffer.offset(block), elements,
                                                         buffer.type_of(block), buffer.info_of(block), packed)
                                                 : MPI_SUCCESS;
    if (error != MPI_SUCCESS) return error;
    packed += buffer.bytes(block);
  }
  return MPI_SUCCESS;
}

}  // namespace

std::size_t BlockBuffer::bytes() const {
  if (count == 0) return 0;
  if (!irregular) return static_cast<std::size_t>(each) * static_cast<std::size_t>(count) * info->size;
  std::size_t total = 0;
  for (int block = first; block < first + count; ++block) total += bytes(block);
  return total;
}

bool BlockBuffer::is_contiguous() const {
  if (!types) return info->contiguous;
  for (int block = first; block < first + count; ++block)
    if (elements(block) > 0 && !info_of(block).contiguous) return false;
  return true;
}

BlockBuffers block_buffers(Collective collective, const Communicator& communicator, const Call& call) {
  const Rank rank = communicator.rank();
  const int ranks = communicator.ranks();
  const bool in_place = call.sendbuf == MPI_IN_PLACE, root = rank == call.root;
  const bool irregular = is_irregular(collective);
  const BlockBuffer sends = irregular ? send_side_v(call) : send_side(call);
  const BlockBuffer receives = irregular ? receive_side_v(call) : receive_side(call);
  BlockBuffers buffers;
  switch (traits(collective).regular) {
    case Collective::gather:
    case Collective::allgather:
      if (root || traits(collective).regular == Collective::allgather)
        buffers.output = blocks(receives, 0, ranks);
      buffers.input = in_place ? block_of(buffers.output, rank) : blocks(send_side(call), rank, 1);
      break;
    case Collective::scatter:
      if (root) buffers.input = blocks(sends, 0, ranks);
      buffers.output =
          call.recvbuf == MPI_IN_PLACE ? block_of(buffers.input, rank) : blocks(receive_side(call), rank, 1);
      break;
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: {
      const Neighborhood& neighbors = (*communicator.topology())[rank];
      const bool all_get_one = traits(collective).regular == Collective::neighbor_allgather;
      buffers.output = blocks(receives, 0, neighbors.in_blocks);
      buffers.input = all_get_one ? blocks(send_side(call), 0, 1) : blocks(sends, 0, neighbors.out_blocks);
      if (neighbors.in.size() < static_cast<std::size_t>(neighbors.in_blocks))
        buffers.output.edges = &neighbors.in;
      if (!all_get_one && neighbors.out.size() < static_cast<std::size_t>(neighbors.out_blocks))
        buffers.input.edges = &neighbors.out;
      break;
    }
    default:  // alltoall
      buffers.output = blocks(receives, 0, ranks);
      buffers.input = in_place ? buffers.output : blocks(sends, 0, ranks);
  }
  return buffers;
}

int pack(const BlockBuffer& buffer, char* bytes) {
  return for_each_stretch(
      buffer, [&](const char* elements, std::size_t count, MPI_Datatype type, const TypeInfo& info,
                  std::size_t packed) { return pack(elements, count, type, info, bytes + packed); });
}

int unpack(const char* bytes, const BlockBuffer& buffer) {
  return for_each_stretch(
      buffer, [&](char* elements, std::size_t count, MPI_Datatype type, const TypeInfo& info,
                  std::size_t packed) { return unpack(bytes + packed, elements, count, type, info); });
}

RowsList rows_of(const BlockBuffer& buffer) {
  RowsList list;
  if (buffer.count == 0) return list;
  for_each_stretch(buffer, [&](const char* elements, std::size_t count, MPI_Datatype type,
                               const TypeInfo& info, std::size_t packed) {
    for (Rows rows : rows_of(count, type, info)) {
      rows.begin += elements - buffer.address;
      rows.packed += packed;
      append(list, rows);
    }
    return MPI_SUCCESS;
  });
  return list;
}

const char* first_data(const BlockBuffer& buffer) {
  const char* found = nullptr;
  if (buffer.count == 0) return found;
  for_each_stretch(
      buffer, [&](const char* elements, std::size_t count, MPI_Datatype, const TypeInfo& info, std::size_t) {
        if (!found && count > 0 && info.size > 0) found = elements + info.true_lb;
        return MPI_SUCCESS;
      });
  return found;
}

}  // namespace tutti::run
