#include "synthesis/known_network.hpp"

#include "network/coarse.hpp"

namespace tutti {

KnownNetwork KnownNetwork::of(const Network& network, int ranks) {
  KnownNetwork known{coarse(network), ranks, {}, 0};
  known.pools = pool_tree(Bandwidths(known.network, ranks));
  known.fingerprint = tutti::fingerprint(known.network);
  return known;
}

std::vector<std::vector<Rank>> KnownNetwork::sites() const {
  if (pools.pools.empty()) return {pools.ranks};
  std::vector<std::vector<Rank>> sites;
  for (const Pool& pool : pools.pools) sites.push_back(pool.ranks);
  return sites;
}

}  // namespace tutti
