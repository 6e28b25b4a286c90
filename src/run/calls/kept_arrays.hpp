#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "run/calls/communicator.hpp"
#include "run/calls/named_handles.hpp"
#include "run/mpi/call.hpp"

namespace tutti::run {

/// Copies of the counts, displacements and types of a call that lasts longer than its function:
/// programs use these arrays for other things as soon as the function has returned, because the MPI
/// libraries have read them by then (mpi4py does so). Handles that the call names may be freed as
/// long as this lives.
class KeptArrays {
 public:
  /// Copies the arrays that mean something on this rank, and lets the call refer to the copies.
  KeptArrays(Collective collective, const Communicator& communicator, Call& call) {
    if (is_irregular(collective)) keep_arrays(collective, communicator, call);
    named_.emplace(call.sendtype, call.recvtype, sendtypes_, recvtypes_, call.op);
  }

 private:
  using Types = std::span<const MPI_Datatype>;

  void keep_arrays(Collective collective, const Communicator& communicator, Call& call) {
    const Collective regular = traits(collective).regular;
    const bool is_root = communicator.rank() == call.root;
    int sent = communicator.ranks(), received = sent;
    if (traits(collective).on_neighbors) {
      const Neighborhood& neighbors = (*communicator.topology())[communicator.rank()];
      sent = neighbors.out_blocks;
      received = neighbors.in_blocks;
    }
    // Elsewhere than here the standard says that they are not looked at.
    const bool sends = regular == Collective::scatter
                           ? is_root
                           : regular != Collective::gather && call.sendbuf != MPI_IN_PLACE;
    const bool receives = regular == Collective::gather ? is_root : regular != Collective::scatter;
    if (sends) sendtypes_ = keep(call.sendcounts, call.senddispls, call.sendtypes, sent);
    if (receives) recvtypes_ = keep(call.recvcounts, call.recvdispls, call.recvtypes, received);
  }
  Types keep(Numbers& counts, Numbers& displacements, const MPI_Datatype*& types, int entries) {
    counts = counts.at(copy(counts.values(), counts.bytes_each(), entries));
    displacements = displacements.at(copy(displacements.values(), displacements.bytes_each(), entries));
    types = static_cast<const MPI_Datatype*>(copy(types, sizeof(MPI_Datatype), entries));
    return types ? Types(types, static_cast<std::size_t>(entries)) : Types();
  }
  const void* copy(const void* array, std::size_t bytes_each, int entries) {
    if (!array || entries == 0) return array;
    const std::size_t bytes = bytes_each * static_cast<std::size_t>(entries);
    return std::memcpy(copies_.emplace_back(new std::byte[bytes]).get(), array, bytes);
  }

  std::vector<std::unique_ptr<std::byte[]>> copies_;
  Types sendtypes_, recvtypes_;  // where each block has its own
  std::optional<NamedHandles> named_;
};

}  // namespace tutti::run
