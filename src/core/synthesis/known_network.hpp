#pragma once

#include <cstdint>
#include <vector>

#include "core/network/network.hpp"
#include "core/network/pool_tree.hpp"
#include "core/network/sites.hpp"

namespace tutti::inline core {

/// What schedules are computed for: a network without what scatters in its measurements
/// (quantised), so that all who know it compute the same.
struct KnownNetwork {
  Network network;
  int ranks;
  Pool pools;
  /// Pools whose ranks are near to each other and far from the rest, so that what is between them
  /// counts no more; else the smallest ones of several hosts, and hosts that are in none.
  Sites sites;
  std::vector<Rank> order;  ///< so that near by number is near in the network: by groups, else by pools
  Hosts groups;             ///< by rank: of the outermost groups (outermost_groups)
  Hosts switches;           ///< by rank: innermost_groups_of_hosts
  Hosts sockets;            ///< by rank: outermost_groups_within_hosts
  std::uint64_t fingerprint;

  /// The first `ranks` ranks of a network.
  static KnownNetwork of(const Network& network, int ranks);
};

}  // namespace tutti::inline core
