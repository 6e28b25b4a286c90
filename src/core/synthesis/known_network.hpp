#pragma once

#include <cstdint>
#include <vector>

#include "core/network/group_levels.hpp"
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
  GroupLevels levels;  ///< of its groups or its torus, else of its pools
  std::uint64_t fingerprint;

  /// The first `ranks` ranks of a network.
  static KnownNetwork of(const Network& network, int ranks);
};

/// The levels of the network of a setting or a shape; null where it does not know these ranks.
template <typename OfRanks>
const GroupLevels* levels_of_network(const OfRanks& of) {
  const bool knows_ranks =
      of.network && of.network->ranks == of.ranks && of.network->network.known_ranks() > 0;
  return knows_ranks ? &of.network->levels : nullptr;
}

/// The levels that a plan goes by on the ranks of a setting or a shape: those that were told, which
/// are of these very hosts, else those of the network, where it knows such ranks; null: neither is
/// known.
template <typename OfRanks>
const GroupLevels* levels_of(const OfRanks& of) {
  return of.levels ? of.levels : levels_of_network(of);
}

}  // namespace tutti::inline core
