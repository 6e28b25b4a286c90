#include "choose/evidence/table_network.hpp"

#include <algorithm>
#include <numeric>

#include "core/network/in_groups.hpp"
#include "core/network/quantised.hpp"
#include "core/network/sites.hpp"

namespace tutti::inline choose {
namespace {

// Nothing where there are fewer, or they are on another number of hosts.
std::optional<Network> first_ranks_of(const Network& network, Placement placement) {
  if (network.known_ranks() < static_cast<std::size_t>(placement.ranks)) return std::nullopt;
  std::vector<Rank> first(static_cast<std::size_t>(placement.ranks));
  std::iota(first.begin(), first.end(), 0);
  Network some = restricted(network, first);
  const int hosts = some.hosts.empty() ? placement.ranks : count(some.hosts);
  return hosts == placement.hosts ? std::optional(std::move(some)) : std::nullopt;
}

}  // namespace

std::optional<Network> whole_network_of(const Table& table, Placement placement) {
  return table.links ? first_ranks_of(*table.links, placement) : std::nullopt;
}

std::optional<Network> groups_of(const Table& table, Placement placement) {
  if (!table.model || table.model->group_of.empty()) return std::nullopt;
  return first_ranks_of(*table.model, placement);
}

std::optional<Network> network_of(const Table& table, const Hosts& hosts) {
  const Placement placement{static_cast<int>(hosts.size()), count(hosts)};
  std::optional<Network> network = whole_network_of(table, placement);
  if (network || !table.model) return network;
  const std::optional<Network> groups = groups_of(table, placement);
  return network_in_groups(*table.model, groups ? groups->hosts : hosts, groups ? &*groups : nullptr);
}

double TableLimit::of(Collective collective, std::size_t size) const {
  if (table_.network.beta <= 0) return 0;
  const double of_ports = lower_bound(collective, placement_.ranks, size, table_.network);
  return knows_groups()
             ? std::max(of_ports, lower_bound_of_groups(collective, size, *network_, placement_.ranks))
             : of_ports;
}

}  // namespace tutti::inline choose
