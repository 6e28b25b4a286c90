#include "choose/probing/latencies_of_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "choose/probing/constants.hpp"

namespace tutti::inline choose {

Latencies measure_latencies(const RanksOfHosts& hosts, Prober& prober, const ProbeHooks& hooks,
                            double until) {
  const auto count = static_cast<int>(hosts.size());
  Latencies latencies(count);
  // Rounds are drawn, for in those at even distances two hosts would have no third in common.
  std::vector<int> rounds(static_cast<std::size_t>(count_rounds(count)));
  std::iota(rounds.begin(), rounds.end(), 0);
  std::ranges::shuffle(rounds, std::mt19937_64{});
  rounds.resize(std::min<std::size_t>(rounds.size(), probing::most_rounds_of_latencies));
  const int repetitions = prober.site().simulated ? 1 : probing::least_of_short;
  for (std::size_t i = 0; i < rounds.size() && hooks.clock() < until; ++i) {
    hooks.progress(1, fmt::format("latencies between hosts, round {} of {}", i + 1, rounds.size()));
    const auto pairs = round_of_pairs(count, rounds[i]);
    std::vector<std::vector<Rank>> groups;
    for (const auto& [a, b] : pairs)
      groups.push_back(
          {hosts[static_cast<std::size_t>(a)].front(), hosts[static_cast<std::size_t>(b)].front()});
    const auto times = prober.run(Experiment::round_trip, groups, probing::short_bytes, repetitions);
    if (!times) throw times.error();
    for (std::size_t pair = 0; pair < pairs.size(); ++pair)
      latencies.set(pairs[pair].first, pairs[pair].second, std::max(0.0, (*times)[pair] / 2));
  }
  return latencies;
}

}  // namespace tutti::inline choose
