#pragma once

#include <optional>

#include "mpi/handles.hpp"
#include "network/network.hpp"

namespace tutti::runtime {

/// What messages cost between a communicator's rank 0 and the first other rank on its host, and the first on
/// another, as far as there are such: a network of two ranks on one host and one on another. Takes 50 ms at
/// most. Collective, but only those ranks do anything; the result is rank 0's.
Network probe_quickly(MPI_Comm comm, Rank me, const Hosts& hosts);

}  // namespace tutti::runtime
