#pragma once

#include <vector>

#include "core/network/sites.hpp"
#include "core/synthesis/scheduled_transfer.hpp"

namespace tutti::inline core {

/// Allgather by one coordinator a site, its first rank: everybody of the site gives it its block,
/// the coordinators send each other what their sites have, each to the next one first, and each
/// broadcasts everything in its site by a binomial tree. Source: Kielmann, Hofman, Bal, Plaat,
/// Bhoedjang, MagPIe: MPI's Collective Communication Operations for Clustered Wide Area Systems,
/// 1999.
ScheduledTransfers magpie_allgather(const Sites& sites, int blocks_a_rank);

/// Allgather with recursive doubling: blocks are gathered up the levels by it, in the sites and
/// among their coordinators, and everything is broadcast down by binomial trees.
/// Source: Karonis, de Supinski, Foster, Gropp, Lusk, Bresnahan, Exploiting Hierarchy in Parallel
/// Computer Networks to Optimize Collective Operation Performance, 2000.
ScheduledTransfers mpich_g2_allgather(const Sites& sites, int blocks_a_rank);

}  // namespace tutti::inline core
