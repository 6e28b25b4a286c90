#include "choose/evidence/table_network.hpp"

#include <algorithm>
#include <numeric>

#include "core/network/quantised.hpp"
#include "core/network/sites.hpp"

namespace tutti::inline choose {

std::optional<Network> whole_network_of(const Table& table, Placement placement) {
  if (!table.links || table.links->known_ranks() < static_cast<std::size_t>(placement.ranks))
    return std::nullopt;
  std::vector<Rank> first(static_cast<std::size_t>(placement.ranks));
  std::iota(first.begin(), first.end(), 0);
  Network network = restricted(*table.links, first);
  const int hosts = network.hosts.empty() ? placement.ranks : count(network.hosts);
  return hosts == placement.hosts ? std::optional(std::move(network)) : std::nullopt;
}

std::optional<Network> network_of(const Table& table, const Hosts& hosts) {
  const Placement placement{static_cast<int>(hosts.size()), count(hosts)};
  std::optional<Network> network = whole_network_of(table, placement);
  if (network || !table.model) return network;
  network = table.model;
  network->hosts = hosts;
  return network;
}

double TableLimit::of(Collective collective, std::size_t size) const {
  if (table_.network.beta <= 0) return 0;
  const double of_ports = lower_bound(collective, placement_.ranks, size, table_.network);
  return knows_groups()
             ? std::max(of_ports, lower_bound_of_groups(collective, size, *network_, placement_.ranks))
             : of_ports;
}

}  // namespace tutti::inline choose
