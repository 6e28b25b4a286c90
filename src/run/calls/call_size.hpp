#pragma once

#include "run/calls/communicator.hpp"
#include "run/mpi/call.hpp"

namespace tutti::run {

/// What decides about a call: the same on all ranks.
struct CallFacts {
  /// Size in bytes (CollectiveTraits::size_means). 0 where there is none, −1 for arguments that MPI
  /// will have something to say about.
  std::ptrdiff_t size;
  bool commutative = true;  ///< the operation of a reduction
  bool exact = true;        ///< its results do not depend on the order of operands
  bool whole = false;       ///< the operation is the program's own, and gets whole vectors
};
CallFacts facts_of(Collective collective, const Communicator& communicator, const Call& call);

}  // namespace tutti::run
