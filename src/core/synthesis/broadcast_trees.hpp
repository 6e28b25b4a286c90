#pragma once

#include <vector>

#include "core/network/sites.hpp"
#include "core/synthesis/scheduled_transfer.hpp"

namespace tutti::inline core {

/// A broadcast's tree: the parent of each rank, −1 of its root.
using Tree = std::vector<Rank>;

/// Takes next, of all edges from a rank that has the message to one that has not, the one that
/// would be complete first.
/// Source: Bhat, Raghavendra, Prasanna, Efficient Collective Communication in Distributed
/// Heterogeneous Systems, 1999 (earliest completing edge first).
Tree earliest_completing_edges(const Network& network, int ranks, double bytes, Rank root);

/// A tree among the sites' first ranks (the root in its own site) and one in each site, found by
/// simulated annealing of the time until everybody has the message; the same at every run. Source:
/// Gupta, Vadhiyar, Application-Oriented Adaptive MPI_Bcast for Grids, 2006 (ClusteredSA).
Tree annealed(const Network& network, const Sites& sites, double bytes, Rank root);

/// An allgather by the trees of all ranks' blocks: of the edges whose parent has the block, the one
/// that would be complete first on single-port hosts is next. Block r goes down the r-th tree.
/// Source: Gupta, Vadhiyar, An Efficient MPI_Allgather for Grids, 2007, section 6.1.
ScheduledTransfers allgather_by_trees(const std::vector<Tree>& trees, const Network& network, double bytes,
                                      bool half_duplex);

}  // namespace tutti::inline core
