#pragma once

#include <mpi.h>

#include <optional>

#include "schedule/topology.hpp"

namespace tutti::runtime {

/// Who is whose neighbour in a communicator that MPI_Cart_create, MPI_Graph_create or MPI_Dist_graph_create
/// has made. Nothing, on all ranks, where there are no neighbours, too many of them, or several edges between
/// two ranks in an order that nobody knows. Collective.
std::optional<Topology> neighbors_in(MPI_Comm comm, int ranks);

}  // namespace tutti::runtime
