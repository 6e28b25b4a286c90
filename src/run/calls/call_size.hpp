#pragma once

#include "run/calls/communicator.hpp"
#include "run/mpi/call.hpp"

namespace tutti::run {

/// What decides about a call: the same on all ranks, but for one member.
struct CallFacts {
  /// Size in bytes (CollectiveTraits::size_means). 0 where there is none, −1 for arguments that MPI
  /// will have something to say about. Where each rank knows its own (has_own_sizes) 0, until ranks
  /// have agreed on one: then a size that stands for its class.
  std::ptrdiff_t size;
  bool commutative = true;  ///< the operation of a reduction
  bool exact = true;        ///< its results do not depend on the order of operands
  bool whole = false;       ///< the operation is the program's own, and gets whole vectors
  /// Bytes of the mean block of what this rank gives or gets, whichever is more, where that is all
  /// that it knows of the size (has_own_sizes). Ranks differ in it: it decides nothing.
  std::size_t own = 0;
};
CallFacts facts_of(Collective collective, const Communicator& communicator, const Call& call);

}  // namespace tutti::run
