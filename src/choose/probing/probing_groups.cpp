// Groups that nobody told: short messages find them, and what all of one send to another at once
// says whether they matter.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>

#include "choose/probing/constants.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/groups.hpp"
#include "core/network/latency_pools.hpp"
#include "core/schedule/by_place.hpp"

namespace tutti::inline choose {
namespace {

using RanksOfHosts = std::vector<std::vector<Rank>>;

Latencies measure_latencies(const RanksOfHosts& hosts, Prober& prober, const ProbeHooks& hooks) {
  const auto count = static_cast<int>(hosts.size());
  Latencies latencies(count);
  // Where there are many rounds some are drawn: in rounds at even distances two hosts had no third
  // in common.
  std::vector<int> all(static_cast<std::size_t>(count_rounds(count))), rounds;
  std::iota(all.begin(), all.end(), 0);
  std::ranges::sample(all, std::back_inserter(rounds), probing::most_rounds_of_groups, std::mt19937_64{});
  const int repetitions = prober.site().simulated ? 1 : probing::least_of_short;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    hooks.progress(1, fmt::format("groups of hosts, round {} of {}", i + 1, rounds.size()));
    const auto pairs = round_of_pairs(count, rounds[i]);
    std::vector<std::vector<Rank>> groups;
    for (const auto& [a, b] : pairs)
      groups.push_back(
          {hosts[static_cast<std::size_t>(a)].front(), hosts[static_cast<std::size_t>(b)].front()});
    const auto times = prober.run(Experiment::round_trip, groups, probing::short_bytes, repetitions);
    if (!times) throw times.error();
    for (std::size_t pair = 0; pair < pairs.size(); ++pair)
      latencies.set(pairs[pair].first, pairs[pair].second, (*times)[pair] / 2);
  }
  return latencies;
}

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

bool is_narrow(const Network::Group& group) {
  return group.out > 0 || group.in > 0 || group.between > 0;
}

}  // namespace

Result<Network> probe_groups(Network network, Prober& prober, const ProbeHooks& hooks) {
  const RanksOfHosts hosts = ranks_by_host(prober.site().hosts, prober.site().ranks);
  const auto count = static_cast<int>(hosts.size());
  if (count < 4 || count > probing::most_ranks_apart) return network;
  try {
    const Pool pools = of_ranks(latency_pools(measure_latencies(hosts, prober, hooks)), hosts);
    if (pools.pools.empty()) return network;
    // A group of all: what its parts send to each other has a way, too.
    auto grouped = probe_ways(with_groups_of({0, pools.ranks, {pools}}, network), prober, hooks);
    return !grouped || std::ranges::any_of(grouped->groups, is_narrow) ? std::move(grouped) : network;
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
}

}  // namespace tutti::inline choose
