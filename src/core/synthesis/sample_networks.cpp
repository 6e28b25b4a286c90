#include "core/synthesis/sample_networks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/schedule/by_place.hpp"

namespace tutti::inline core {

Network network_of_sites(const std::vector<int>& site_of) {
  Network network{.ranks = static_cast<int>(site_of.size()), .ports = PortUse::shared};
  std::map<std::pair<int, int>, int> numbers;
  for (const int a : site_of)
    for (const int b : site_of) {
      const auto [entry, added] =
          numbers.try_emplace(std::minmax(a, b), static_cast<int>(network.links.size()));
      if (added) {
        const double farther = 1 + 0.5 * (a + b);
        network.links.push_back(Link::swift(a == b
                                                ? Hockney{.alpha = 60e-6, .beta = 1e-7}
                                                : Hockney{.alpha = 0.03 * farther, .beta = 3e-6 * farther}));
      }
      network.link_of.push_back(entry->second);
    }
  return network;
}

std::vector<Network> sample_networks(int ranks) {
  std::vector<int> halves, uneven, mixed;
  for (Rank rank = 0; rank < ranks; ++rank) {
    halves.push_back(2 * rank < ranks ? 0 : 1);
    uneven.push_back(rank < ranks / 2 ? 0 : rank < ranks - ranks / 5 ? 1 : 2);
    mixed.push_back(rank % 3);
  }
  std::vector<Network> networks{network_of_sites(halves), network_of_sites(uneven), network_of_sites(mixed)};
  if (ranks > 2) networks.back().trunks.push_back({.from = 0, .to = 1, .seconds_per_byte = 1.5e-6});
  return networks;
}

std::vector<Network> sample_networks_of_levels(int ranks) {
  const int leaves = std::max(1, 2 * ranks / 3);
  std::vector<int> filled, scattered;
  for (Rank rank = 0; rank < ranks; ++rank) {
    filled.push_back(rank * leaves / ranks);
    scattered.push_back((3 * rank + rank / 2) % leaves);
  }
  std::vector<Network> networks;
  // By how many leaves each place of a level has, the outermost first, and what part of a host that
  // is.
  const std::vector<std::pair<int, std::optional<HostPart>>> around_hosts{{8, {}}, {4, {}}, {1, {}}},
      within_hosts{{4, HostPart::socket}, {2, HostPart::numa}, {1, HostPart::cache}};
  for (const auto& [levels, leaves_of_host] : {std::pair(around_hosts, 2), std::pair(within_hosts, 8)})
    for (const auto& leaf_of : {filled, scattered}) {
      Network& network = networks.emplace_back(Network::uniform({.alpha = 1e-5, .beta = 1e-9}));
      std::map<std::pair<int, int>, int> numbers;  // of groups, by leaves of each and the number there
      std::vector<int> host_of;
      for (const int leaf : leaf_of) {
        int within = Network::Group::none;
        for (const auto& [each, part] : levels) {
          const auto [entry, added] =
              numbers.try_emplace({each, leaf / each}, static_cast<int>(network.groups.size()));
          if (added) network.groups.push_back({.within = within, .part = part});
          within = entry->second;
        }
        network.group_of.push_back(within);
        host_of.push_back(leaf / leaves_of_host);
      }
      network.hosts = numbered(host_of);
    }
  return networks;
}

}  // namespace tutti::inline core
