#pragma once

#include "core/synthesis/crossing.hpp"
#include "core/synthesis/scheduled_transfer.hpp"

namespace tutti::inline core {

/// Collectives between sites, every piece of a block by another pair of hosts: it enters each site
/// once, and all that the wide area carries at once is used. What has entered is spread in the
/// site, or combined there before, while the next pieces are on their way. `bytes` are those of a
/// block of the shape; the network is of the shape's ranks.
///
/// What Gupta and Vadhiyar hold of wide-area links, that they sustain many simultaneous transfers,
/// taken further than they do.
ScheduledTransfers across_sites(const Shape& shape, const Network& network, const Sites& sites, double bytes);

/// Writes an alltoall, of which every pair of ranks has a block: those to other sites leave first.
void write_alltoall(Builder& builder, const Sites& sites);

/// Number of pieces into which to cut what is `bytes` long, so that every pair of sites has
/// `a_pair` for each of its pairs of hosts: of a vector, or of each rank's block. Fewer where the
/// schedule, which has about `transfers` for a piece of each, would have too many.
int pieces_across(const Network& network, const Sites& sites, bool of_vector, int a_pair, double bytes,
                  std::size_t transfers);

}  // namespace tutti::inline core
