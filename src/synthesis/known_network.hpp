#pragma once

#include <cstdint>
#include <vector>

#include "network/network.hpp"
#include "network/pool_tree.hpp"

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

  /// The pools of the first level, or all ranks where there is one site only.
  std::vector<std::vector<Rank>> sites() const;
};

}  // namespace tutti
