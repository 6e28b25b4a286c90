#pragma once

#include "core/network/pool_tree.hpp"
#include "core/synthesis/scheduled_transfer.hpp"

namespace tutti::inline core {

/// Min³-Allgather: of all transfers by which a rank's block could enter a pool that does not have
/// it, the one that would be complete first is scheduled next; then each pool does the same with
/// its own pools. Every block enters every pool once. Block r is rank r's, and `bytes` long.
///
/// Of transfers that would be complete together the one is taken whose block comes first after its
/// receiver's own, then the one to the lowest rank: so that not all turn to the same sender.
///
/// Source: Gupta, Vadhiyar, An Efficient MPI_Allgather for Grids, 2007, section 5.
ScheduledTransfers min3_allgather(const Network& network, const Pool& pools, double bytes, bool half_duplex);

}  // namespace tutti::inline core
