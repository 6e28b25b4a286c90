#pragma once

#include <vector>

#include "core/network/network.hpp"

namespace tutti::inline core {

/// The ranks of each site, ascending.
using Sites = std::vector<std::vector<Rank>>;

/// The number of each rank's site, of `ranks` ranks that are all in one.
std::vector<std::size_t> site_by_rank(const Sites& sites, int ranks);

/// What all messages from one site to another have to share: seconds a byte of all of them
/// together; 0 where nothing was found to be shared.
double trunk_between(const Network& network, const std::vector<Rank>& from, const std::vector<Rank>& to);

/// The least time, in seconds, in which any algorithm can do a collective between sites: what has
/// to enter or leave a site takes its latency and, at the rate of all its connections together or
/// of the trunks that they share, its transfer; and every host has to receive what it needs and
/// send what nobody else has. `size` is what `CollectiveTraits::size_means` says; the root is rank
/// 0. 0 for one site and for collectives of which nothing is known.
double lower_bound(Collective collective, std::size_t size, const Network& network, const Sites& sites);

/// The least time, in seconds, that the first `ranks` ranks of a network take for what has to enter
/// or leave its groups, at the rates of the ways and trunks that lead there. 0 without groups.
double lower_bound_of_groups(Collective collective, std::size_t size, const Network& network, int ranks);

}  // namespace tutti::inline core
