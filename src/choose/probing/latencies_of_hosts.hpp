#pragma once

#include <vector>

#include "choose/probing/probing.hpp"
#include "core/network/latency_pools.hpp"

namespace tutti::inline choose {

/// By host, its ranks.
using RanksOfHosts = std::vector<std::vector<Rank>>;

/// A rank of each host, the first.
inline std::vector<Rank> first_ranks(const RanksOfHosts& hosts) {
  std::vector<Rank> first;
  for (const auto& ranks : hosts) first.push_back(ranks.front());
  return first;
}

/// What short messages take between the first ranks of hosts, in a bounded number of rounds of
/// disjoint pairs. Where there are more, some are drawn, and in the others hosts meet that these
/// show to be near each other. No round begins when the clock says `until`, in seconds. Throws the
/// Error of an experiment.
Latencies measure_latencies(const RanksOfHosts& hosts, Prober& prober, const ProbeHooks& hooks, double until);

/// The network with groups of hosts that are clearly nearer to each other than others, by
/// latency_pools, in one group of all; as it is where there are none. The network has no groups.
Network with_near_hosts(const Latencies& latencies, const RanksOfHosts& hosts, Network network);

}  // namespace tutti::inline choose
