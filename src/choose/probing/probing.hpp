#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "choose/evidence/measurer.hpp"
#include "choose/probing/prober.hpp"
#include "core/network/latency_pools.hpp"
#include "core/network/network.hpp"

namespace tutti::inline choose {

/// How thoroughly a network is to be learnt.
struct ProbeRequest {
  double budget_s = 60;
  std::size_t largest = 1 << 20;  ///< bytes; messages beyond go on along the last line
  int most_partners = 48;         ///< most rounds in which pairs are measured, the others by their like
  bool overheads = true;          ///< whether to learn what messages cost their processors
};

struct ProbeHooks {
  /// The share that is done, from 0 to 1, and what comes next.
  std::function<void(double share, const std::string& doing)> progress = [](double, const std::string&) {};
  std::function<double()> clock;  ///< seconds since probing was asked for
};

/// Learns the network of a site by experiments between its ranks.
///
/// Pairs are measured in rounds of disjoint pairs, at two sizes; those that differ by less than a
/// tenth in their rate and in their latency are one class of links (on real networks, whose times
/// scatter, a fifth and a factor of 2.5). Of each class one pair is measured at many sizes, more
/// where straight lines miss the times between (as PLogP's authors do). Pairs that the rounds leave
/// out have the links of their like (`links_of_pairs`), as short messages between all hosts tell.
/// Fails if the site does, or has one rank only. `latencies` gets those between hosts where there
/// was a reason to measure them, and time. Source: Kielmann, Bal, Verstoep, Fast Measurement of
/// LogP Parameters for Message Passing Platforms, 2000.
Result<Network> probe(const ProbeRequest& request, Prober& prober, const ProbeHooks& hooks,
                      std::optional<Latencies>* latencies = nullptr);

/// Learns the parameters of LMO from round trips between all pairs and one-to-two experiments, with
/// messages of 64 KiB. On at least three ranks, and not on so many that tables of all pairs are
/// large (most_ranks_apart).
Result<Lmo> probe_lmo(Prober& prober, const ProbeHooks& hooks);

/// Runs the linear algorithm of gather or scatter on all ranks again and again, at sizes from 1 KiB
/// up, within `budget_s` seconds: the time of each run.
Result<Repetitions> repeat_linear(Collective collective, Measurer& measurer, std::size_t largest,
                                  double budget_s, const ProbeHooks& hooks);

/// The network with the torus in which its hosts are, where short messages tell one
/// (torus_by_latencies), and long ones that meet on its links take what it says. `latencies` are
/// measured where they are not known.
Result<Network> probe_torus(Network network, Prober& prober, const ProbeHooks& hooks,
                            std::optional<Latencies>& latencies);

/// The network with how many messages hosts' ports carry at a time: one host and some others send
/// to each other at once, one way and the other, and where that is more than a link, all hosts do.
/// In a torus, whose links count by themselves, the others are neighbours, and all hosts do not.
Result<Network> probe_port_width(Network network, Prober& prober, const ProbeHooks& hooks);

/// How the bandwidth between any two sites of a network grows with the pairs of ranks that send at
/// the same time, 1, 4, 16, … 1024; what they share where it ceases to. Nothing where there is one
/// site, or more than a grid of clusters has.
Result<std::vector<Trunk>> probe_trunks(const Network& network, Prober& prober, const ProbeHooks& hooks);

/// A network of so many ranks, of which some trunk is shared, with its sites among its groups, so
/// that prices queue messages between them there; as it was where sites tear its hosts or groups
/// apart, or no trunk is shared.
Network with_sites_of_trunks(Network network, int ranks);

/// The network with what the ways of its groups let through, where that is less than the ports of
/// their hosts: some hosts of one group, of each level the largest, send to as many of others at
/// once. Groups within hosts are left as they are.
Result<Network> probe_ways(Network network, Prober& prober, const ProbeHooks& hooks);

/// The network with what the ways of its groups within hosts let through, between ranks, where that
/// is less than their links.
Result<Network> probe_ways_in_hosts(Network network, Prober& prober, const ProbeHooks& hooks);

/// The network with the groups of hosts that short messages tell apart, and what their ways let
/// through, sites of its trunks among them; without groups where no way is narrow. Pairs of hosts
/// are measured in a bounded number of rounds, unless they are known; on very many hosts nothing is
/// looked for.
Result<Network> probe_groups(Network network, Prober& prober, const ProbeHooks& hooks,
                             const std::optional<Latencies>& known = std::nullopt);

/// A network with its bandwidths measured again, pair by pair in rounds of disjoint pairs, as many
/// as there is time for.
Result<Network> refresh(const Network& network, Prober& prober, double budget_s, const ProbeHooks& hooks);

/// Rounds of disjoint pairs in which every two ranks are a pair once.
/// Source: Kirkman, On a Problem in Combinations, 1847 (the circle method).
int count_rounds(int ranks);
std::vector<std::pair<Rank, Rank>> round_of_pairs(int ranks, int round);

}  // namespace tutti::inline choose
