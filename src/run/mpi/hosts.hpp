#pragma once

#include <cstdint>
#include <vector>

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// A number for the host this process runs on; the same on all its processes.
std::uint64_t host_id();

/// A number for the socket of its host that this process is bound to; 0: to none, or not known.
std::uint64_t socket_id();

/// Hosts by rank, numbered from 0 on in the order of their first ranks, from any numbers by rank.
std::vector<int> hosts_from(const std::vector<std::uint64_t>& ids);

/// Sockets by rank, of all hosts, so numbered, from socket_id of each; empty where a rank is bound
/// to none.
std::vector<int> sockets_from(const std::vector<int>& hosts, const std::vector<std::uint64_t>& ids);

/// Hosts of the ranks of a communicator, so numbered; collective.
std::vector<int> hosts_of(MPI_Comm comm);

}  // namespace tutti::run
