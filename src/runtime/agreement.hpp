#pragma once

#include <cstdint>
#include <span>

#include "mpi/handles.hpp"

namespace tutti::runtime {

/// What ranks tell each other of a time, in whole nanoseconds: sums of whole numbers are the same on every
/// rank, in whatever order a library adds them up.
struct SharedTime {
  std::int64_t in_call = 0;  ///< becomes the sum over ranks
  std::int64_t period = 0;   ///< the sum
  std::int64_t latest = 0;   ///< the maximum
};

/// Makes the times of this rank those of all ranks: collective, one native allreduce. Returns MPI's error
/// code.
int agree_on(std::span<SharedTime> times, MPI_Comm comm);

/// Gives back what agreements need of MPI, which is still running.
void release_agreements();

}  // namespace tutti::runtime
