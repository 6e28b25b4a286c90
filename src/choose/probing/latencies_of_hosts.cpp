#include "choose/probing/latencies_of_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>

#include "choose/probing/constants.hpp"

namespace tutti::inline choose {
namespace {

// Disjoint pairs of hosts that exchange messages at the same time.
using Round = std::vector<std::pair<int, int>>;

// Some of the rounds in which all hosts meet. They are drawn, for in those at even distances two
// hosts would have no third in common.
std::vector<Round> rounds_of_all(int hosts, std::size_t count, std::mt19937_64& random) {
  std::vector<int> numbers(static_cast<std::size_t>(count_rounds(hosts)));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::ranges::shuffle(numbers, random);
  numbers.resize(std::min(numbers.size(), count));
  std::vector<Round> rounds;
  for (const int number : numbers) rounds.push_back(round_of_pairs(hosts, number));
  return rounds;
}

// How far two hosts that have not met may be from each other, as others show: near a third one,
// neither is far from the other; and by how much what they have to others differs. Seconds, 0 where
// no host has met both.
Latencies distances_by_others(const Latencies& known) {
  const int hosts = known.hosts();
  const Latencies differences = mean_differences(known);
  Latencies distances(hosts);
  for (int third = 0; third < hosts; ++third) {
    const std::vector<int> met = known.met_by(third);
    for (const int a : met)
      for (const int b : met) {
        if (a >= b || known(a, b) > 0) continue;
        const double distance = std::max(known(third, a), known(third, b)) + differences(a, b);
        if (distances(a, b) == 0 || distance < distances(a, b)) distances.set(a, b, distance);
      }
  }
  return distances;
}

// Rounds of hosts that have not met, the nearest first.
std::vector<Round> rounds_of_near(const Latencies& known, std::size_t count, std::mt19937_64& random) {
  struct Pair {
    double distance;
    int a, b;
  };
  const Latencies distances = distances_by_others(known);
  const int hosts = known.hosts();
  std::vector<Pair> pairs;
  for (int a = 0; a < hosts; ++a)
    for (int b = a + 1; b < hosts; ++b)
      if (distances(a, b) > 0) pairs.push_back({distances(a, b), a, b});
  std::ranges::shuffle(pairs, random);
  std::ranges::stable_sort(pairs, {}, &Pair::distance);
  static_assert(probing::rounds_between_looks < 64);
  const std::uint64_t all = (std::uint64_t{1} << count) - 1;
  std::vector<Round> rounds(count);
  std::vector<std::uint64_t> left(static_cast<std::size_t>(hosts), all);  // rounds, as bits
  for (const auto& [distance, a, b] : pairs) {
    std::uint64_t &of_a = left[static_cast<std::size_t>(a)], &of_b = left[static_cast<std::size_t>(b)];
    const std::uint64_t of_both = of_a & of_b;
    if (of_both == 0) continue;
    const int round = std::countr_zero(of_both);
    of_a &= ~(std::uint64_t{1} << round);
    of_b &= ~(std::uint64_t{1} << round);
    rounds[static_cast<std::size_t>(round)].emplace_back(a, b);
  }
  std::erase_if(rounds, [](const Round& round) { return round.empty(); });
  return rounds;
}

}  // namespace

Latencies measure_latencies(const RanksOfHosts& hosts, Prober& prober, const ProbeHooks& hooks,
                            double until) {
  const auto count = static_cast<int>(hosts.size());
  const int repetitions = prober.site().simulated ? 1 : probing::least_of_short;
  const auto all = static_cast<std::size_t>(count_rounds(count));
  const std::size_t most = std::min(all, probing::most_rounds_of_latencies);
  Latencies latencies(count);
  std::size_t done = 0;
  const auto measure = [&](const std::vector<Round>& rounds) {
    for (const Round& pairs : rounds) {
      if (hooks.clock() >= until) return;
      hooks.progress(1, fmt::format("latencies between hosts, round {} of {}", ++done, most));
      std::vector<std::vector<Rank>> groups;
      for (const auto& [a, b] : pairs)
        groups.push_back(
            {hosts[static_cast<std::size_t>(a)].front(), hosts[static_cast<std::size_t>(b)].front()});
      const auto times = prober.run(Experiment::round_trip, groups, probing::short_bytes, repetitions);
      if (!times) throw times.error();
      for (std::size_t pair = 0; pair < pairs.size(); ++pair)
        latencies.set(pairs[pair].first, pairs[pair].second, std::max(0.0, (*times)[pair] / 2));
    }
  };
  std::mt19937_64 random;
  measure(rounds_of_all(count, most == all ? all : probing::rounds_of_any_hosts, random));
  while (done < most && hooks.clock() < until) {
    const auto rounds =
        rounds_of_near(latencies, std::min(most - done, probing::rounds_between_looks), random);
    if (rounds.empty()) break;
    measure(rounds);
  }
  return latencies;
}

}  // namespace tutti::inline choose
