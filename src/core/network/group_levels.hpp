#pragma once

#include <vector>

#include "core/network/network.hpp"

namespace tutti::inline core {

/// Where the ranks of a communicator are in a network's groups, level by level, by rank and
/// numbered as hosts are. A level that tells no ranks apart is empty.
struct GroupLevels {
  /// Ranks in an order in which neighbours are near in the network: in_order_of_groups, or, where
  /// groups tell no hosts apart, by places in a torus, along its first side beside each other.
  std::vector<Rank> order;
  Hosts groups;            ///< outermost_groups
  Hosts switches;          ///< innermost_groups_of_hosts
  PlacesInHosts in_hosts;  ///< groups_in_hosts
  /// levels_of_groups: the first are switches, the last the outermost groups.
  std::vector<Hosts> by_height;
  /// The sides of a torus in that order, the last side first and behind them the ranks of a host
  /// where there are several: a grid of these sides has the ranks of each line of the torus in one
  /// group. Empty where some place has no rank, or fewer than others.
  std::vector<int> sides;

  /// The levels of a network's first `ranks` ranks.
  static GroupLevels of(const Network& network, int ranks);
  /// Whether some level tells hosts apart.
  bool tells_hosts_apart() const { return !groups.empty() || !switches.empty(); }
  /// The levels that do, the innermost first.
  std::vector<const Hosts*> of_hosts() const;
};

}  // namespace tutti::inline core
