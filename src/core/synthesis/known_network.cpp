#include "core/synthesis/known_network.hpp"

#include <algorithm>
#include <numeric>

#include "core/network/groups.hpp"
#include "core/network/quantised.hpp"

namespace tutti::inline core {
namespace {

// A pool with this many times the bandwidth between sites is a site, whatever it consists of.
constexpr double near_enough = 10;

void collect_sites(const Pool& pool, double far, const Network& network, Sites& sites) {
  const auto is_host = [&](const Pool& inner) {
    return std::all_of(inner.ranks.begin(), inner.ranks.end(),
                       [&](Rank rank) { return network.host(rank) == network.host(inner.ranks.front()); });
  };
  if (pool.threshold >= near_enough * far || std::all_of(pool.pools.begin(), pool.pools.end(), is_host))
    sites.push_back(pool.ranks);
  else
    for (const Pool& inner : pool.pools) collect_sites(inner, far, network, sites);
}

Network between_first(const Network& network, int ranks) {
  if (network.known_ranks() <= static_cast<std::size_t>(ranks)) return quantised(network);
  std::vector<Rank> first(static_cast<std::size_t>(ranks));
  std::iota(first.begin(), first.end(), 0);
  return quantised(restricted(network, first));
}

}  // namespace

KnownNetwork KnownNetwork::of(const Network& network, int ranks) {
  KnownNetwork known{between_first(network, ranks), ranks, {}, {}, {}, 0};
  known.pools = pool_tree(known.network, ranks);
  collect_sites(known.pools, known.pools.threshold, known.network, known.sites);
  known.levels = GroupLevels::of(known.network, ranks);
  if (!known.levels.tells_hosts_apart() && !known.network.torus) {
    GroupLevels of_pools = GroupLevels::of(with_groups_of(known.pools, known.network), ranks);
    if (!known.network.group_of.empty()) of_pools.in_hosts = std::move(known.levels.in_hosts);
    known.levels = std::move(of_pools);
  }
  known.fingerprint = tutti::fingerprint(known.network);
  return known;
}

}  // namespace tutti::inline core
