#pragma once

#include <atomic>
#include <optional>

#include "choose/settings/configuration.hpp"

namespace tutti::run {

/// What was found in MPI_Init, until the first agreement takes it.
inline constinit std::atomic<std::optional<KnownNonblocking>> found_nonblocking{std::nullopt};

/// What is known of nonblocking calls that are to be learnt of here (learns_of_nonblocking), as
/// MPI_Init asks on rank 0: the answer is kept for the first agreement, so that the file of what is
/// known is looked through once when a program starts.
inline KnownNonblocking find_nonblocking(const Job& job) {
  const KnownNonblocking found = learns_of_nonblocking(job);
  found_nonblocking = found;
  return found;
}

/// What is known of them, as agreements ask on rank 0: the first goes by what was found, later ones
/// look again, for by then the program may have learnt of such calls.
inline KnownNonblocking known_nonblocking(const Job& job) {
  const auto found = found_nonblocking.exchange(std::nullopt);
  return found ? *found : learns_of_nonblocking(job);
}

}  // namespace tutti::run
