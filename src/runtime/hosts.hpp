#pragma once

#include <cstdint>
#include <vector>

#include "runtime/mpi.hpp"

namespace tutti::runtime {

/// A number for the host this process runs on; the same on all its processes.
std::uint64_t host_id();

/// How many different hosts there are in a list of their numbers.
int count_distinct(std::vector<std::uint64_t> hosts);

/// Hosts among the ranks of a communicator; collective.
int count_hosts(MPI_Comm comm);

}  // namespace tutti::runtime
