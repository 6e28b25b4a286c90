#include "choose/probing/latencies_of_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>

#include "choose/probing/constants.hpp"

namespace tutti::inline choose {

Latencies measure_latencies(const RanksOfHosts& hosts, Prober& prober, const ProbeHooks& hooks,
                            double until) {
  const auto count = static_cast<int>(hosts.size());
  Latencies latencies(count);
  // In rounds at even distances two hosts had no third in common.
  std::vector<int> all(static_cast<std::size_t>(count_rounds(count))), rounds;
  std::iota(all.begin(), all.end(), 0);
  std::ranges::sample(all, std::back_inserter(rounds), probing::most_rounds_of_latencies, std::mt19937_64{});
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
      latencies.set(pairs[pair].first, pairs[pair].second, (*times)[pair] / 2);
  }
  return latencies;
}

}  // namespace tutti::inline choose
