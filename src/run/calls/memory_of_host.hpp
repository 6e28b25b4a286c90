#pragma once

#include <memory>

#include "run/calls/context.hpp"
#include "run/transport/host_memory.hpp"

namespace tutti::run {

/// What the memory that some ranks of a host share may occupy: bytes.
inline std::size_t host_memory_limit = std::size_t{256} << 20;

/// Memory shared by the ranks `here` of a communicator, those of this rank's host, which it knows
/// by their numbers in the context. Collective over the communicator. Communicators whose ranks
/// come to calls in one order share it, if they have the same ranks here; the last few that were
/// made stay for those that come.
std::shared_ptr<HostMemory> memory_of_host(MPI_Comm users, const Context& context,
                                           const std::vector<Rank>& here);

/// The same, shared with no other communicator, and collective among these ranks: of `limit` bytes
/// at most, or none.
std::unique_ptr<HostMemory> new_memory_of_host(const Context& context, const std::vector<Rank>& here,
                                               std::size_t limit);

/// Gives back what nobody uses. MPI is still running.
void release_memory_of_host();

}  // namespace tutti::run
