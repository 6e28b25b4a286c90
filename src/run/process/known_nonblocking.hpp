#pragma once

#include <atomic>

#include "choose/settings/configuration.hpp"

namespace tutti::run {

/// What was found in MPI_Init, a KnownNonblocking, until the first agreement takes it. An optional
/// has padding, which GCC 13 and later can't clear in what is initialised at compile time.
inline constexpr int nothing_found = -1;
inline constinit std::atomic<int> found_nonblocking{nothing_found};

/// What is known of nonblocking calls that are to be learnt of here (learns_of_nonblocking), as
/// MPI_Init asks on rank 0: the answer is kept for the first agreement, so that the file of what is
/// known is looked through once when a program starts.
inline KnownNonblocking find_nonblocking(const Job& job) {
  const KnownNonblocking found = learns_of_nonblocking(job);
  found_nonblocking = static_cast<int>(found);
  return found;
}

/// What is known of them, as agreements ask on rank 0: the first goes by what was found, later ones
/// look again, for by then the program may have learnt of such calls.
inline KnownNonblocking known_nonblocking(const Job& job) {
  const int found = found_nonblocking.exchange(nothing_found);
  return found == nothing_found ? learns_of_nonblocking(job) : static_cast<KnownNonblocking>(found);
}

}  // namespace tutti::run
