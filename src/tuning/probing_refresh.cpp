#include <fmt/format.h>

#include "network/remeasured.hpp"
#include "synthesis/known_network.hpp"
#include "tuning/probing.hpp"

namespace tutti {

Result<Network> refresh(const Network& network, Prober& prober, double budget_s, const ProbeHooks& hooks) {
  const int ranks = prober.site().ranks;
  const auto rounds = rounds_of_pairs(ranks);
  std::vector<PairTime> times;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (i > 0 && hooks.clock() > budget_s) break;
    hooks.progress(static_cast<double>(i) / static_cast<double>(rounds.size()),
                   fmt::format("pairs, round {} of {}", i + 1, rounds.size()));
    std::vector<std::vector<Rank>> groups;
    for (const auto& [a, b] : rounds[i]) groups.push_back({a, b});
    const auto seconds = prober.run(Experiment::round_trip, groups, refresh_bytes, 1);
    if (!seconds) return tl::unexpected(seconds.error());
    for (std::size_t pair = 0; pair < groups.size(); ++pair)
      times.push_back({rounds[i][pair].first, rounds[i][pair].second, (*seconds)[pair] / 2});
  }
  return remeasured(network, ranks, refresh_bytes, times, KnownNetwork::of(network, ranks).sites);
}

}  // namespace tutti
