// Groups that nobody told: short messages find them, and what all of one send to another at once
// says whether they matter.

#include <algorithm>
#include <limits>

#include "choose/probing/constants.hpp"
#include "choose/probing/latencies_of_hosts.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/groups.hpp"
#include "core/schedule/by_place.hpp"

namespace tutti::inline choose {
namespace {

// The pools of hosts as pools of their ranks.
Pool of_ranks(const Pool& pool, const RanksOfHosts& hosts) {
  Pool all{pool.threshold, {}, {}};
  for (const int host : pool.ranks) {
    const auto& ranks = hosts[static_cast<std::size_t>(host)];
    all.ranks.insert(all.ranks.end(), ranks.begin(), ranks.end());
  }
  std::ranges::sort(all.ranks);
  for (const Pool& inner : pool.pools) all.pools.push_back(of_ranks(inner, hosts));
  return all;
}

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

// A group of all: what its parts send to each other has a way, too.
Network with_near_hosts(const Latencies& latencies, const RanksOfHosts& hosts, Network network) {
  const Pool pools = of_ranks(latency_pools(latencies), hosts);
  return pools.pools.empty() ? network : with_groups_of({0, pools.ranks, {pools}}, std::move(network));
}

Result<Network> probe_groups(Network network, Prober& prober, const ProbeHooks& hooks,
                             const std::optional<Latencies>& known) {
  const RanksOfHosts hosts = ranks_by_host(prober.site().hosts, prober.site().ranks);
  const auto count = static_cast<int>(hosts.size());
  if (count < probing::fewest_hosts_of_groups || count > most_ranks_apart) return network;
  try {
    Network near =
        with_near_hosts(known ? *known : measure_latencies(hosts, prober, hooks, never), hosts, network);
    if (near.group_of.empty()) return network;
    near = with_sites_of_trunks(std::move(near), prober.site().ranks);
    auto grouped = probe_ways(std::move(near), prober, hooks);
    return !grouped || std::ranges::any_of(grouped->groups, &Network::Group::has_narrow_ways)
               ? std::move(grouped)
               : network;
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
}

}  // namespace tutti::inline choose
