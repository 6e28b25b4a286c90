#pragma once

#include "programs/measuring/workload.hpp"

namespace tutti::run {

/// A communicator of the same ranks in which they are neighbours as a topology says, on which plans
/// can run. Collective.
class NeighborComm {
 public:
  NeighborComm(Communicator& ranks, Topology topology);
  Communicator& communicator() { return *own_; }

 private:
  OwnComm comm_;
  std::unique_ptr<Communicator> own_;
};

/// A call between neighbours, whose topology the communicator knows: blocks of `size` bytes.
/// Simulated there is no native operation: all messages are then posted at once, in the order of
/// the neighbours, as libraries do.
std::unique_ptr<Workload> make_neighbor_workload(Communicator& communicator, Collective collective,
                                                 std::size_t size);

}  // namespace tutti::run
