#pragma once

#include <atomic>

#include "choose/settings/configuration.hpp"

namespace tutti::run {

/// What was found in MPI_Init, until the first agreement takes it.
enum class FoundNonblocking : unsigned char { unknown, no, yes };
inline constinit std::atomic<FoundNonblocking> found_nonblocking{FoundNonblocking::unknown};

/// Whether nonblocking calls are to be learnt of here (learns_of_nonblocking), as MPI_Init asks on
/// rank 0: the answer is kept for the first agreement, so that the file of what is known is looked
/// through once when a program starts.
inline bool find_nonblocking(const Job& job) {
  const bool found = learns_of_nonblocking(job);
  found_nonblocking = found ? FoundNonblocking::yes : FoundNonblocking::no;
  return found;
}

/// Whether they are to be learnt of, as agreements ask on rank 0: the first goes by what was found,
/// later ones look again, for by then the program may have learnt of such calls.
inline bool knows_nonblocking(const Job& job) {
  const FoundNonblocking found = found_nonblocking.exchange(FoundNonblocking::unknown);
  return found == FoundNonblocking::unknown ? learns_of_nonblocking(job) : found == FoundNonblocking::yes;
}

}  // namespace tutti::run
