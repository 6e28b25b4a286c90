#pragma once

#include <cstdint>
#include <vector>

#include "runtime/mpi.hpp"
#include "schedule/schedule.hpp"

namespace tutti::runtime {

/// A number for the host this process runs on; the same on all its processes.
std::uint64_t host_id();

/// Hosts by rank from their numbers by rank.
Hosts hosts_from(const std::vector<std::uint64_t>& ids);

/// Hosts of the ranks of a communicator; collective.
Hosts hosts_of(MPI_Comm comm);

}  // namespace tutti::runtime
