#pragma once

#include <cstdint>
#include <vector>

#include "network/network.hpp"
#include "network/pool_tree.hpp"
#include "network/sites.hpp"

namespace tutti {

/// What schedules are computed for: a network without what scatters in its measurements (coarse), so that all
/// who know it compute the same.
struct KnownNetwork {
  Network network;
  int ranks;
  Pool pools;
  std::uint64_t fingerprint;

  /// The first `ranks` ranks of a network.
  static KnownNetwork of(const Network& network, int ranks);

  /// The smallest pools of several hosts, and hosts that are in none: whose ranks are near to each other.
  Sites sites() const;
};

}  // namespace tutti
