#include "run/calls/host_copies.hpp"

#include <algorithm>
#include <climits>

#include "run/mpi/datatype.hpp"
#include "run/mpi/self_comm.hpp"

namespace tutti::run {

HostCopies::HostCopies(const DeviceLibrary& library, Collective collective, Communicator& communicator,
                       Call& call)
    : library_(library), communicator_(communicator) {
  switch (traits(collective).regular) {
    case Collective::barrier:
      break;
    case Collective::gather:
    case Collective::scatter:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      copy_blocks(collective, call);
      break;
    default:
      copy_vectors(collective, call);
  }
}

// The data of one element; for types with gaps, what MPI_Unpack of ones writes.
HostCopies::Stretches HostCopies::stretches_of(MPI_Datatype type, const TypeInfo& info) {
  if (info.contiguous || info.size == 0) return {{0, info.size}};
  if (info.size > INT_MAX) {
    error_ = MPI_ERR_TYPE;
    return {};
  }
  const auto span = static_cast<std::size_t>(info.true_extent);
  std::vector<char> marked(span, 0), ones(info.size, '\xff');
  int position = 0;
  error_ = PMPI_Unpack(ones.data(), static_cast<int>(ones.size()), &position, marked.data() - info.true_lb, 1,
                       type, self_comm::get());
  Stretches found;
  for (std::size_t at = 0; at < span; ++at) {
    if (marked[at] == 0) continue;
    const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(at) + info.true_lb;
    if (!found.empty() && found.back().begin + static_cast<std::ptrdiff_t>(found.back().bytes) == begin)
      ++found.back().bytes;
    else
      found.push_back({begin, 1});
  }
  return found;
}

// `one` is an element's data.
void HostCopies::add(Stretches& list, std::ptrdiff_t at, std::size_t elements, const Stretches& one,
                     const TypeInfo& info) {
  if (elements == 0 || info.size == 0) return;
  if (info.contiguous) {
    list.push_back({at, elements * info.size});
    return;
  }
  for (std::size_t element = 0; element < elements; ++element)
    for (const Stretch& stretch : one)
      list.push_back(
          {at + static_cast<std::ptrdiff_t>(element) * info.extent + stretch.begin, stretch.bytes});
}

HostCopies::Stretches HostCopies::of_blocks(const BlockBuffer& blocks, const void* buffer) {
  Stretches list;
  const std::ptrdiff_t shift = blocks.address - static_cast<const char*>(buffer);
  const Stretches of_all = blocks.types ? Stretches{} : stretches_of(blocks.type, *blocks.info);
  for (int block = blocks.first; block < blocks.first + blocks.count; ++block) {
    if (blocks.elements(block) == 0 || !blocks.is_somebodys(block)) continue;
    const TypeInfo& info = blocks.info_of(block);
    add(list, shift + blocks.offset(block), static_cast<std::size_t>(blocks.elements(block)),
        blocks.types ? stretches_of(blocks.types[block], info) : of_all, info);
  }
  return list;
}

HostCopies::Stretches HostCopies::of_vector(const Call& call, std::int64_t count) {
  Stretches list;
  const TypeInfo& info = *type_info(call.recvtype);
  add(list, 0, static_cast<std::size_t>(count), stretches_of(call.recvtype, info), info);
  return list;
}

// What stands for a buffer: its copy if it lies on a device, else itself.
void* HostCopies::copied(const void* buffer, const Stretches& given, const Stretches& results) {
  char* const there = const_cast<char*>(static_cast<const char*>(buffer));
  std::ptrdiff_t lowest = PTRDIFF_MAX, highest = PTRDIFF_MIN;
  for (const auto* list : {&given, &results})
    for (const Stretch& stretch : *list) {
      lowest = std::min(lowest, stretch.begin);
      highest = std::max(highest, stretch.begin + static_cast<std::ptrdiff_t>(stretch.bytes));
    }
  if (lowest > highest || !library_.holds(there + lowest)) return there;
  const auto bytes = static_cast<std::size_t>(highest - lowest);
  Copy copy{there, std::make_unique_for_overwrite<char[]>(bytes), nullptr, results};
  copy.here = copy.memory.get() - lowest;
  if (!transfer(copy, given, false)) error_ = MPI_ERR_BUFFER;
  ++staged_from_devices.buffers;
  copies_.push_back(std::move(copy));
  return copies_.back().here;
}

bool HostCopies::transfer(const Copy& copy, const Stretches& what, bool back) {
  for (const auto& [begin, bytes] : what) {
    if (!(back ? library_.copy(copy.there + begin, copy.here + begin, bytes)
               : library_.copy(copy.here + begin, copy.there + begin, bytes)))
      return false;
    staged_from_devices.bytes += bytes;
  }
  return true;
}

void HostCopies::copy_blocks(Collective collective, Call& call) {
  const BlockBuffers buffers = block_buffers(collective, communicator_, call);
  const bool input_in_output = call.sendbuf == MPI_IN_PLACE, output_in_input = call.recvbuf == MPI_IN_PLACE;
  const void* const in = input_in_output ? call.recvbuf : call.sendbuf;
  const void* const out = output_in_input ? call.sendbuf : call.recvbuf;
  const Stretches given = buffers.input.count > 0 ? of_blocks(buffers.input, in) : Stretches{};
  const Stretches results = buffers.output.count > 0 ? of_blocks(buffers.output, out) : Stretches{};
  if (input_in_output) {
    call.recvbuf = copied(call.recvbuf, given, results);
  } else if (output_in_input) {
    call.sendbuf = copied(call.sendbuf, given, {});  // the root's block stays where it is
  } else {
    call.sendbuf = copied(call.sendbuf, given, {});
    call.recvbuf = copied(call.recvbuf, {}, results);
  }
}

void HostCopies::copy_vectors(Collective collective, Call& call) {
  const bool root = communicator_.rank() == call.root, in_place = call.sendbuf == MPI_IN_PLACE;
  if (collective == Collective::bcast) {
    const Stretches vector = of_vector(call, call.recvcount);
    call.recvbuf = copied(call.recvbuf, root ? vector : Stretches{}, root ? Stretches{} : vector);
    return;
  }
  std::int64_t given = call.recvcount, got = call.recvcount;
  if (traits(collective).regular == Collective::reduce_scatter_block) {
    given = 0;
    for (Rank rank = 0; rank < communicator_.ranks(); ++rank)
      given += is_irregular(collective) ? call.recvcounts[rank] : call.recvcount;
    if (is_irregular(collective)) got = call.recvcounts[communicator_.rank()];
  }
  if ((traits(collective).rooted && !root) || (collective == Collective::exscan && communicator_.rank() == 0))
    got = 0;
  const Stretches in = of_vector(call, given), out = of_vector(call, got);
  if (in_place) {
    call.recvbuf = copied(call.recvbuf, in, out);
  } else {
    call.sendbuf = copied(call.sendbuf, in, {});
    if (got > 0) call.recvbuf = copied(call.recvbuf, {}, out);
  }
}

int HostCopies::bring_back() {
  for (const Copy& copy : copies_)
    if (!transfer(copy, copy.results, true)) return MPI_ERR_BUFFER;
  return MPI_SUCCESS;
}

}  // namespace tutti::run
