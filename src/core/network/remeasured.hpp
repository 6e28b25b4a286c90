#pragma once

#include <vector>

#include "core/network/sites.hpp"

namespace tutti::inline core {

/// What a message between two ranks takes now, either way.
struct PairTime {
  Rank a, b;
  double seconds;
};

/// The network with new bandwidths where messages of `bytes` bytes now take another time than its
/// links say, by more than a tenth: those links' times are stretched, their latencies stay. Where
/// several pairs of the same two sites were measured and all have become slower, or all faster, so
/// have the others. What hops of a torus take is in the links then. Unchanged where links go by
/// hosts and ranks are too many for others (most_ranks_apart).
Network remeasured(const Network& network, int ranks, double bytes, const std::vector<PairTime>& times,
                   const Sites& sites);

}  // namespace tutti::inline core
